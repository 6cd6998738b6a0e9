"""The fast layer against its readable twins: the same numbers, whatever the size, the precision and the threads."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from redunet import ReduNet, ReduNetClassifier
from redunet.fast.lapack import factorise_in_place, invert_factorised
from redunet.fast.ridge_operators import ridge_logdets, ridge_operators
from redunet.fast.threads import run_parts
from redunet.fast.tiles import Tiles
from redunet.measures.residual import ResidualNorms
from redunet.network.layer import Layer
from redunet.numerics.moments import class_moments
from redunet.numerics.operators import coding_alpha, hermitian_inverse, ridge_operator
from redunet.numerics.step import extrapolate

TOLERANCE = {np.float64: 1e-12, np.float32: 1e-5}


def random_problem(n_freqs, n_channels, counts, *, paired, dtype, seed=0):
    """Blocks on the sphere sorted by class, bounds, weights of samples, Parseval weights, and a layer of theirs."""
    rng = np.random.default_rng(seed)
    shape = (n_freqs, n_channels, sum(counts))
    V = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if paired else 0)
    weights = rng.uniform(0.5, 2.0, n_freqs)
    V /= np.sqrt(np.einsum("p,pci->i", weights, np.abs(V) ** 2))
    bounds, sample_weight = np.r_[0, np.cumsum(counts)], rng.uniform(0.5, 2.0, sum(counts))
    M_j = class_moments(V, bounds, sample_weight)
    m_j = np.add.reduceat(sample_weight, bounds[:-1])
    alpha, alpha_j = coding_alpha(n_channels, m_j.sum(), 0.5), coding_alpha(n_channels, m_j, 0.5)
    E, _ = ridge_operator(M_j.sum(axis=0), alpha)
    C, _ = ridge_operator(M_j, alpha_j)
    kind = np.result_type(dtype, np.complex64) if paired else dtype
    E, C = E.astype(kind), C.astype(kind)
    layer = Layer(E, C, m_j / m_j.sum(), 0.3 / alpha, 20.0, ResidualNorms(C, alpha_j, weights))
    return V.astype(kind), bounds, sample_weight, weights, layer


def tiles_of(V, bounds, sample_weight, n_operators):
    n_freqs, n_channels, _ = V.shape
    tiles = Tiles(bounds, n_freqs, n_channels, n_operators, paired=np.iscomplexobj(V), dtype=V.real.dtype)
    tiles.fill(0, V, sample_weight)
    return tiles


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("n_freqs", "n_channels", "counts", "paired"),
    [
        (7, 5, (130, 70), True),
        (3, 1, (40, 5), True),
        (1, 7, (50, 2, 9), False),
        (1, 1, (3, 4), False),
        (2, 6, (1, 99), True),
    ],
)
def test_tiles_do_what_the_readable_layer_does(way, n_freqs, n_channels, counts, paired, dtype):
    V, bounds, sample_weight, weights, layer = random_problem(n_freqs, n_channels, counts, paired=paired, dtype=dtype)
    tiles = tiles_of(V, bounds, sample_weight, len(counts) + 1)
    assert_array_equal(tiles.blocks(0, V.shape[2]), V)
    tolerance = TOLERANCE[dtype]
    before = class_moments(V, bounds, sample_weight)
    assert_allclose(tiles.moments(), before, atol=tolerance * np.abs(before).max())
    M = tiles.advance(layer, weights, in_place=True)
    expected = layer(V, weights)
    assert_allclose(tiles.blocks(0, V.shape[2]), expected, atol=tolerance)
    after = class_moments(expected, bounds, sample_weight)
    assert_allclose(M, after, atol=tolerance * np.abs(after).max())


@pytest.mark.parametrize(("n_channels", "paired"), [(5, True), (7, False)])
def test_moments_of_float32_features_are_those_of_the_same_numbers_in_double_precision(way, n_channels, paired):
    V, bounds, sample_weight, weights, layer = random_problem(
        4 if paired else 1, n_channels, (130, 2), paired=paired, dtype=np.float32
    )
    tiles = tiles_of(V, bounds, sample_weight, 3)
    before = class_moments(V, bounds, sample_weight)
    assert_allclose(tiles.moments(), before, atol=1e-14 * np.abs(before).max())
    M = tiles.advance(layer, weights, in_place=True, exact_moments=True)
    after = class_moments(tiles.blocks(0, V.shape[2]), bounds, sample_weight)
    assert_allclose(M, after, atol=1e-14 * np.abs(after).max())
    assert not np.allclose(after, before, atol=1e-3 * np.abs(before).max())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_tiles_with_momentum_do_what_the_readable_layers_do(way, dtype):
    V, _, sample_weight, weights, first = random_problem(4, 3, (40, 30), paired=True, dtype=dtype)
    second = replace(first, momentum=0.7)
    V_1 = first(V, weights)
    V_2 = second(V_1, weights, V)
    tiles = tiles_of(V, np.array([0, 70]), sample_weight, 3)
    tiles.carry([first, second], weights)
    assert_allclose(tiles.blocks(0, 70), V_2, atol=TOLERANCE[dtype])
    assert np.abs(V_2 - second(V_1, weights, V_1)).max() > 1e-3  # momentum moves something
    assert_allclose(extrapolate(V_1, V, 0.0, weights), V_1, atol=TOLERANCE[dtype])


@given(st.integers(1, 70), st.integers(1, 4), st.booleans(), st.integers(0, 99))
def test_operators_are_those_of_the_readable_twin(n_channels, n_freqs, paired, seed):
    rng = np.random.default_rng(seed)
    shape = (3, n_freqs, n_channels, 2 * n_channels)
    Z = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if paired else 0)
    M = Z @ Z.conj().swapaxes(-1, -2)
    alphas = rng.uniform(0.1, 10.0, 3)
    operators, logdet = ridge_operators(M, alphas, M.dtype)
    readable, readable_logdet = ridge_operator(M, alphas)
    assert_allclose(operators, readable, atol=1e-10)
    assert_allclose(logdet, readable_logdet, rtol=1e-10)
    assert_array_equal(ridge_logdets(M, alphas), logdet)
    assert_allclose(operators, operators.conj().swapaxes(-1, -2), atol=0)


@pytest.mark.parametrize("kind", [np.float64, np.complex128])
def test_lapack_inverts_in_the_lower_half(kind):
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((6, 20)) + (1j * rng.standard_normal((6, 20)) if kind == np.complex128 else 0)
    A = (Z @ Z.conj().T).astype(kind)
    inverse, logdet = hermitian_inverse(A)
    assert_allclose(factorise_in_place(A), logdet)
    invert_factorised(A)
    assert_allclose(np.tril(A), np.tril(inverse), atol=1e-12)
    with pytest.raises(np.linalg.LinAlgError):
        factorise_in_place(-np.eye(3, dtype=kind))


def test_not_positive_moments_are_refused():
    for n_channels in (3, 70):
        M = -10 * np.eye(n_channels)[None, None].repeat(2, axis=0)
        with pytest.raises(np.linalg.LinAlgError):
            ridge_operators(M, np.ones(2), M.dtype)
        with pytest.raises(np.linalg.LinAlgError):
            ridge_logdets(M, np.ones(2))


def test_many_channels_and_few_agree_with_the_vector_network_on_shifts():
    """The same network through BLAS: 30 channels are more rows than the small kernel takes."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 30, 4)), np.arange(20) % 2
    net = ReduNet("shift", n_layers=2, eps=0.5, step_size=0.1, sharpness=5.0).fit(X, y)
    V, weights = net.network_.geometry.blocks(X), net.network_.geometry.norm_weights
    for layer in net.network_.layers:
        V = layer(V, weights)
    assert_allclose(net.transform(X), net.network_.geometry.samples(V), atol=1e-12)


