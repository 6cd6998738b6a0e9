"""Training samples without labels: what they change, what they leave as it is, and when they are refused."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from redunet import ReduNetClassifier, load
from redunet.data.motifs import motifs_in_noise
from redunet.evidence import transduction
from redunet.inputs.errors import InputError, OneClassError


def digits(n_labels, n_unlabelled=400, seed=0):
    """Digits of which a few of each class have labels; then their true labels, and others to test on."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(X))
    labelled = np.concatenate([order[y[order] == j][:n_labels] for j in range(10)])
    rest = np.setdiff1d(order, labelled, assume_unique=True)
    rows = np.concatenate([labelled, rest[:n_unlabelled]])
    marked = np.where(np.arange(len(rows)) < len(labelled), y[rows], -1)
    return X[rows], marked, y[rows], X[rest[n_unlabelled:]], y[rest[n_unlabelled:]]


def images(n_labels=6):
    """Bars that stand or lie, at random places, with noise; a few have labels."""
    rng = np.random.default_rng(0)
    X = 0.3 * rng.standard_normal((40, 8, 8))
    y = np.arange(40) % 2
    for image, code in zip(X, y, strict=True):
        image[(slice(1, 6), 3) if code else (3, slice(1, 6))] += 1
        image[:] = np.roll(image, rng.integers(8, size=2), axis=(0, 1))
    return X, np.where(np.arange(40) < n_labels, y, -1), y


def answers(model, X):
    return model.distances(X)


@pytest.fixture(scope="module")
def fitted():
    X, y, true, X_test, y_test = digits(5)
    return ReduNetClassifier(unlabelled=-1).fit(X, y), X, y, true, X_test, y_test


def test_unlabelled_samples_help_where_few_have_labels(fitted):
    model, X, y, _, X_test, y_test = fitted
    plain = ReduNetClassifier().fit(X[y >= 0], y[y >= 0])
    assert model.uses_unlabelled_
    without, joined = model.unlabelled_losses_
    assert joined < without
    assert model.score(X_test, y_test) > plain.score(X_test, y_test) + 0.02


def test_the_transduction_keeps_given_labels_and_answers_the_others(fitted):
    model, X, y, _, _, _ = fitted
    assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
    assert_array_equal(model.transduction_[y < 0], model.predict(X[y < 0]))


def test_one_label_of_each_class_is_enough():
    X, y, _, X_test, y_test = digits(1)
    model = ReduNetClassifier(unlabelled=-1).fit(X, y)
    assert model.uses_unlabelled_
    assert np.isnan(model.unlabelled_losses_).all()  # nothing could be left out
    assert np.isnan(model.loo_score_)
    twice = np.flatnonzero(np.concatenate([y >= 0, y >= 0])) % len(y)
    plain = ReduNetClassifier().fit(X[twice], y[twice])
    assert model.score(X_test, y_test) > plain.score(X_test, y_test) + 0.1


def test_no_unlabelled_sample_is_the_plain_fit():
    X, _, true, X_test, _ = digits(4, 10)
    plain, marked = ReduNetClassifier().fit(X, true), ReduNetClassifier(unlabelled=-1).fit(X, true)
    assert_array_equal(answers(marked, X_test), answers(plain, X_test))  # the same bits
    assert_array_equal(marked.transduction_, true)
    assert not marked.uses_unlabelled_
    assert plain.transduction_ is None


def test_samples_of_weight_zero_do_not_join():
    X, y, _, X_test, _ = digits(4, 30)
    weight = (y >= 0).astype(float)
    model = ReduNetClassifier(unlabelled=-1).fit(X, y, weight)
    assert_array_equal(answers(model, X_test), answers(ReduNetClassifier().fit(X[y >= 0], y[y >= 0]), X_test))
    assert_array_equal(model.transduction_[y < 0], model.predict(X[y < 0]))


