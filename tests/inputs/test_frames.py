"""Frames that are no tables of numbers, and images with their channels last: what was understood, and the remedy."""

import re

import numpy as np
import pytest

from redunet import Lift, NearestSubspaceClassifier, PolarGrid, ReduNet, ReduNetClassifier

pandas = pytest.importorskip("pandas")
rng = np.random.default_rng(0)
SIGNALS, LABELS = rng.standard_normal((8, 2, 12)), np.arange(8) % 2


def nested(cell=np.asarray):
    return pandas.DataFrame({f"dim_{c}": [cell(one) for one in SIGNALS[:, c]] for c in range(2)})


@pytest.mark.parametrize("cell", [np.asarray, list, tuple, pandas.Series])
def test_a_nested_frame_is_refused_with_a_call_that_helps(cell):
    X = nested(cell)
    message = (
        r"X holds an array or a list in each cell \(column 'dim_0'\), and one number is expected there; pass one array "
        r"of shape \(n_samples, n_channels, length\), such as (?P<remedy>.*), or a list of arrays of shape"
    )
    with pytest.raises(ValueError, match=message) as caught:
        ReduNetClassifier("shift").fit(X, LABELS)
    remedy = re.search(message, str(caught.value)).group("remedy")
    np.testing.assert_array_equal(eval(remedy, {"np": np, "X": X}), SIGNALS)
    with pytest.raises(ValueError, match=message):
        NearestSubspaceClassifier(invariance="shift").fit(SIGNALS, LABELS).predict(X)


def test_nested_arrays_and_series_are_refused_in_the_same_way():
    objects = nested().to_numpy()
    with pytest.raises(
        ValueError, match=r"in each cell \(column 0\).* such as np\.array\(.* for row in X\]\), or"
    ) as caught:
        ReduNet("shift").fit(objects, LABELS)
    assert "X.to_numpy" not in str(caught.value)
    series = nested()["dim_0"]
    with pytest.raises(ValueError, match=r"in each cell \(a series\).* such as np\.stack\(X\.tolist\(\)\), or"):
        ReduNet("shift").fit(series, LABELS)


class Partitioned:
    """What a frame of Dask looks like."""

    divisions = (0, 1)
    iloc = dtypes = None

    def __dask_graph__(self):
        return {}

    def compute(self):
        raise AssertionError("nobody asked")


def test_a_frame_of_dask_is_refused_unread():
    for call in (
        lambda: ReduNetClassifier().fit(Partitioned(), LABELS),
        ReduNetClassifier().fit(SIGNALS[:, 0], LABELS).predict,
    ):
        with pytest.raises(
            TypeError, match=r"^X is a Dask Partitioned, which is not in memory; pass X\.compute\(\)\.$"
        ):
            call() if call.__name__ == "<lambda>" else call(Partitioned())
    with pytest.raises(TypeError, match=r"^y is a Dask Partitioned.*pass y\.compute\(\)\.$"):
        ReduNetClassifier().fit(SIGNALS[:, 0], Partitioned())


def test_a_lazy_frame_of_polars_is_refused_unread():
    lazy = type("LazyFrame", (), {"__module__": "polars.lazyframe.frame", "collect": None})()
    with pytest.raises(TypeError, match=r"^X is a polars LazyFrame, which is not computed yet; pass X\.collect\(\)\.$"):
        ReduNetClassifier().fit(lazy, LABELS)


def test_frames_of_polars_are_read():
    polars = pytest.importorskip("polars")
    names = [f"c{i}" for i in range(12)]
    X = polars.DataFrame(dict(zip(names, SIGNALS[:, 0].T, strict=True)))
    clf = ReduNetClassifier().fit(X, polars.Series(LABELS.tolist()))
    assert clf.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(clf.predict(X), ReduNetClassifier().fit(SIGNALS[:, 0], LABELS).predict(SIGNALS[:, 0]))
    with pytest.raises(ValueError, match=r"in each cell \(column 'a'\)"):
        ReduNetClassifier("shift").fit(polars.DataFrame({"a": SIGNALS[:, 0].tolist()}), LABELS)


def test_columns_of_text_keep_the_error_of_scikit_learn():
    with pytest.raises(ValueError, match="could not convert string to float"):
        ReduNetClassifier().fit(pandas.DataFrame({"a": list("abcdefgh"), "b": 1.0}), LABELS)


# --- channels last ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_channels", [1, 3, 4])
@pytest.mark.parametrize("estimator", [ReduNet, ReduNetClassifier, NearestSubspaceClassifier, Lift])
def test_images_with_their_channels_last_are_refused_with_the_remedy(estimator, n_channels):
    X = rng.standard_normal((6, 8, 9, n_channels))
    message = (
        rf"^X has samples of shape \(8, 9, {n_channels}\), which is read as 8 channels of 9 × {n_channels}; the "
        rf"channels seem to come last\. Pass np\.moveaxis\(X, -1, 1\), or sample_shape=\(8, 9, {n_channels}\) if the "
        r"channels do come first\.$"
    )
    with pytest.raises(ValueError, match=message):
        estimator(invariance="translation").fit(X, LABELS[:6])


def test_one_can_insist_on_channels_first_and_what_is_in_doubt_is_read_as_before():
    X = rng.standard_normal((6, 8, 9, 3))
    clf = NearestSubspaceClassifier(invariance="translation", sample_shape=(8, 9, 3)).fit(X, LABELS[:6])
    assert clf.sample_shape_ == (8, 9, 3)
    moved = NearestSubspaceClassifier(invariance="translation").fit(np.moveaxis(X, -1, 1), LABELS[:6])
    assert moved.sample_shape_ == (3, 8, 9)
    for shape in [(4, 9, 3), (8, 9, 5), (2, 9, 3), (8, 4, 4), (7, 8, 3)]:
        found = NearestSubspaceClassifier(invariance="translation").fit(rng.standard_normal((6, *shape)), LABELS[:6])
        assert found.sample_shape_ == shape


def test_volumes_with_their_channels_last_are_refused():
    with pytest.raises(ValueError, match=r"which is read as 8 channels of 9 × 8 × 3; the channels seem to come last"):
        ReduNet("translation").fit(rng.standard_normal((6, 8, 9, 8, 3)), LABELS[:6])


def test_new_images_with_their_channels_last_are_not_to_be_reshaped():
    X = rng.standard_normal((6, 3, 8, 9))
    clf = NearestSubspaceClassifier(invariance="translation").fit(X, LABELS[:6])
    with pytest.raises(
        ValueError, match=r"shape \(8, 9, 3\) but fit saw \(3, 8, 9\); pass np\.moveaxis\(X, -1, 1\)\.$"
    ):
        clf.predict(np.moveaxis(X, 1, -1))
    with pytest.raises(ValueError, match=r"but fit saw \(3, 8, 9\); pass X\.reshape\(len\(X\), \*\(3, 8, 9\)\)\.$"):
        clf.predict(X.reshape(6, 3, 9, 8))


def test_rings_still_say_that_they_take_one_channel():
    with pytest.raises(ValueError, match="rings take square images of one channel"):
        PolarGrid(3, 8).fit(rng.standard_normal((4, 3, 8, 8)))
