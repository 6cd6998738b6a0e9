"""Labels that are not there: NaN, None, NaT, and NA of pandas."""

from typing import Any

import numpy as np

from .errors import Data, MissingLabelError

# Kinds of NumPy arrays that can hold a value that stands for nothing.
KINDS_WITH_MISSING = "OfcmM"


def refuse_missing_labels(y: Any) -> None:
    """Refuse labels of which some are missing, in an array, a list, a series or a categorical; the rows are named."""
    rows = [row for row, value in enumerate(_values_of(y)) if is_missing(value)]
    if rows:
        raise MissingLabelError(
            "{labels} contains NaN, None, NaT or NA where a label should be, in {n} of its rows (first: row "
            "{rows[0]}); remove those rows, or fill the labels in.",
            rows=rows,
            n=len(rows),
            labels=Data("y"),
        )


def is_missing(value: Any) -> bool:
    """Whether a value stands for nothing."""
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN and NaT are not equal to themselves
    except TypeError:  # NA of pandas, which is neither equal nor unequal
        return True
    except ValueError:  # an array
        return False


def _values_of(y: Any) -> Any:
    """The labels one by one, as they were given; none where no label can be missing."""
    if isinstance(y, np.ma.MaskedArray):
        return [None if masked else 0 for masked in np.ma.getmaskarray(y).ravel().tolist()]
    if isinstance(y, np.ndarray):
        return y.ravel() if y.dtype.kind in KINDS_WITH_MISSING else ()
    if hasattr(y, "isna") and hasattr(y, "to_numpy"):  # a series, an index, a frame or an array of pandas
        missing = np.asarray(y.isna())
        return [None if one else 0 for one in missing.ravel().tolist()]
    if hasattr(y, "to_list"):  # a series of polars
        return y.to_list()
    return y if isinstance(y, (list, tuple)) else ()
