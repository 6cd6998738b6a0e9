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


def peak(sample, patch, first_ring, slack, n_positions):
    """The strongest response of a patch whose first row is at most ``slack`` rings away from a ring.

    Over all angles, or over so many positions of a circle that has the frequencies below half of them alone.
    """
    n_angles = sample.shape[1]
    found = []
    for moved in range(-slack, slack + 1):
        ring = first_ring + moved + patch.shape[0] // 2
        around = [response(sample, patch, ring, a) for a in range(n_angles)]
        if n_positions == n_angles:
            found += around
            continue
        waves = [sum(r * np.exp(-2j * np.pi * p * a / n_angles) for a, r in enumerate(around)) for p in range(n_angles)]
        for t in range(n_positions):
            slow = [
                w * np.exp(2j * np.pi * p * t / n_positions) for p, w in enumerate(waves) if 0 < 2 * p < n_positions
            ]
            found.append((waves[0].real + 2 * sum(slow).real) / n_angles if slow else waves[0].real / n_angles)
    return max(found)
