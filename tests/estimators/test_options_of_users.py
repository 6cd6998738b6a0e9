"""What users of scikit-learn expect of class_weight, n_jobs, metadata routing and names of features."""

import threading
from typing import ClassVar

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import redunet
from redunet import Lift, NearestSubspaceClassifier, PolarGrid, PooledLift, ReduNet, ReduNetClassifier
from redunet.evidence.calibration import OFFSET_PULL, calibrate
from redunet.fast import threads
from redunet.inputs.class_weights import weights_of_classes
from redunet.inputs.labels import Labels

rng = np.random.default_rng(0)
Y = np.repeat([0, 1], [60, 20])
X = rng.standard_normal((80, 4)) + 0.7 * Y[:, None] * np.array([1, 0, 1, 0])
CLASSIFIERS = [ReduNetClassifier, NearestSubspaceClassifier]


# --- class_weight -----------------------------------------------------------------------------------------------------


def test_weights_of_classes_are_those_of_scikit_learn():
    labels = Labels.of(*np.unique(np.array(["a", "b", "a", "c"]), return_inverse=True))
    weight = np.array([1.0, 2.0, 1.0, 0.5])
    balanced = weights_of_classes("balanced", labels, weight)
    assert_allclose(np.bincount(labels.codes, weight * balanced[labels.codes]), np.full(3, 1.5))
    assert_array_equal(weights_of_classes({"b": 3, "a": 0.5}, labels, weight), [0.5, 3, 1])
    assert_array_equal(weights_of_classes(None, labels, weight), np.ones(3))


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_a_class_that_counts_more_is_answered_more_often(estimator):
    shares = [
        np.mean(estimator(class_weight=weight).fit(X, Y).predict(X) == 1)
        for weight in ({0: 30.0}, None, {1: 30.0}, {0: 0.01, 1: 100.0})
    ]
    assert shares[0] < shares[1] < shares[2] < shares[3]


@pytest.mark.parametrize("membership", ["subspace", "code", "regression"])
def test_balanced_classes_are_found_equally_often(membership):
    new = np.repeat([0, 1], 2000)
    X_new = rng.standard_normal((4000, 4)) + 0.7 * new[:, None] * np.array([1, 0, 1, 0])

    def difference(class_weight):
        clf = ReduNetClassifier(membership=membership, n_layers=0, class_weight=class_weight).fit(X, Y)
        correct = clf.predict(X_new) == new
        return abs(correct[new == 0].mean() - correct[new == 1].mean())

    assert difference("balanced") < max(difference(None), 0.35)


def test_offsets_of_classes_are_those_that_weighted_labels_ask_for():
    distances = 2 * rng.standard_normal((30_000, 3))
    p = np.exp(-1.5 * distances + np.array([1.0, 0.0, -1.0]))
    codes = (p.cumsum(axis=1) > p.sum(axis=1, keepdims=True) * rng.uniform(size=(len(p), 1))).argmax(axis=1)
    found = calibrate(distances, codes, np.ones(len(p)), with_offsets=True)
    assert OFFSET_PULL > 0  # so that their mean is 0
    assert_allclose(found.sharpness, 1.5, rtol=0.05)
    assert_allclose(found.offsets * found.sharpness, [1, 0, -1], atol=0.06)


def test_weights_of_classes_after_layers_and_in_files(tmp_path):
    clf = ReduNetClassifier(n_layers=2, membership="softmax", tol=None, class_weight={0: 1, 1: 20.0}).fit(X, Y)
    plain = clone(clf).set_params(class_weight=None).fit(X, Y)
    assert np.mean(clf.predict(X) == 1) > np.mean(plain.predict(X) == 1)
    clf.save(tmp_path / "m.redunet")
    loaded = redunet.load(tmp_path / "m.redunet")
    assert loaded.class_weight == {0: 1, 1: 20.0}
    assert_array_equal(loaded.predict_proba(X), clf.predict_proba(X))


