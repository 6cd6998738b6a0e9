"""More channels: filter banks, thresholds, and the transformer that applies them."""
