"""Samples that come later, from elsewhere, and out again: the same as all at once, or never."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import redunet
from redunet import Lift, PooledLift, ReduNet, ReduNetClassifier
from redunet.inputs.errors import InputError, InputTypeError

SHAPES = {None: (5,), "shift": (2, 7), "translation": (2, 4, 5)}
CLASSES = ["a", "b", "c"]


def samples_of(invariance, n=60, seed=0):
    """Noisy samples around a pattern of each of three classes."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % 3)
    patterns = rng.standard_normal((3, *SHAPES[invariance]))
    return patterns[codes] + 0.7 * rng.standard_normal((n, *SHAPES[invariance])), np.array(CLASSES)[codes]


def lift_fitted_on(X):
    return Lift("random", 4, 3, random_state=0).fit_samples(X, np.ones(len(X)))


def learner(invariance, X, **options):
    """A classifier whose way of letting samples enter is given."""
    given = {"affine": 2.0} if invariance is None else {"lift": lift_fitted_on(X)}
    return ReduNetClassifier(invariance, construction="moments", **given | options)


def assert_same(one, other, X, atol=1e-10):
    """Operators of all layers agree, and predictions are equal."""
    assert_array_equal(one.classes_, other.classes_)
    assert one.n_layers_ == other.n_layers_
    for layer, twin in zip(one.network_.layers, other.network_.layers, strict=True):
        scale = np.abs(layer.expansion).max()
        assert_allclose(layer.expansion, twin.expansion, atol=atol * scale)
        assert_allclose(layer.compression, twin.compression, atol=atol * scale)
    if hasattr(one, "predict"):
        assert (one.rank_, one.membership_) == (other.rank_, other.membership_)
        assert_array_equal(one.predict(X), other.predict(X))
        assert_allclose(one.distances(X), other.distances(X), atol=1e-5)
        # How sure to be is rounded to three digits, which may be different ones by a rounding error before.
        assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=5e-3)
    else:
        assert_allclose(one.transform(X), other.transform(X), atol=1e-8)


OPTIONS = st.sampled_from(
    [
        {},
        {"n_layers": 3, "membership": "subspace", "rank": 2},
        {"n_layers": 3, "membership": "softmax", "momentum": "nesterov"},
        {"n_layers": 2, "membership": "code", "eps": 0.5},
        {"n_layers": 0, "evidence_samples": 10},
    ]
)
INVARIANCES = st.sampled_from([None, "shift", "translation"])


@given(INVARIANCES, OPTIONS, st.integers(0, 99), st.lists(st.integers(1, 59), min_size=1, max_size=5))
def test_parts_in_any_order_are_one_call(invariance, options, seed, cuts):
    X, y = samples_of(invariance, seed=seed)
    together = learner(invariance, X, **options).fit(X, y)
    apart = learner(invariance, X, **options)
    for part in np.split(np.random.default_rng(seed).permutation(60), sorted(set(cuts))):
        apart.partial_fit(X[part], y[part], classes=CLASSES)
    assert_same(apart, together, samples_of(invariance, seed=seed + 1)[0])


@given(st.integers(0, 99), st.sampled_from([None, "shift"]))
def test_features_of_parts_are_those_of_one_call(seed, invariance):
    X, y = samples_of(invariance, seed=seed)
    options = {"construction": "moments", "n_layers": 4, "affine": 1.5}
    together, apart = ReduNet(invariance, **options).fit(X, y), ReduNet(invariance, **options)
    for part in np.array_split(np.random.default_rng(seed).permutation(60), 4):
        apart.partial_fit(X[part], y[part], classes=CLASSES)
    assert_same(apart, together, X)


@given(INVARIANCES, OPTIONS, st.integers(0, 99))
def test_adding_a_class_later_is_having_had_it(invariance, options, seed):
    X, y = samples_of(invariance, seed=seed)
    later = y == "b"
    grown = learner(invariance, X, **options).partial_fit(X[~later], y[~later])
    assert_array_equal(grown.classes_, ["a", "c"])
    grown.add_classes(["b"]).partial_fit(X[later], y[later])
    assert_same(grown, learner(invariance, X, **options).fit(X, y), X)


@given(INVARIANCES, OPTIONS, st.integers(0, 99))
def test_merging_models_is_fitting_all_their_samples(invariance, options, seed):
    X, y = samples_of(invariance, seed=seed)
    parts = np.array_split(np.random.default_rng(seed).permutation(60), 3)
    models = [learner(invariance, X, **options).partial_fit(X[part], y[part], CLASSES) for part in parts]
    together = learner(invariance, X, **options).fit(X, y)
    assert_same(learner(invariance, X, **options).merge(*models), together, X)
    assert_same(models[0].merge(*models[1:]), together, X)


