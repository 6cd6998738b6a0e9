"""Single precision gives the answers of double precision, in whatever order the training samples come."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits

from redunet import Lift, NearestSubspaceClassifier, ReduNetClassifier

FILTERS = np.random.default_rng(0).standard_normal((8, 3, 3))


def mixed_problem(invariance, seed):
    """Training and test samples in float32: one class of 2 to 4 samples, one of 50 to 100, others in between."""
    rng = np.random.default_rng(seed)
    shape = {
        None: (int(rng.choice([5, 12, 40, 150])),),
        "shift": (int(rng.integers(2, 12)), int(rng.integers(6, 25))),
        "translation": (int(rng.integers(2, 8)), int(rng.integers(4, 8)), int(rng.integers(4, 8))),
    }[invariance]
    between = rng.choice([2, 3, 4, 5, 8, 15, 30, 60, 100], rng.integers(0, 3))
    sizes = [rng.integers(2, 5), *between, rng.integers(50, 101)]
    noise, n_directions = rng.choice([0.3, 1.0, 3.0]), rng.integers(1, 5)
    directions = rng.standard_normal((len(sizes), n_directions, *shape))

    def draw(y):
        coordinates = 0.5 + rng.standard_normal((len(y), n_directions))
        samples = np.einsum("il,il...->i...", coordinates, directions[y])
        return (samples + noise * rng.standard_normal(samples.shape)).astype(np.float32)

    y = np.repeat(np.arange(len(sizes)), sizes)
    return draw(y), y, draw(np.repeat(np.arange(len(sizes)), 15))


def classifiers(invariance):
    lifted = ReduNetClassifier(invariance, lift=Lift("random", 5, 3, random_state=0))
    return [
        ReduNetClassifier(invariance),
        NearestSubspaceClassifier(invariance=invariance),
        lifted if invariance else NearestSubspaceClassifier(affine=False),
        *(ReduNetClassifier(invariance, membership=way, n_layers=4) for way in ("subspace", "code", "softmax")),
        ReduNetClassifier(invariance, membership="softmax", rank=1),
        ReduNetClassifier(invariance, membership="subspace", n_layers=4, momentum="nesterov"),
    ]


@pytest.mark.filterwarnings("ignore::redunet.inputs.errors.NoLayerWarning")  # of noise
@pytest.mark.parametrize("invariance", [None, "shift", "translation"])
def test_float32_answers_as_float64_does_however_different_the_sizes_of_classes(invariance):
    same = []
    choices = classifiers(invariance)
    for seed in range(100):
        X, y, new = mixed_problem(invariance, seed)
        clf = choices[seed % len(choices)]
        single = clone(clf).fit(X, y).predict(new)
        double = clone(clf).fit(X.astype(np.float64), y).predict(new.astype(np.float64))
        same.append(single == double)
    assert np.mean(np.concatenate(same)) >= 0.999


@pytest.mark.parametrize("sizes", [(4,), (30,), (4, 30)])
@pytest.mark.parametrize(
    "clf",
    [
        NearestSubspaceClassifier(),
        ReduNetClassifier(),
        ReduNetClassifier(membership="subspace", n_layers=2),
        ReduNetClassifier("translation", lift=Lift(FILTERS, level=0.1), sample_shape=(8, 8)),
        ReduNetClassifier(
            "translation", lift=Lift(FILTERS, level=0.1), sample_shape=(8, 8), membership="subspace", n_layers=2
        ),
    ],
)
def test_the_order_of_training_samples_does_not_change_float32_answers(clf, sizes):
    X, y = load_digits(return_X_y=True)
    X = X.astype(np.float32)
    rng = np.random.default_rng(0)
    chosen = [rng.permutation(np.flatnonzero(y == c))[: sizes[c % len(sizes)]] for c in range(10)]
    train = np.concatenate(chosen)
    new = np.delete(X, train, axis=0)[::3]
    answers = clone(clf).fit(X[train], y[train]).predict(new)
    for _ in range(3):
        train = rng.permutation(train)
        assert_array_equal(clone(clf).fit(X[train], y[train]).predict(new), answers)


@pytest.mark.parametrize("invariance", [None, "shift"])
def test_evidence_is_the_same_in_float32_as_in_float64_with_weights_that_are_no_whole_numbers(invariance):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [3, 5, 40])
    shape = (6,) if invariance is None else (6, 8)
    X = (rng.standard_normal((3, *shape))[y] + rng.standard_normal((48, *shape))).astype(np.float32)
    weights = rng.uniform(0.1, 0.9, 48)
    single, double = (
        NearestSubspaceClassifier(invariance=invariance).fit(X.astype(dtype), y, sample_weight=weights).evidence_
        for dtype in (np.float32, np.float64)
    )
    assert single.choices == double.choices
    assert_array_equal(single.scores, double.scores)
    assert_allclose(single.margins, double.margins, atol=1e-5)


def test_a_float32_class_of_few_samples_has_no_more_directions_than_samples():
    X, y, _ = mixed_problem("shift", 4)
    for clf in (NearestSubspaceClassifier(invariance="shift"), ReduNetClassifier("shift", membership="subspace")):
        bases = clone(clf).set_params(rank=X.shape[1] - 1).fit(X, y).answers_.bases
        n_directions = (np.abs(bases) > 0).any(axis=2).sum(axis=2).max(axis=1)
        assert (n_directions <= np.bincount(y)).all()
        assert n_directions.max() > n_directions.min()
