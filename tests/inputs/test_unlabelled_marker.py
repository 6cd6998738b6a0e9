"""What stands for a label that is not known."""

import numpy as np
import pandas as pd
import pytest

from redunet.inputs.unlabelled_marker import check_marker, labels_at, marked_rows


@pytest.mark.parametrize(
    ("y", "marker", "marked"),
    [
        ([0, -1, 1], -1, [False, True, False]),
        (np.array([[0], [-1]]), -1, [False, True]),
        (["a", "?", "b"], "?", [False, True, False]),
        (np.array(["a", "-1"]), -1, [False, False]),
        (["a", -1, "b"], -1, [False, True, False]),
        ([0.0, np.nan, 1.0], np.nan, [False, True, False]),
        (["a", None, "b"], float("nan"), [False, True, False]),
        (np.array([1.0, -1.0, 0.0]), -1, [False, True, False]),
        (pd.Series([1, None, 2], dtype="Int64"), float("nan"), [False, True, False]),
        (pd.Series(["a", "?"]), "?", [False, True]),
        ([True, False], -1, [False, False]),
    ],
)
def test_labels_that_are_the_marker_are_found_and_no_others(y, marker, marked):
    assert marked_rows(y, marker).tolist() == marked


@pytest.mark.parametrize("y", [[3, -1, 5], np.array([3, -1, 5]), pd.Series([3, -1, 5], index=[7, 8, 9])])
def test_labels_of_the_other_rows_keep_their_type(y):
    found = labels_at(y, np.array([True, False, True]))
    assert list(found) == [3, 5]
    assert type(found) is type(y)


def test_a_marker_that_cannot_stand_in_y_is_refused():
    for marker in (-1, "?", 0.5, np.int64(3), float("nan"), None, b"x"):
        check_marker(marker)
    with pytest.raises(TypeError, match="unlabelled must be None"):
        check_marker([1])