@given(INVARIANCES, OPTIONS, st.integers(0, 99), st.integers(1, 30))
def test_forgetting_is_never_having_seen(invariance, options, seed, n_forgotten):
    X, y = samples_of(invariance, seed=seed)
    model = learner(invariance, X, **options).partial_fit(X, y)
    model.forget(X[:n_forgotten], y[:n_forgotten])
    never = learner(invariance, X, **options).partial_fit(X[n_forgotten:], y[n_forgotten:], classes=CLASSES)
    if options.get("evidence_samples") is None:  # a full reservoir takes no other samples for those that went
        assert_same(model, never, X, atol=1e-8)
    else:
        assert_allclose(model.moments_.M, never.moments_.M, atol=1e-12)


def test_whole_weights_are_repetitions():
    X, y = samples_of(None)
    weights = np.arange(60) % 3
    weighted = learner(None, X).partial_fit(X, y, sample_weight=weights)
    repeated = learner(None, X).partial_fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_allclose(weighted.moments_.M, repeated.moments_.M, atol=1e-12)
    assert_array_equal(weighted.moments_.reservoir.keys, repeated.moments_.reservoir.keys)
    assert_same(weighted, repeated, X)


def test_without_layers_moments_are_all_that_samples_give():
    X, y = samples_of(None, 300)
    for options in ({}, {"membership": "code"}, {"membership": "regression"}):
        moments = ReduNetClassifier(construction="moments", n_layers=0, **options).fit(X, y)
        samples = ReduNetClassifier(n_layers=0, **options).fit(X, y)
        assert_allclose(moments.distances(X), samples.distances(X), atol=1e-8)
        assert moments.loo_score_ == samples.loo_score_


def test_with_an_invariance_the_answer_does_not_change_by_a_bit():
    X, y = samples_of("shift")
    model = learner("shift", X, n_layers=3).fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    for by in range(7):
        assert_array_equal(model.predict_proba(np.roll(X, by, axis=-1)), model.predict_proba(X))


def test_a_class_without_samples_is_never_the_answer():
    X, y = samples_of(None)
    model = learner(None, X).partial_fit(X[y != "b"], y[y != "b"], classes=CLASSES)
    assert_array_equal(model.predict_proba(X)[:, 1], 0)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert np.isinf(model.distances(X)[:, 1]).all()
    assert set(model.predict(X)) == {"a", "c"}
    model.forget(X[y == "a"], y[y == "a"])  # one class is left
    assert set(model.predict(X)) == {"c"}
    assert model.n_layers_ == 0
    model.partial_fit(X[y != "c"], y[y != "c"])
    assert_same(model, learner(None, X).fit(X, y), X)


@pytest.mark.parametrize("kinds", [(object, str), (str, object), (object, object)])
def test_labels_may_be_held_as_text_or_as_objects(kinds):
    X, y = samples_of(None)
    model = learner(None, X)
    for part, kind in zip(np.array_split(np.arange(60), 2), kinds, strict=True):
        model.partial_fit(X[part], y[part].astype(kind), classes=None if part[0] else np.array(CLASSES, dtype=kinds[0]))
    model.add_classes(np.array(["d"], dtype=kinds[1]))
    assert model.classes_.tolist() == [*CLASSES, "d"]
    expected = learner(None, X).partial_fit(X, y, [*CLASSES, "d"])
    assert model.predict(X).tolist() == expected.predict(X).tolist()
    assert model.score(X, y.astype(object)) == expected.score(X, y)


def test_lifts_are_learned_in_the_first_call_and_stay():
    X, y = samples_of("shift")
    lift = Lift("random", 4, 3, random_state=0)
    model = ReduNetClassifier("shift", lift=lift, construction="moments").partial_fit(X[:30], y[:30], CLASSES)
    level = model.lift_.bank_.level
    model.partial_fit(X[30:] * 5 + 1, y[30:])
    assert model.lift_.bank_.level == level
    model.set_params(lift=Lift("random", 8, 3))
    with pytest.raises(InputError, match="is not what it was in the first call"):
        model.partial_fit(X, y)


def test_it_survives_a_file(tmp_path):
    X, y = samples_of("shift")
    model = learner("shift", X, n_layers=2).partial_fit(X[:30], y[:30], [*CLASSES, "d"])
    model.save(tmp_path / "m.redunet")
    loaded = redunet.load(tmp_path / "m.redunet")
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    for one in (model, loaded):
        one.partial_fit(X[30:], y[30:]).forget(X[:5], y[:5])
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert_same(loaded, learner("shift", X, n_layers=2).partial_fit(X[5:], y[5:], [*CLASSES, "d"]), X)


def test_nothing_is_kept_of_the_samples_where_none_are_asked_for():
    X, y = samples_of(None)
    model = learner(None, X, evidence_samples=0).fit(X, y)
    assert len(model.moments_.reservoir.samples) == 0
    assert np.isnan(model.loo_score_)
    assert model.score(X, y) > 0.7


def test_other_numbers_of_evidence_samples_may_be_merged():
    X, y = samples_of(None)
    one, other = learner(None, X, evidence_samples=0).fit(X[:30], y[:30]), learner(None, X).fit(X[30:], y[30:])
    one.merge(other)
    assert len(one.moments_.reservoir.samples) == 0
    assert_allclose(one.moments_.M, learner(None, X).fit(X, y).moments_.M, atol=1e-12)


