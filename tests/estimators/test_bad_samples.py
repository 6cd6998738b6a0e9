"""``on_bad_samples``: rows that cannot be answered do not stop a batch, have NaN, and are counted."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import redunet
from redunet import Lift, NearestSubspaceClassifier, PooledLift, ReduNetClassifier
from redunet.inputs.errors import SilentSampleError, UnansweredSampleWarning, ZeroSampleError

rng = np.random.default_rng(0)
X, Y = rng.standard_normal((20, 2, 12)), np.arange(20) % 2
X[Y == 1, 0] *= 3
TABLE = X.reshape(20, -1)
NAN = {"on_bad_samples": "nan"}


def with_bad_rows(samples):
    """The samples, of which row 2 has NaN, row 5 infinity, row 9 is all zero and row 11 has too large a value."""
    samples = samples.copy()
    samples[2].flat[3], samples[5].flat[0], samples[9], samples[11].flat[1] = np.nan, -np.inf, 0, 1e301
    return samples


GOOD = np.setdiff1d(np.arange(20), [2, 5, 9, 11])
MODELS = {
    "subspaces": lambda: NearestSubspaceClassifier(invariance="shift", **NAN),
    "signals": lambda: ReduNetClassifier("shift", n_layers=0, **NAN),
    "layers": lambda: ReduNetClassifier("shift", n_layers=2, tol=None, **NAN),
    "table": lambda: ReduNetClassifier(affine=False, n_layers=0, **NAN),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("flat", [True, False])
def test_good_rows_have_their_answers_and_bad_ones_have_nan(name, flat):
    clf = MODELS[name]().fit(TABLE if name == "table" else X, Y.astype(float))
    samples = TABLE if flat or name == "table" else X
    bad = with_bad_rows(samples)
    with pytest.warns(
        UnansweredSampleWarning,
        match=r"^4 of 20 samples of X have no answer, and NaN in its place: 2 rows \(first: row 2\) because it has NaN "
        r"or infinity, 1 row \(first: row 11\) because it has values that are too large to be squared, 1 row \(first: "
        r"row 9\) because it is all zero, which has no direction\.$",
    ):
        answers = clf.predict(bad)
    assert np.isnan(answers[[2, 5, 9, 11]]).all()
    assert_array_equal(answers[GOOD], clf.predict(samples[GOOD]))
    with pytest.warns(UnansweredSampleWarning):
        p = clf.predict_proba(bad)
    assert np.isnan(p[[2, 5, 9, 11]]).all()
    assert_array_equal(p[GOOD], clf.predict_proba(samples[GOOD]))
    with pytest.warns(UnansweredSampleWarning):
        assert np.isnan(clf.decision_function(bad)[[2, 5, 9, 11]]).all()
    with pytest.warns(UnansweredSampleWarning):
        assert clf.score(bad, Y.astype(float)) == np.sum(answers == Y) / 20


def test_a_batch_of_good_rows_gives_the_same_bits_and_no_warning():
    one, other = ReduNetClassifier("shift", **NAN).fit(X, Y), ReduNetClassifier("shift").fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_array_equal(one.predict_proba(X), other.predict_proba(X))
        assert one.predict(X).dtype == Y.dtype


def test_zero_has_a_place_with_an_offset():
    clf = ReduNetClassifier(**NAN).fit(TABLE, Y)
    assert np.isfinite(clf.predict_proba(np.zeros((1, 24)))).all()


def test_samples_that_no_filter_responds_to_have_no_answer():
    signals = rng.standard_normal((12, 1, 16))
    clf = ReduNetClassifier("shift", lift=Lift("wavelet", 4, 5), n_layers=0, **NAN).fit(signals, Y[:12])
    constant = signals.copy()
    constant[[3, 8]] = 1
    with pytest.warns(
        UnansweredSampleWarning, match=r"2 rows \(first: row 3\) because no filter responds to it, as to"
    ):
        p = clf.predict_proba(constant)
    assert_array_equal(np.flatnonzero(np.isnan(p[:, 0])), [3, 8])
    with pytest.raises(SilentSampleError):
        clf.set_params(on_bad_samples="error").predict(constant)


def test_signals_of_unequal_lengths_one_of_which_has_a_gap():
    signals = [np.sin(np.arange(n) * (0.3 + 0.5 * (i % 2))) for i, n in enumerate(range(30, 46))]
    clf = ReduNetClassifier("shift", lift=PooledLift(2, 1), **NAN).fit(signals, np.arange(16) % 2)
    gap = [one.copy() for one in signals]
    gap[4][7] = np.nan
    with pytest.warns(UnansweredSampleWarning, match=r"1 row \(first: row 4\) because it has NaN or infinity"):
        p = clf.predict_proba(gap)
    assert_array_equal(np.flatnonzero(np.isnan(p[:, 0])), [4])
    others = [one for i, one in enumerate(signals) if i != 4]
    assert_array_equal(np.delete(p, 4, axis=0), clf.predict_proba(others))


def test_a_batch_without_a_single_good_row():
    clf = ReduNetClassifier("shift", **NAN).fit(X, Y)
    with pytest.warns(UnansweredSampleWarning, match="3 of 3 samples"):
        assert np.isnan(clf.predict_proba(np.zeros((3, 2, 12)))).all()


@pytest.mark.parametrize(
    ("labels", "missing"),
    [
        (Y, None),
        (np.array(["no", "yes"])[Y], None),
        (np.array(["no", "yes"], dtype=object)[Y], None),
        (Y.astype(bool), None),
        (np.array(["2020", "2021"], dtype="M8[Y]")[Y], np.datetime64("NaT")),
    ],
)
def test_the_label_of_a_sample_without_an_answer_is_missing(labels, missing):
    clf = NearestSubspaceClassifier(invariance="shift", **NAN).fit(X, labels)
    with pytest.warns(UnansweredSampleWarning):
        answers = clf.predict(with_bad_rows(X))
    assert answers[2] is None if missing is None else np.isnat(answers[2])
    assert_array_equal(answers[GOOD], clf.predict(X[GOOD]))


def test_by_default_and_in_a_fit_bad_samples_are_errors():
    for value in ("error", "nan"):
        with pytest.raises(ZeroSampleError):
            ReduNetClassifier("shift", on_bad_samples=value).fit(np.zeros((20, 2, 12)), Y)
        with pytest.raises(ValueError, match="X contains NaN"):
            ReduNetClassifier("shift", on_bad_samples=value).fit(np.where(X > 2, np.nan, X), Y)
    with pytest.raises(ValueError, match="X contains NaN"):
        ReduNetClassifier("shift").fit(X, Y).predict(with_bad_rows(X))
    message = r"on_bad_samples must be one of 'error', 'nan', got 'non'\. Did you mean 'nan'"
    for estimator in (ReduNetClassifier, NearestSubspaceClassifier):
        with pytest.raises(ValueError, match=message):
            estimator(on_bad_samples="non").fit(TABLE, Y)


def test_frames_with_gaps_keep_their_names_and_models_their_option(tmp_path):
    pandas = pytest.importorskip("pandas")
    names = [f"c{i}" for i in range(24)]
    clf = ReduNetClassifier(**NAN).fit(pandas.DataFrame(TABLE, columns=names), Y)
    gap = pandas.DataFrame(TABLE, columns=names).astype("Float64")
    gap.loc[3, "c7"] = pandas.NA
    clf.save(tmp_path / "m.redunet")
    for model in (clf, redunet.load(tmp_path / "m.redunet")):
        with pytest.warns(UnansweredSampleWarning):
            assert_array_equal(np.flatnonzero(np.isnan(model.predict_proba(gap)[:, 0])), [3])
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(gap.rename(columns={"c0": "other"}))
