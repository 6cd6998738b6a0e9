"""Choices made from the training samples alone."""
