"""The command line: one file for each command; ``files/`` reads samples from files."""
