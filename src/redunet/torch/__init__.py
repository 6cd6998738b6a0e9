"""Networks of rate reduction in PyTorch: trained further, with the guarantee kept, and losses for other networks."""
