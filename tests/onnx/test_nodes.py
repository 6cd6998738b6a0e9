"""Parts of a graph against slow truths: Fourier transforms of NumPy, counts by going around the circle."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet import PooledLift
from redunet.lift.responses import FilterBank
from redunet.numerics.pooling import HEAVY_TAPS, circular_counts
from redunet.onnx.filter_nodes import circular_convolution, circular_product
from redunet.onnx.fourier_nodes import blocks_of, samples_of_blocks
from redunet.onnx.pooling_nodes import POWERS, anywhere, counts, in_words, longest_runs

from .computed_graph import computed

RNG = np.random.default_rng(0)
GRIDS = [(1,), (2,), (7,), (8,), (4, 5), (5, 4), (1, 6), (6, 1), (3, 4, 5), (4, 3, 2)]


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_blocks_are_the_half_spectrum(grid):
    x = RNG.standard_normal((3, 2, *grid))
    V = computed(lambda t: blocks_of(t, 2, grid), x)
    expected = np.fft.rfftn(x, axes=range(2, x.ndim)).reshape(3, 2, -1).transpose(2, 0, 1)
    assert_allclose(V[0] + 1j * V[1], expected, atol=1e-12)


@pytest.mark.parametrize("grid", GRIDS, ids=str)
@pytest.mark.parametrize("unitary", [False, True])
def test_samples_come_back_from_blocks(grid, unitary):
    x = RNG.standard_normal((3, 2, *grid))

    def there_and_back(t):
        return samples_of_blocks(blocks_of(t, 2, grid), 2, grid, unitary=unitary)

    expected = x * math.sqrt(math.prod(grid)) if unitary else x
    assert_allclose(computed(there_and_back, x), expected, atol=1e-12)


@pytest.mark.parametrize(("grid", "pool"), [((9,), 2), ((12,), 1.5), ((12,), 7), ((6, 9), 2), ((5, 4, 7), 1.5)])
def test_frequencies_of_a_coarse_grid_are_those_of_pooled_responses(grid, pool):
    filters = (np.ones((1, 1, *[1] * len(grid))),)
    bank = FilterBank(filters, "none", 0.0, (0,) * len(grid), grid, pool)
    x = RNG.standard_normal((3, 1, *grid))
    coarse = bank(x)
    V = computed(lambda t: blocks_of(t, 1, grid, bank.coarse_grid), x)
    expected = np.fft.rfftn(coarse, axes=range(2, x.ndim)).reshape(3, 1, -1).transpose(2, 0, 1)
    # Scale is taken out on the sphere.
    assert_allclose((V[0] + 1j * V[1]) * (math.prod(coarse.shape[2:]) / math.prod(grid)), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("grid", "kernel"), [((7,), (3,)), ((8,), (8,)), ((6,), (1,)), ((5, 6), (2, 3)), ((4, 3, 5), (3, 2, 4))]
)
def test_circular_filters_are_those_of_the_bank(grid, kernel):
    filters = RNG.standard_normal((4, 2, *kernel))
    bank = FilterBank((filters,), "none", 0.0, (0,) * len(grid), grid)
    x = RNG.standard_normal((3, 2, *grid))
    expected = bank(x)
    assert_allclose(computed(lambda t: circular_product(t, filters, grid), x), expected, atol=1e-12)
    single = computed(lambda t: circular_convolution(t, filters, grid), x.astype(np.float32))
    assert_allclose(single, expected, atol=1e-4)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 8, 9, 16, 17, 33])
def test_longest_runs_are_those_found_by_going_around_the_circle(length):
    shape = (len(HEAVY_TAPS), 3, length)
    above = RNG.random(shape) < RNG.choice([0.0, 0.3, 0.8, 0.95, 1.0], (*shape[:2], 1))

    def build(t):
        n = t.graph.node("Shape", t, dtype=np.int64, start=2)
        return longest_runs(in_words(t, 3).unsqueeze(0), n, 1, 3)

    [found] = computed(build, above.astype(np.float32))
    for place in np.ndindex(shape[:2]):
        if not above[place].all():
            assert found[place] == circular_counts(above[place])[1]


@pytest.mark.parametrize("length", [1, 2, 5, 8, 31])
def test_a_bit_is_anywhere_if_it_is_at_some_place(length):
    words = RNG.integers(0, 2**21, (3, 4, length), dtype=np.int32) & RNG.integers(0, 2**21, (3, 4, length))
    words = words.astype(np.int32)

    def build(t):
        n = t.graph.node("Shape", t, dtype=np.int64, start=2)
        return anywhere(t, (n.at_least(2) > POWERS).cast(np.int64).sum(0))

    assert_array_equal(computed(build, words)[..., 0], np.bitwise_or.reduce(words, axis=-1))


@pytest.mark.parametrize("kind", ["noise", "steps", "constant"])
@pytest.mark.parametrize("length", [3, 24, 65])
def test_counts_are_those_of_the_lift(kind, length):
    lift = PooledLift(3, 2).fit(RNG.standard_normal((10, 2, length)).cumsum(axis=2))
    x = {
        "noise": RNG.standard_normal((4, 2, length)),
        "steps": np.sign(RNG.standard_normal((4, 2, length))),
        "constant": np.full((4, 2, length), 2.5),
    }[kind].astype(np.float32)
    expected, _ = lift.bank_.counts(x)

    def build(t):
        return counts(lift.bank_, t, t.graph.whole_numbers([length]))

    assert_array_equal(computed(build, x), expected)  # whole numbers, hence the same
