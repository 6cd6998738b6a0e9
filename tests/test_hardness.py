"""Finite results or a clear error, never NaN: extreme ε, scales, weights, class sizes, and samples that say little."""

import numpy as np
import pytest

from redunet import Lift, ReduNet, ReduNetClassifier, rate_reduction
from redunet.network import memory

rng = np.random.default_rng(0)
Y = np.arange(24) % 2
X = rng.standard_normal((24, 3, 8)) + Y[:, None, None] * np.linspace(0, 2, 8)
FLAT = X.reshape(24, -1)
HALVES = np.repeat([0, 1], 12)
EPS = (1e-6, 1e-3, 1.0, 1e3, 1e6)


@pytest.fixture(autouse=True)
def loud():
    """Whatever overflows or is divided by zero on the way is an error."""
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        yield


def features_are_finite(samples, y, invariance=None, **options):
    net = ReduNet(invariance, **{"n_layers": 5, **options}).fit(samples, y)
    assert np.isfinite(net.transform(samples)).all()
    assert np.isfinite(net.history_.rate_reduction).all()


def answers_are_finite(samples, y, invariance=None, **options):
    clf = ReduNetClassifier(invariance, **options).fit(samples, y)
    assert np.isfinite(clf.decision_function(samples)).all()
    shares = clf.predict_proba(samples)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert 0 <= clf.loo_score_ <= 1


@pytest.mark.parametrize("membership", ["softmax", "subspace", "code", "relu"])
@pytest.mark.parametrize("eps", EPS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_eps(eps, membership, dtype):
    options = {"eps": eps, "membership": membership, "rank": 1}
    features_are_finite(X.astype(dtype), Y, "shift", **options)
    # More directions than sums of single precision, those on the way through a layer, can tell from nothing.
    if dtype == np.float32 and eps == 1e-6 and membership in ("softmax", "code"):
        with pytest.raises(ValueError, match="eps=1e-06 is too small for the precision of the features"):
            features_are_finite(FLAT.astype(dtype), Y, **options)
    else:
        features_are_finite(FLAT.astype(dtype), Y, **options)


@pytest.mark.filterwarnings("ignore:every training sample is equally far")
@pytest.mark.parametrize("eps", EPS)
def test_any_eps_published_with_momentum_as_code_and_as_rate(eps):
    features_are_finite(X, Y, "shift", eps=eps, convention="published", step_size=0.5)
    features_are_finite(X, Y, "shift", eps=eps, momentum="nesterov")
    answers_are_finite(X, Y, "shift", eps=eps, membership="code", n_layers=2)
    assert np.isfinite(rate_reduction(X, Y, eps=eps, invariance="shift"))


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e299])
def test_any_scale_gives_the_same_answers(scale):
    for samples, invariance, lift in [
        (FLAT, None, None),
        (X, "shift", None),
        (X, "shift", Lift("random", 4, 3, random_state=0)),
        (X, "shift", Lift("patches", 4, 3, random_state=0)),
    ]:
        options = {"lift": lift, "n_layers": 2, "membership": "softmax"}
        plain = ReduNetClassifier(invariance, **options).fit(samples, Y)
        scaled = ReduNetClassifier(invariance, **options).fit(samples * scale, Y)
        np.testing.assert_array_equal(scaled.predict(samples * scale), plain.predict(samples))


def test_scales_that_differ_from_sample_to_sample():
    mixed = X * np.where(np.arange(24) % 3, 1e150, 1e-150)[:, None, None]
    answers_are_finite(mixed, Y, "shift")
    answers_are_finite(mixed.reshape(24, -1), Y)


@pytest.mark.filterwarnings("ignore:every training sample is equally far")
@pytest.mark.parametrize("invariance", ["shift", None])
def test_samples_that_are_all_the_same_within_a_class_or_in_both(invariance):
    for few in (X[:2], X[[0, 0]]):
        copies = np.repeat(few, 12, axis=0)
        copies = copies if invariance else copies.reshape(24, -1)
        answers_are_finite(copies, HALVES, invariance)
        features_are_finite(copies, HALVES, invariance)


def test_classes_of_one_direction():
    lines = rng.standard_normal((24, 1)) * np.where(HALVES[:, None] == 0, FLAT[0], FLAT[1])
    answers_are_finite(lines, HALVES)
    features_are_finite(lines, HALVES)
    answers_are_finite(lines.reshape(24, 3, 8), HALVES, "shift")