def test_pooled_features_can_be_gathered_where_they_are_few():
    X, y = samples_of("shift")
    lift = PooledLift(1, 1, difference=False).fit(X)
    together = ReduNetClassifier("shift", lift=lift, construction="moments").fit(X, y)
    apart = ReduNetClassifier("shift", lift=lift, construction="moments")
    for part in np.array_split(np.arange(60), 3):
        apart.partial_fit(X[part], y[part], CLASSES)
    assert together.membership_ == "regression"
    assert_array_equal(apart.predict(X), together.predict(X))


def test_single_precision_is_learned_from_moments_too():
    X, y = samples_of("shift")
    double = learner("shift", X, n_layers=2).fit(X, y)
    single = learner("shift", X, n_layers=2).fit(X.astype(np.float32), y)
    assert single.network_.layers[0].expansion.dtype == np.complex64
    assert_array_equal(single.predict(X.astype(np.float32)), double.predict(X))


def test_a_refit_from_samples_keeps_no_moments():
    X, y = samples_of(None)
    model = learner(None, X).partial_fit(X[y != "b"], y[y != "b"], classes=CLASSES)
    model.set_params(construction="samples").fit(X, y)
    assert model.moments_ is None
    assert_array_equal(model.predict(X), ReduNetClassifier(affine=2.0).fit(X, y).predict(X))
    assert not hasattr(model, "partial_fit")
    model.set_params(construction="moments")
    with pytest.raises(InputError, match="keeps no moments; fit it with construction='moments' first"):
        model.partial_fit(X, y)


def test_what_does_not_go_together_says_what_helps():
    X, y = samples_of(None)
    model = learner(None, X)
    with pytest.raises(AttributeError) as error:
        ReduNetClassifier().partial_fit(X, y)
    assert "so that no samples can be added to it or taken out; pass construction='moments'" in str(
        error.value.__cause__
    )
    model.partial_fit(X[:30], y[:30], classes=CLASSES)
    with pytest.raises(
        InputError, match=r"holds the label 'z', which is none of the 3 classes; call add_classes\(\['z'\]\)"
    ):
        model.partial_fit(X, np.where(y == "a", "z", y))
    with pytest.raises(InputError, match="the labels 'a' are text but 0 are numbers"):
        model.partial_fit(X, np.arange(60) % 3)
    with pytest.raises(InputError, match="classes was given in the first call, and these are others"):
        model.partial_fit(X, y, classes=["a", "b"])
    with pytest.raises(InputError, match="classes must be a list of labels"):
        learner(None, X).partial_fit(X, y, classes="abc")
    with pytest.raises(ValueError, match="X has 4 features, but ReduNetClassifier is expecting 5"):
        model.partial_fit(X[:, :4], y)
    with pytest.raises(InputError, match="no sample would be left"):
        model.forget(X[:30], y[:30])
    with pytest.raises(InputError, match="nothing to merge"):
        learner(None, X).merge()
    with pytest.raises(InputError, match=r"constant coordinates are 2 and 3, each learned .* such as affine=2"):
        model.merge(learner(None, X, affine=3.0).fit(X, y))
    with pytest.raises(InputTypeError, match="only models of one class can be merged: this is ReduNetClassifier"):
        model.merge(ReduNet(construction="moments").fit(X, y))
    with pytest.raises(InputError, match="groups cannot be left out with construction='moments'"):
        learner(None, X).fit(X, y, groups=np.arange(60))
    with pytest.raises(InputError, match="warm_start is for layers that are built from samples"):
        learner(None, X, warm_start=True).fit(X, y)
    with pytest.raises(InputError, match="checkpoint is for layers that are built from samples"):
        learner(None, X).fit(X, y, checkpoint="somewhere")
    with pytest.raises(InputError, match="construction must be one of 'samples', 'moments', got 'sampels'"):
        ReduNetClassifier(construction="sampels").fit(X, y)
    S, t = samples_of("shift")
    with pytest.raises(
        InputError, match=r"lift was fitted on samples of shape \(2, 7\) but X has samples of shape \(2, 5\)"
    ):
        learner("shift", S).fit(S[:, :, :5], t)
    with pytest.raises(InputError, match="samples enter them in different ways"):
        learner("shift", S).fit(S, t).merge(learner("shift", 3 * S + 1).fit(S, t))


def test_a_call_that_fails_changes_nothing():
    X, y = samples_of(None)
    model = learner(None, X).partial_fit(X[:30], y[:30], classes=CLASSES)
    before, moments = model.predict_proba(X), model.moments_
    for wrong in (lambda: model.partial_fit(X, np.arange(60)), lambda: model.forget(X[40:], y[40:])):
        with pytest.raises(InputError):
            wrong()
    assert model.moments_ is moments
    assert_array_equal(model.predict_proba(X), before)


def test_moments_that_would_not_fit_into_memory_are_refused(monkeypatch):
    X, y = samples_of(None)
    monkeypatch.setattr("redunet.network.memory.free_memory", lambda: 1000)
    with pytest.raises(MemoryError, match=r"keeps 1 × 6 × 6 numbers for each of 3 classes.*construction='samples'"):
        learner(None, X).fit(X, y)