def test_samples_that_do_not_help_are_refused_and_the_plain_fit_is_kept(capsys):
    X, y, *_ = digits(8, 300)
    unlabelled = np.flatnonzero(y < 0)
    X[unlabelled] += X[np.random.default_rng(0).permutation(unlabelled)]  # two digits in one: of no class
    model = ReduNetClassifier(unlabelled=-1, verbose=1).fit(X, y)
    assert not model.uses_unlabelled_
    without, joined = model.unlabelled_losses_
    assert joined >= without
    assert "stay out" in capsys.readouterr().err
    plain = ReduNetClassifier().fit(X[y >= 0], y[y >= 0])
    assert_array_equal(answers(model, X), answers(plain, X))  # the same bits
    assert model.loo_score_ == plain.loo_score_
    assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
    assert_array_equal(model.transduction_[unlabelled], plain.predict(X[unlabelled]))


def test_a_random_state_is_left_as_the_plain_fit_leaves_it():
    X, y, _ = images()
    rng = np.random.default_rng(1)
    X[y < 0] = rng.standard_normal(X[y < 0].shape)
    drawn = [np.random.RandomState(3), np.random.RandomState(3)]
    model = ReduNetClassifier("translation", unlabelled=-1, random_state=drawn[0]).fit(X, y)
    assert not model.uses_unlabelled_
    plain = ReduNetClassifier("translation", random_state=drawn[1]).fit(X[y >= 0], y[y >= 0])
    assert_array_equal(answers(model, X), answers(plain, X))  # the same bits
    assert drawn[0].randint(10**9) == drawn[1].randint(10**9)


def test_shifts_of_unlabelled_samples_change_nothing():
    X, y, _ = images(n_labels=2)
    moved = X.copy()
    rng = np.random.default_rng(5)
    for i in np.flatnonzero(y < 0):
        moved[i] = np.roll(X[i], rng.integers(8, size=2), axis=(0, 1))
    models = [ReduNetClassifier("translation", unlabelled=-1).fit(samples, y) for samples in (X, moved)]
    assert models[0].uses_unlabelled_
    assert not np.array_equal(X, moved)
    assert_array_equal(answers(models[0], X), answers(models[1], X))  # the same bits
    assert_array_equal(models[0].transduction_, models[1].transduction_)


def test_the_order_of_samples_does_not_matter(fitted):
    model, X, y, _, X_test, _ = fitted
    order = np.random.default_rng(1).permutation(len(y))
    other = ReduNetClassifier(unlabelled=-1).fit(X[order], y[order])
    assert_allclose(other.unlabelled_losses_, model.unlabelled_losses_, atol=1e-4)
    assert_array_equal(other.transduction_, model.transduction_[order])
    assert_allclose(answers(other, X_test), answers(model, X_test), atol=1e-5)


def test_the_expected_accuracy_is_that_of_labels_that_had_no_part(fitted):
    model, _, y, _, X_test, y_test = fitted
    n = (y >= 0).sum()
    assert abs(model.loo_score_ - model.score(X_test, y_test)) < 0.1
    assert_allclose(model.loo_score_ * n, np.round(model.loo_score_ * n))  # a share of the labelled samples


def test_the_evidence_counts_labelled_samples_alone(fitted):
    model, _, y, _, _, _ = fitted
    assert model.evidence_.n_samples == (y >= 0).sum()


def test_signals_take_both_answers():
    X, y, _ = motifs_in_noise(30, 64, 16, 0.3, random_state=0)
    marked = y.astype(object)
    few = np.concatenate([np.flatnonzero(y == label)[:4] for label in np.unique(y)])
    marked[np.setdiff1d(np.arange(len(y)), few)] = None
    model = ReduNetClassifier("shift", unlabelled=float("nan")).fit(X, marked)
    assert_array_equal(model.transduction_[few], y[few])
    assert_array_equal(model.classes_, np.unique(y))
    assert_array_equal(model.predict(np.roll(X, 5, axis=-1)), model.predict(X))


