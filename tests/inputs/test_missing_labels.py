"""Labels that are not there are refused with their rows, whatever holds them."""

import numpy as np
import pytest

from redunet import NearestSubspaceClassifier, ReduNet, ReduNetClassifier, rate_reduction
from redunet.inputs.errors import MissingLabelError
from redunet.inputs.missing_labels import is_missing

pandas = pytest.importorskip("pandas")
X = np.random.default_rng(0).standard_normal((6, 3))
MESSAGE = (
    r"^y contains NaN, None, NaT or NA where a label should be, in 2 of its rows \(first: row 1\); remove those rows, "
    r"or fill the labels in\.$"
)
NUMBERS = [0, None, 1, 0, None, 1]
WORDS = ["a", None, "b", "a", None, "b"]
GAPS = {
    "list with None": WORDS,
    "list with NaN": ["a", float("nan"), "b", "a", np.nan, "b"],
    "tuple of numbers": tuple(NUMBERS),
    "floats": np.array([0, np.nan, 1, 0, np.nan, 1]),
    "a column of floats": np.array([[0, np.nan, 1, 0, np.nan, 1]]).T,
    "objects": np.array(WORDS, dtype=object),
    "objects with NaN": np.array(["a", np.nan, "b", "a", np.nan, "b"], dtype=object),
    "times": np.array(["2020", "NaT", "2021", "2020", "NaT", "2021"], dtype="M8[D]"),
    "masked": np.ma.array([0, 0, 1, 0, 0, 1], mask=[0, 1, 0, 0, 1, 0]),
    "NA in a list": ["a", pandas.NA, "b", "a", pandas.NA, "b"],
    "NaT in a list": ["a", pandas.NaT, "b", "a", pandas.NaT, "b"],
    "series of objects": pandas.Series(WORDS, dtype=object),
    "series of text": pandas.Series(WORDS, dtype="string"),
    "series of floats": pandas.Series([0, np.nan, 1, 0, np.nan, 1]),
    "nullable integers": pandas.Series(NUMBERS, dtype="Int64"),
    "nullable booleans": pandas.Series([True, None, False, True, None, False], dtype="boolean"),
    "series of times": pandas.Series(pandas.to_datetime(["2020", None, "2021", "2020", None, "2021"])),
    "series of categories": pandas.Series(WORDS, dtype="category"),
    "categorical": pandas.Categorical(WORDS),
    "frame": pandas.DataFrame({"label": WORDS}),
}


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("kind", GAPS)
@pytest.mark.parametrize("estimator", [ReduNet, ReduNetClassifier, NearestSubspaceClassifier])
def test_missing_labels_are_refused_with_their_rows(estimator, kind):
    with pytest.raises(MissingLabelError, match=MESSAGE) as caught:
        estimator().fit(X, GAPS[kind])
    assert caught.value.rows == [1, 4]


def test_missing_labels_are_refused_wherever_labels_are_read():
    clf = ReduNetClassifier().fit(X, [0, 1, 0, 1, 0, 1])
    for call in (lambda: clf.score(X, NUMBERS), lambda: rate_reduction(X, NUMBERS, eps=0.5)):
        with pytest.raises(MissingLabelError, match=MESSAGE):
            call()


def test_labels_without_gaps_are_no_gaps():
    for labels in (
        ["a", "", "b", "a", "", "b"],
        np.array(list("abcabc")),
        [True, False] * 3,
        pandas.Series(list("abcabc")),
    ):
        assert len(ReduNetClassifier().fit(X, labels).classes_) in (2, 3)
    assert not is_missing(np.arange(3))
    assert not is_missing(0)