@pytest.mark.parametrize("invariance", [None, "shift"])
@pytest.mark.parametrize("momentum", [None, "nesterov", 0.5])
def test_new_samples_take_the_way_of_training_samples(invariance, momentum):
    """Features of the training samples, computed as new ones, have the moments that the construction ended with."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.standard_normal((3, 4, 8))[y] + 0.5 * rng.standard_normal((60, 4, 8))
    X = X if invariance else X.reshape(60, -1)
    net = ReduNet(invariance, n_layers=8, momentum=momentum).fit(X, y)
    V = net.network_.geometry.blocks(X)
    before = V
    for layer in net.network_.layers:
        V, before = layer(V, net.network_.geometry.norm_weights, before), V
    features = net.transform(X)
    assert_allclose(features, net.network_.geometry.samples(V).reshape(features.shape), atol=1e-10)


def test_float32_and_float64_agree_at_the_size_of_the_paper():
    """Rotation as the paper has it, on fewer layers: features to 1e-4, answers exactly."""
    from redunet.bench.speed import synthetic
    from redunet.experiments.published_constants import PUBLISHED_OPTIONS

    X, y = synthetic((5, 200), 2000, 2)
    new, _ = synthetic((5, 200), 300, 2, seed=1)
    options = PUBLISHED_OPTIONS | {"n_layers": 35, "step_size": 10.0}
    fine = ReduNetClassifier("shift", **options).fit(X.astype(np.float64), y)
    coarse = ReduNetClassifier("shift", **options).fit(X, y)
    for samples in (X[:300], new):
        features = [clf.network_.features(samples) for clf in (fine, coarse)]
        assert_allclose(features[1], features[0], atol=1e-4)
        assert_array_equal(coarse.predict(samples), fine.predict(samples))


def test_parts_are_all_done_and_errors_come_through():
    done = np.zeros(100, dtype=int)

    def mark(i):
        done[i] += 1

    run_parts(mark, range(100))
    assert_array_equal(done, 1)

    def fail(i):
        if i == 57:
            raise RuntimeError("part 57")

    with pytest.raises(RuntimeError, match="part 57"):
        run_parts(fail, range(100))
    run_parts(mark, [])


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=True
    )


def test_importing_costs_no_compiler():
    run = run_python(
        "import redunet, sys; print([m for m in ('numba', 'sklearn', 'scipy', 'typer') if m in sys.modules])"
    )
    assert run.stdout.strip() == "[]"


def test_the_first_fit_on_a_fresh_machine_says_that_it_compiles(tmp_path):
    code = """
from redunet import ReduNet
from redunet.fast import compile_notice as compiling
compiling.SILENT_SECONDS = 0.1  # however fast the machine is
ReduNet(n_layers=1).fit([[1., 2], [2, 1], [3, 1], [1, 3]], [0, 1, 1, 0])
"""
    fresh = run_python(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert fresh.stderr == "redunet: compiling the layers for this machine; this happens once.\n"
    again = run_python(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert again.stderr == ""


def test_a_forked_child_can_fit():
    code = """
import os, numpy as np
from redunet import ReduNet
X, y = np.random.default_rng(0).standard_normal((400, 3, 20)), np.arange(400) % 2
ReduNet("shift", n_layers=2).fit(X, y)
child = os.fork()
if not child:
    ReduNet("shift", n_layers=2).fit(X, y)
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    assert run_python(code).stdout.strip() == "0"