def test_layers_can_be_built_from_all_samples():
    X, y, _, X_test, y_test = digits(6, 150)
    model = ReduNetClassifier(unlabelled=-1, n_layers=2).fit(X, y)
    assert model.n_layers_ == 2
    assert model.score(X_test, y_test) > 0.8


@pytest.mark.parametrize("options", [{"class_weight": "balanced"}, {"standardise": True}, {"membership": "regression"}])
def test_other_options_go_with_it(options):
    X, y, _, X_test, y_test = digits(5, 200)
    model = ReduNetClassifier(unlabelled=-1, **options).fit(X + 1, y)
    assert model.score(X_test + 1, y_test) > 0.75


def test_a_class_is_never_emptied():
    X, y, _, _, _ = digits(2, 100)
    network = ReduNetClassifier().fit(X, np.arange(len(y)) % 2).network_
    asked = transduction.Asked(ReduNetClassifier()._recipe(), "subspace", transduction.Choices(None, None))
    V = network.entered(X)
    found = transduction.PartlyLabelledSet(network, V, y, np.ones(len(y)), asked).memberships()
    assert_array_equal(found.codes[y >= 0], y[y >= 0])
    assert_array_equal(found.sureness[y >= 0], 1)
    assert ((found.sureness >= 0) & (found.sureness <= 1)).all()


def test_folds_leave_every_class_a_label():
    X, y, _, _, _ = digits(3, 50)
    network = ReduNetClassifier().fit(X, np.arange(len(y)) % 2).network_
    asked = transduction.Asked(ReduNetClassifier()._recipe(), "subspace", transduction.Choices(None, None))
    folds = list(transduction.PartlyLabelledSet(network, network.entered(X), y, np.ones(len(y)), asked)._folds())
    assert_array_equal(np.sort(np.concatenate(folds)), np.flatnonzero(y >= 0))
    for fold in folds:
        assert set(y[np.setdiff1d(np.flatnonzero(y >= 0), fold)]) == set(range(10))


def test_models_with_unlabelled_samples_are_stored(tmp_path, fitted):
    model, X, *_ = fitted
    model.save(tmp_path / "model.redunet")
    for again in (load(tmp_path / "model.redunet"), pickle.loads(pickle.dumps(model))):
        assert_array_equal(again.transduction_, model.transduction_)
        assert again.uses_unlabelled_
        assert_array_equal(again.unlabelled_losses_, model.unlabelled_losses_)
        assert_array_equal(answers(again, X), answers(model, X))


def test_a_fit_without_labels_is_refused():
    with pytest.raises(InputError, match="y has no label: each of its 4 values is unlabelled=-1"):
        ReduNetClassifier(unlabelled=-1).fit(np.eye(4), [-1] * 4)


def test_a_fit_with_labels_of_one_class_is_refused():
    with pytest.raises(OneClassError):
        ReduNetClassifier(unlabelled=-1).fit(np.eye(4), [1, 1, -1, -1])


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"construction": "moments"}, "construction='moments'"),
        ({"kernel": "rbf"}, "kernel='rbf'"),
        ({"warm_start": True}, "warm_start=True"),
    ],
)
def test_options_that_it_does_not_go_with_are_refused(options, named):
    with pytest.raises(InputError, match=f"unlabelled .*{named}"):
        ReduNetClassifier(unlabelled=-1, **options).fit(np.eye(4), [0, 0, 1, 1])


def test_groups_are_refused():
    X, y, *_ = digits(2, 10)
    with pytest.raises(InputError, match="groups"):
        ReduNetClassifier(unlabelled=-1).fit(X, y, groups=np.arange(len(y)) % 3)


def test_blocks_are_refused():
    with pytest.raises(InputError, match="blocks"):
        ReduNetClassifier(unlabelled=-1).fit_blocks(None)


def test_wrong_numbers_of_labels_are_refused():
    with pytest.raises(InputError, match="5 labels"):
        ReduNetClassifier(unlabelled=-1).fit(np.eye(4), [0, 0, 1, 1, -1])
