"""From features to an answer: the nearest class subspace."""
