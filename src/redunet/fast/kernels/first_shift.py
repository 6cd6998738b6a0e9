"""Which shift of a sample comes first, and that shift; twins of functions of :mod:`redunet.numerics.orbit`."""

from .compilation import compiled_exactly


@compiled_exactly
def first_positions(samples, height, width, origin):
    """Position where the representative of each sample starts: read from there, it has the largest values first.

    samples : float array, shape (n_samples, n_channels, height · width)
    height, width : int; a circle has height 1.
    origin : int64 array, shape (n_samples,), overwritten. Of equal shifts the first one.
    """
    n_channels = samples.shape[1]
    size = height * width
    for i in range(len(samples)):
        largest = samples[i, 0, 0]
        for s in range(1, size):
            if samples[i, 0, s] > largest:
                largest = samples[i, 0, s]
        best = -1
        for s in range(size):
            if samples[i, 0, s] != largest:
                continue
            if best < 0 or _comes_before(samples[i], s, best, n_channels, height, width):
                best = s
        origin[i] = best


@compiled_exactly
def _comes_before(sample, one, other, n_channels, height, width):
    """Whether the shift that starts at one position has a larger value than another one where they first differ."""
    for row in range(height):
        row_one = ((one // width + row) % height) * width
        row_other = ((other // width + row) % height) * width
        at_one, at_other = one % width, other % width
        for _ in range(width):
            for c in range(n_channels):
                a, b = sample[c, row_one + at_one], sample[c, row_other + at_other]
                if a != b:
                    return a > b
            at_one = at_one + 1 if at_one + 1 < width else 0
            at_other = at_other + 1 if at_other + 1 < width else 0
    return False


@compiled_exactly
def shift_to_front(samples, height, width, origin, shifted):
    """Samples shifted so that a position of each comes to the front.

    samples : array, shape (n_samples, n_channels, height · width)
    origin : int64 array, shape (n_samples,)
    shifted : array of the shape and type of samples, overwritten.
    """
    for i in range(len(samples)):
        top, left = origin[i] // width, origin[i] % width
        for c in range(samples.shape[1]):
            for row in range(height):
                there, here = ((top + row) % height) * width, row * width
                for w in range(width - left):
                    shifted[i, c, here + w] = samples[i, c, there + left + w]
                for w in range(left):
                    shifted[i, c, here + width - left + w] = samples[i, c, there + w]
