"""Local filters on rings × angles by their definition, one product at a time."""

import numpy as np


def response(sample, patch, ring, angle):
    """Σ_{h, w} patch[h, w] · sample[ring + h, (angle + w) mod n_angles], counted from the centre of the patch."""
    n_rings, n_angles = sample.shape
    height, width = patch.shape
    total = 0.0
    for h in range(height):
        for w in range(width):
            r, a = ring + h - height // 2, (angle + w - width // 2) % n_angles
            if 0 <= r < n_rings:
                total += patch[h, w] * sample[r, a]
    return total


def responses(sample, patch):
    """Responses at every ring and angle; shape (n_rings, n_angles)."""
    n_rings, n_angles = sample.shape
    return np.array([[response(sample, patch, r, a) for a in range(n_angles)] for r in range(n_rings)])


def peak(sample, patch, first_ring, slack):
    """The strongest response over all angles of a patch whose first row is at most ``slack`` rings away from a ring."""
    centres = [first_ring + moved + patch.shape[0] // 2 for moved in range(-slack, slack + 1)]
    return max(response(sample, patch, ring, a) for ring in centres for a in range(sample.shape[1]))
