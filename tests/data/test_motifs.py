"""Motifs in noise: where they are said to be, and nowhere else."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet.data.motifs import motif_shapes, motifs_in_noise
from redunet.inputs.errors import InputError


def test_a_motif_lies_where_the_mask_says():
    X, y, on_motif = motifs_in_noise(9, 50, 12, noise=0, random_state=0)
    assert_array_equal(y, np.arange(9) % 3)
    assert_array_equal(on_motif.sum(axis=1), 12)
    assert_array_equal(X[~on_motif], 0)
    shapes = motif_shapes(12)
    assert_allclose(np.square(shapes).mean(axis=1), 1)
    for signal, label, there in zip(X, y, on_motif, strict=True):
        start = np.flatnonzero(there & ~np.roll(there, 1))[0]
        assert_allclose(np.roll(signal, -start)[:12], shapes[label])


def test_the_noise_is_as_strong_as_was_asked_for():
    X, _, on_motif = motifs_in_noise(30, 400, 20, noise=0.5, random_state=0)
    assert_allclose(X[~on_motif].std(), 0.5, rtol=0.05)


def test_a_motif_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="length"):
        motifs_in_noise(3, 20, 21)
