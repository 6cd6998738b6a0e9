"""Samples of one's own from the command line: fit, predict, evaluate, inspect."""
