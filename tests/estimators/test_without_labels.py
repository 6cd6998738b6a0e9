"""Laws of features without labels: each sample is a class with its shifts and views, however it is computed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

import redunet
from redunet import Lift, ReduNet
from redunet.estimators import view_reading
from redunet.inputs.errors import InputError, InputTypeError
from redunet.network import memory
from redunet.network.carried_views import CarriedViews
from tests.reference import vector_network
from tests.reference.shifts import enumerated

DIGITS = load_digits().data
FEW = DIGITS[:40]
SIGNALS = np.random.default_rng(0).standard_normal((9, 2, 7))
IMAGES = np.random.default_rng(1).standard_normal((7, 2, 4, 5))


def noisy(samples, random):
    """Samples with noise."""
    return samples + 0.3 * random.standard_normal(samples.shape)


def louder(samples, random):
    """Samples, each times a number of its own for each channel: a change that goes with every shift."""
    shape = (len(samples), samples.shape[1], *[1] * (samples.ndim - 2))
    return samples * random.uniform(0.5, 2.0, shape)


def shifted(samples, seed):
    rng = np.random.default_rng(seed)
    axes = tuple(range(1, samples.ndim - 1))
    return np.stack([np.roll(x, [rng.integers(x.shape[a]) for a in axes], axis=axes) for x in samples])


def unit(samples):
    """Flat samples as columns of length 1."""
    flat = samples.reshape(len(samples), -1)
    return (flat / np.linalg.norm(flat, axis=1, keepdims=True)).T


# Without labels equals the explicit construction with as many classes as samples.


def test_layers_are_those_of_the_slow_network_of_one_class_for_each_vector():
    eta, m = 0.01, len(FEW)
    net = ReduNet(n_layers=3, step_size=eta, tol=None, affine=False, eps=0.5, sharpness=20.0).fit(FEW)
    Z = unit(FEW)
    for _ in range(3):
        Z = vector_network.layer(Z, np.arange(m), 0.5, eta, 20.0)
    assert_allclose(net.transform(FEW), Z.T, atol=1e-12)
    R, R_c = vector_network.rates(Z, np.arange(m), 0.5)
    assert_allclose(net.history_.rate_reduction[-1], R - R_c)


def test_a_sample_and_all_its_shifts_are_a_class_of_the_slow_network():
    eps, eta = 0.5, 0.02
    net = ReduNet("shift", n_layers=2, step_size=eta, tol=None, eps=eps, sharpness=20.0).fit(SIGNALS)
    unit_signals = SIGNALS / np.linalg.norm(SIGNALS, axis=(1, 2), keepdims=True)
    Z, codes = enumerated(unit_signals, np.arange(len(SIGNALS)))
    for _ in range(2):
        Z = vector_network.layer(Z, codes, eps, eta, 20.0)
    features = Z.T.reshape(len(SIGNALS), 7, 2, 7)[:, 0]  # the first shift of each
    assert_allclose(net.transform(SIGNALS), features, atol=1e-12)


def test_a_sample_and_its_views_are_a_class_of_the_slow_network():
    eta, n_views = 0.01, 3
    seen = []

    def remembered(samples, random):
        seen.append(noisy(samples, random))
        return seen[-1]

    net = ReduNet(n_layers=2, step_size=eta, tol=None, affine=False, augment=remembered, n_views=n_views).fit(FEW)
    assert len(seen) == n_views
    # In which order samples are given to the function is its own; each of its views is near its sample.
    rows = [int(np.square(FEW - view.mean(axis=0)).sum(axis=1).argmin()) for view in np.stack(seen, axis=1)[:, :, None]]
    assert sorted(rows) == list(range(len(FEW)))
    Z = unit(np.concatenate([FEW[rows], *seen]))
    codes = np.tile(np.arange(len(FEW)), 1 + n_views)
    for _ in range(2):
        Z = vector_network.layer(Z, codes, 0.3, eta, 50.0)
    assert_allclose(net.transform(FEW[rows]), Z.T[: len(FEW)], atol=1e-12)


CASES = {
    "vectors": (FEW, {}),
    "more features than samples": (DIGITS[:20], {"affine": False}),
    "signals": (SIGNALS, {"invariance": "shift"}),
    "images": (IMAGES, {"invariance": "translation"}),
    "momentum": (SIGNALS, {"invariance": "shift", "momentum": "nesterov"}),
    "codes": (SIGNALS, {"invariance": "shift", "membership": "code"}),
    "subspaces": (FEW, {"membership": "subspace", "rank": 2}),
    "kernel": (FEW, {"kernel": "rbf"}),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_fit_with_a_label_for_each_sample(case):
    X, options = CASES[case]
    net = ReduNet(n_layers=4, tol=None, **options).fit(X)
    # A weight of 2 is a sample that was seen twice, since a class needs two.
    labelled = ReduNet(n_layers=4, tol=None, **options).fit(X, np.arange(len(X)), np.full(len(X), 2.0))
    assert net.n_layers_ == labelled.n_layers_ == 4
    assert_allclose(net.history_.rate_reduction, labelled.history_.rate_reduction, rtol=1e-9)
    new = X[::-1] + 0.1
    assert_allclose(net.transform(new), labelled.transform(new), atol=1e-8)
    assert len(net.classes_) == len(X)


# What may change nothing.


@pytest.mark.parametrize("augment", [None, noisy])
@pytest.mark.parametrize("case", ["vectors", "signals", "images", "kernel"])
def test_the_order_of_samples_changes_no_bit(case, augment):
    X, options = CASES[case]
    order = np.random.default_rng(0).permutation(len(X))
    one, other = (ReduNet(n_layers=3, augment=augment, **options).fit(samples) for samples in (X, X[order]))
    assert_array_equal(one.transform(X), other.transform(X))


@pytest.mark.parametrize("augment", [None, louder])
@pytest.mark.parametrize("case", ["signals", "images", "momentum", "codes"])
def test_shifted_samples_have_shifted_features_and_build_the_same_network(case, augment):
    X, options = CASES[case]
    net = ReduNet(n_layers=3, augment=augment, **options).fit(X)
    axes = tuple(range(2, X.ndim))
    move = tuple(range(1, len(axes) + 1))
    rolled = np.roll(X, move, axis=axes)
    assert_allclose(net.transform(rolled), np.roll(net.transform(X), move, axis=axes), atol=1e-12)
    moved = ReduNet(n_layers=3, augment=augment, **options).fit(shifted(X, 5))
    if augment is None:
        for one, other in zip(net.network_.layers, moved.network_.layers, strict=True):
            assert_array_equal(one.expansion, other.expansion)
            assert_array_equal(one.compression, other.compression)
    assert_allclose(moved.transform(X), net.transform(X), atol=1e-12)


def test_a_sample_twice_is_one_of_twice_the_weight_and_weight_zero_is_none():
    weights = np.arange(len(FEW)) % 3
    one = ReduNet(n_layers=3, augment=noisy).fit(FEW, sample_weight=weights)
    other = ReduNet(n_layers=3, augment=noisy).fit(np.repeat(FEW, weights, axis=0))
    assert len(one.classes_) == (weights > 0).sum()
    assert_array_equal(one.transform(FEW), other.transform(FEW))


def test_two_fits_have_the_same_bits_and_another_seed_draws_other_views():
    options = {"n_layers": 2, "augment": noisy, "n_views": 2}
    one, two, other = (ReduNet(random_state=seed, **options).fit(FEW).transform(FEW) for seed in (0, 0, 1))
    assert_array_equal(one, two)
    assert np.abs(one - other).max() > 1e-6


def test_the_samples_that_are_given_are_not_changed():
    X = FEW.copy()

    def in_place(samples, random):
        samples += random.standard_normal(samples.shape)
        return samples

    ReduNet(n_layers=1, augment=in_place).fit(X)
    assert_array_equal(X, FEW)


def test_single_precision():
    one = ReduNet(n_layers=3, augment=noisy).fit(FEW)
    single = ReduNet(n_layers=3, augment=noisy).fit(FEW.astype(np.float32))
    assert single.transform(FEW.astype(np.float32)).dtype == np.float32
    assert_allclose(single.transform(FEW.astype(np.float32)), one.transform(FEW), atol=2e-5)


# What it is for.


def test_samples_are_pushed_apart_and_views_are_drawn_together():
    X = DIGITS[:100]
    net = ReduNet(n_layers=10, tol=None, augment=noisy, affine=False).fit(X)
    view = noisy(X, np.random.default_rng(9))

    def cosines(features, of_views):
        products = features @ of_views.T
        own = np.diag(products).mean()
        return own, (products.sum() - len(X) * own) / (len(X) * (len(X) - 1))

    own_before, others_before = cosines(unit(X).T, unit(view).T)
    own, others = cosines(net.transform(X), net.transform(view))
    assert others < 0.6 * others_before
    assert own > 0.95 * own_before
    assert (np.diff(net.history_.rate_reduction) > 0).all()


def test_a_pipeline_without_labels():
    signals = np.random.default_rng(2).standard_normal((12, 20))
    features = make_pipeline(Lift("random", 3, 5, random_state=0), ReduNet("shift", n_layers=2)).fit_transform(signals)
    assert len(features) == 12


def test_files_keep_the_network_and_warm_starts_go_on(tmp_path):
    net = ReduNet(n_layers=2, tol=None).fit(FEW)
    net.save(tmp_path / "features.redunet")
    assert_array_equal(redunet.load(tmp_path / "features.redunet").transform(FEW), net.transform(FEW))
    options = {"tol": None, "step_size": 0.01, "augment": noisy}
    grown = ReduNet(n_layers=1, warm_start=True, **options).fit(FEW).set_params(n_layers=3).fit(FEW)
    assert_allclose(grown.transform(FEW), ReduNet(n_layers=3, **options).fit(FEW).transform(FEW), atol=1e-12)


def test_an_interrupted_fit_goes_on_with_the_same_bits(tmp_path, monkeypatch):
    net = ReduNet(n_layers=5, tol=None, step_size=0.01)
    whole = clone(net).fit(FEW)
    advance, calls = CarriedViews.advance, []

    def interrupted(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return advance(self, *args, **kwargs)

    monkeypatch.setattr(CarriedViews, "advance", interrupted)
    where = redunet.Checkpoint(tmp_path / "progress", layers=1)
    with pytest.raises(KeyboardInterrupt):
        clone(net).fit(FEW, checkpoint=where)
    again = clone(net).fit(FEW, checkpoint=where)
    assert_array_equal(whole.transform(FEW), again.transform(FEW))
    assert len(calls) == 4 + 2  # three layers were there already


# What is refused.


def bad(give):
    return lambda samples, random: give(samples)


@pytest.mark.parametrize(
    ("options", "X", "y", "message"),
    [
        ({"n_views": 3}, FEW, None, "n_views=3 asks for views of samples, but there is no augment"),
        ({"augment": noisy, "n_views": 0}, FEW, None, "n_views must be >= 1, got 0"),
        ({"augment": "noise"}, FEW, None, "augment must be None or a function"),
        ({"augment": bad(lambda X: X[:3])}, FEW, None, "of the shape (40, 64) that it was given, got shape (3, 64)"),
        ({"augment": bad(lambda X: X[:, None])}, FEW, None, "got shape (40, 1, 64)"),
        (
            {"augment": bad(lambda X: X * np.nan)},
            FEW,
            None,
            "augment gave NaN, infinity or a value above 1e+300",
        ),
        ({"augment": bad(lambda X: np.full_like(X, np.inf))}, FEW, None, "for 40 of 40 samples"),
        ({"augment": bad(lambda X: None)}, FEW, None, "augment must give an array of real numbers, got NoneType"),
        ({"augment": bad(lambda X: [[1], [1, 2]])}, FEW, None, "augment must give an array of real numbers, got list"),
        ({"augment": bad(np.zeros_like), "affine": False}, FEW, None, "augment made 160 views that are zero"),
        ({"augment": noisy}, FEW, np.arange(40) % 2, "augment makes a class of each sample without a label, but y"),
        ({"augment": noisy, "construction": "moments"}, FEW, None, "pass construction='samples'"),
        ({"construction": "moments"}, FEW, None, "requires y to be passed, but the target y is None"),
        ({"class_weight": "balanced"}, FEW, None, "class_weight weighs classes by their labels"),
        ({}, FEW[:1], None, "X has 1 sample; without y each sample is a class of its own"),
        ({}, FEW[[0, 0, 0]], None, "X has 3 samples that are all the same; without y"),
        ({"invariance": "shift"}, [np.roll(FEW[0], s) for s in range(3)], None, "that are all the same up to shifts;"),
        ({"affine": False}, FEW * (np.arange(40) > 2)[:, None], None, "3 samples of X are all zero"),
        ({"warm_start": True, "augment": noisy, "random_state": None}, FEW, None, "draws other views each time"),
    ],
)
def test_what_has_no_features_without_labels_is_refused_in_words(options, X, y, message):
    net = ReduNet(n_layers=1, **options)
    with pytest.raises((InputError, InputTypeError)) as error:
        net.fit(X, y).fit(X, y)  # the second one for warm starts
    assert message in str(error.value)


def test_more_samples_than_hours_allow_are_refused_with_a_number_that_is_not(monkeypatch):
    monkeypatch.setattr(view_reading, "MOST_OPERATIONS", 20 * 20 * 65**2)
    ReduNet(n_layers=1).fit(DIGITS[:20])
    with pytest.raises(InputError, match=r"each of the 80 different samples of X is a class.*about 20 samples"):
        ReduNet(n_layers=1).fit(DIGITS[:80])


def test_what_does_not_fit_into_memory_is_refused_before_any_layer(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 20 * 2**20)
    ReduNet(n_layers=1).fit(DIGITS[:60])
    with pytest.raises(MemoryError, match=r"fewer layers \(n_layers\) keep less; fewer samples need less"):
        ReduNet(n_layers=30).fit(DIGITS[:60])


def test_a_file_does_not_hold_the_function_and_says_so(tmp_path):
    net = ReduNet(n_layers=1, augment=noisy).fit(FEW)
    with pytest.raises(TypeError, match="augment"):
        net.save(tmp_path / "features.redunet")
    net.set_params(augment=None).save(tmp_path / "features.redunet")
    assert_array_equal(redunet.load(tmp_path / "features.redunet").transform(FEW), net.transform(FEW))