@pytest.mark.parametrize("estimator", [ReduNet, *CLASSIFIERS])
@pytest.mark.parametrize(
    ("weight", "error", "message"),
    [
        (
            "balnced",
            TypeError,
            r"class_weight must be None, 'balanced' or a dict .*, got 'balnced'\. Did you mean 'bal",
        ),
        ([1, 2], TypeError, r"class_weight must be None, 'balanced' or a dict of weights by label, got \[1, 2\]\."),
        (
            {0: 0.0},
            ValueError,
            r"class_weight must hold weights > 0, got 0\.0 for class 0; to leave a class out, remove",
        ),
        ({0: "1"}, ValueError, "class_weight must hold weights > 0, got '1' for class 0"),
        (
            {"0": 2.0},
            ValueError,
            r"class_weight names class '0', which is not in y, and not class 0, which is; name the ",
        ),
    ],
)
def test_wrong_weights_of_classes(estimator, weight, error, message):
    with pytest.raises(error, match=message):
        estimator(class_weight=weight).fit(X, Y)


def test_a_class_that_is_not_in_this_part_of_the_data_may_have_a_weight():
    assert ReduNetClassifier(class_weight={0: 1.0, 1: 2.0, 2: 3.0}).fit(X, Y).predict(X).max() <= 1


def test_weights_of_classes_do_not_make_a_class_of_one_sample_two():
    with pytest.raises(ValueError, match="class 1 has one sample"):
        ReduNetClassifier(class_weight={1: 5.0}).fit(X[:61], Y[:61])


# --- n_jobs -----------------------------------------------------------------------------------------------------------


def names_of_threads(monkeypatch, n_jobs):
    """Threads that do parts of a computation, where all but one wait for each other."""
    monkeypatch.setattr(threads, "n_threads", lambda: 4)
    monkeypatch.setattr(threads, "_jobs", None)
    seen, together = set(), threading.Barrier(max(1, min(4, n_jobs or 4)))
    with threads.at_most_threads(n_jobs):
        n = threads.n_threads_in_use()

        def work(part):
            seen.add(threading.get_ident())
            if part < n:
                together.wait(10)

        threads.run_parts(work, range(n))
    return len(seen)


@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 4), (1, 1), (2, 2), (3, 3)])
def test_so_many_threads_are_used_and_no_more(monkeypatch, n_jobs, expected):
    assert names_of_threads(monkeypatch, n_jobs) == expected


def test_numbers_of_threads_count_from_the_end_as_in_scikit_learn(monkeypatch):
    monkeypatch.setattr(threads, "n_threads", lambda: 4)
    for n_jobs, expected in [(-1, 4), (-2, 3), (-9, 1), (100, 4)]:
        with threads.at_most_threads(n_jobs):
            assert threads.n_threads_in_use() == expected
    assert threads.n_threads_in_use() == 4


def test_fit_and_predict_use_as_many_threads_as_they_may(monkeypatch):
    used = []
    run = threads.SharedParts.work_off
    monkeypatch.setattr(threads, "n_threads", lambda: 2)
    monkeypatch.setattr(threads.SharedParts, "work_off", lambda self: (used.append(1), run(self)))
    signals = np.random.default_rng(0).standard_normal((300, 2, 64))
    labels = np.arange(300) % 2
    found = {}
    for n_jobs in (1, 2):
        used.clear()
        clf = ReduNetClassifier("shift", n_layers=2, n_jobs=n_jobs, tol=None, membership="softmax").fit(signals, labels)
        found[n_jobs] = (
            clf.predict_proba(signals),
            ReduNet("shift", n_layers=1, n_jobs=n_jobs).fit_transform(signals, labels),
        )
        assert bool(used) == (n_jobs > 1)
    for one, two in zip(found[1], found[2], strict=True):
        assert_array_equal(one, two)