@pytest.mark.filterwarnings("ignore:every training sample is equally far")
def test_signals_of_one_position_and_constant_signals():
    points = rng.standard_normal((24, 3, 1))
    answers_are_finite(points, Y, "shift")
    features_are_finite(points, Y, "shift")
    answers_are_finite(points[..., None], Y, "translation")
    constant = np.ones((24, 3, 8)) * rng.uniform(1, 2, (24, 3, 1))
    answers_are_finite(constant, Y, "shift")
    answers_are_finite(constant[:, :1], Y, "shift", lift=Lift("random", 4, 3, random_state=0))


def test_a_class_of_two_beside_one_of_a_hundred_thousand():
    y = np.r_[np.zeros(100_000), 1, 1]
    answers_are_finite(rng.standard_normal((100_002, 4)), y)
    features_are_finite(rng.standard_normal((100_002, 2, 4)), y, "shift", n_layers=3)


@pytest.mark.parametrize("weight", [1e-300, 1e-12, 1e12, 1e300])
def test_any_weight(weight):
    clf = ReduNetClassifier("shift").fit(X, Y, sample_weight=np.where(Y == 0, weight, 1.0))
    assert np.isfinite(clf.decision_function(X)).all()


def test_any_sharpness_and_a_step_that_is_too_long():
    answers_are_finite(X, Y, "shift", sharpness=1e300, n_layers=2, membership="softmax")
    answers_are_finite(X, Y, "shift", sharpness=1e-300, n_layers=2, membership="softmax")
    features_are_finite(X, Y, "shift", step_size=1e-300)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=r"not finite with .* step_size=1e\+300"):
        features_are_finite(X, Y, "shift", step_size=1e300)


# --- memory -----------------------------------------------------------------------------------------------------------


def test_a_fit_that_does_not_fit_is_refused_before_it_starts(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000)
    with pytest.raises(MemoryError, match=r"needs about .* kB of memory and 10 kB are free.*'float32'.*fewer samples"):
        ReduNet("shift").fit(X, Y)
    with pytest.raises(MemoryError, match="fewer channels or a larger pool in the lift"):
        ReduNetClassifier("shift", lift=Lift("random", 4, 3, random_state=0)).fit(X, Y)
    with pytest.raises(MemoryError, match="fewer layers, or tol=1e-4, keep less"):
        ReduNet("shift", n_layers=50, tol=None).fit(X, Y)
    monkeypatch.setattr(memory, "free_memory", lambda: None)  # a system that does not say
    ReduNet("shift", n_layers=1).fit(X, Y)


def asked_and_taken(net, samples, y=None):
    """Bytes that a fit says it needs, and those that it takes."""
    import tracemalloc

    asked = []
    with pytest.MonkeyPatch.context() as patched:
        estimate = memory.bytes_needed
        patched.setattr(
            memory, "bytes_needed", lambda *a, **options: asked.append(estimate(*a, **options)) or asked[-1]
        )
        tracemalloc.start()
        net.fit(samples, y)
        taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return asked[0], taken


@pytest.mark.parametrize(("invariance", "shape"), [("shift", (6, 64)), (None, (200,)), ("translation", (5, 12, 12))])
@pytest.mark.parametrize("tol", [None, 1e-4])
def test_the_estimate_is_near_what_a_fit_takes(invariance, shape, tol):
    samples, y = rng.standard_normal((3000, *shape)), np.arange(3000) % 3
    ReduNet(invariance, n_layers=1).fit(samples[:30], y[:30])  # compiled before it is measured
    asked, taken = asked_and_taken(ReduNet(invariance, n_layers=10, tol=tol), samples, y)
    assert 0.5 * taken < asked < 3 * taken


@pytest.mark.parametrize(("invariance", "shape"), [("shift", (6, 64)), (None, (60,))])
@pytest.mark.parametrize("n_layers", [1, 10])
def test_the_estimate_is_near_what_a_fit_without_labels_takes(invariance, shape, n_layers):
    samples = rng.standard_normal((200, *shape))
    ReduNet(invariance, n_layers=1).fit(samples[:30])  # compiled before it is measured
    asked, taken = asked_and_taken(ReduNet(invariance, n_layers=n_layers, tol=None), samples)
    assert 0.5 * taken < asked < 3 * taken


def test_free_memory_is_a_number_of_bytes_or_not_known():
    free = memory.free_memory()
    assert free is None or 2**20 < free < 2**50
