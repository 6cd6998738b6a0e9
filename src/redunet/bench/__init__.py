"""Measured speed, side by side with the algorithm as the paper states it."""