@pytest.mark.parametrize("estimator", [ReduNet, *CLASSIFIERS])
def test_wrong_numbers_of_threads(estimator):
    with pytest.raises(ValueError, match=r"^n_jobs must be a number of threads, -1 for all cores, or None, got 0\.$"):
        estimator(n_jobs=0).fit(X, Y)
    with pytest.raises(TypeError, match=r"^n_jobs must be a whole number or None, got 1\.5 of type float\.$"):
        estimator(n_jobs=1.5).fit(X, Y)


def test_a_fit_goes_on_from_its_checkpoint_with_another_number_of_threads():
    from redunet.storage.fit_identity import parameters_digest

    one = ReduNetClassifier(n_layers=3)
    assert parameters_digest(one) == parameters_digest(clone(one).set_params(n_jobs=1, on_bad_samples="nan", verbose=1))
    assert parameters_digest(one) != parameters_digest(clone(one).set_params(class_weight="balanced"))


# --- metadata routing, names of features ------------------------------------------------------------------------------


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class Seen(ReduNetClassifier):
    """A classifier that remembers what its fits were given."""

    given: ClassVar = []

    def fit(self, X, y, sample_weight=None, *, groups=None, checkpoint=None):
        self.given.append((sample_weight, groups))
        return super().fit(X, y, sample_weight, groups=groups, checkpoint=checkpoint)


@pytest.mark.skipif(sklearn.__version__.startswith("1.6"), reason="its pipelines do not route weights to score")
def test_weights_and_groups_are_routed_through_a_pipeline_in_cross_validation(routing):
    Seen.given.clear()
    groups, weight = np.arange(80) % 8, np.linspace(0.5, 2, 80)
    clf = Seen(n_layers=0).set_fit_request(sample_weight=True, groups=True).set_score_request(sample_weight=True)
    model = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), clf)
    found = cross_validate(
        model, X, Y, cv=GroupKFold(4), params={"sample_weight": weight, "groups": groups}, return_indices=True,
        error_score="raise",
    )  # fmt: skip
    assert np.isfinite(found["test_score"]).all()
    assert len(Seen.given) == 4
    for (given_weight, given_groups), rows in zip(Seen.given, found["indices"]["train"], strict=True):
        assert_array_equal(given_weight, weight[rows])
        assert_array_equal(given_groups, groups[rows])


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_groups_reach_the_evidence_of_either_classifier(routing, estimator):
    clf = estimator().set_fit_request(groups=True)
    own = np.random.default_rng(1)
    person = np.repeat(np.arange(20), 6)
    samples = own.standard_normal((20, 4))[person] + 0.05 * own.standard_normal((120, 4))
    alone = clone(clf).fit(samples, person % 2)
    grouped = make_pipeline(StandardScaler(), clf).fit(samples, person % 2, groups=person)[-1]
    assert grouped.loo_score_ < alone.loo_score_


def test_names_and_numbers_of_features_everywhere():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rng.standard_normal((16, 16)), columns=[f"f{i}" for i in range(16)])
    y = np.arange(16) % 2
    lift = Lift("random", 2, 3, random_state=0)
    for one in (ReduNet(), ReduNetClassifier(), NearestSubspaceClassifier(), PooledLift(1, 1), lift, PolarGrid(2, 4)):
        fitted = clone(one).fit(frame, y)
        assert fitted.n_features_in_ == 16
        assert fitted.feature_names_in_.tolist() == frame.columns.tolist()
        if hasattr(fitted, "transform"):
            assert len(fitted.get_feature_names_out()) == fitted.transform(frame).shape[1]
        else:
            with pytest.raises(ValueError, match="feature names"):
                fitted.predict(frame[frame.columns[::-1]])
    images = frame.to_numpy().reshape(16, 1, 4, 4)
    for one in (ReduNet("translation"), ReduNetClassifier("translation", lift=lift), lift):
        assert clone(one).fit(images, y).n_features_in_ == 16
