"""The command line: one file for each command; ``files/`` reads samples from files.

A new command is a file ``<name>_command.py`` here, and its options in ``app``, which imports the file when it runs.
"""
