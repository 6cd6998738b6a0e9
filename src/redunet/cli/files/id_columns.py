"""Columns that number the rows of a table, and say nothing about a class."""

import re
import shlex
from collections.abc import Sequence

import numpy as np

from ...numerics.arrays import Array
from ..command_errors import listed

# Names that say so: id, sample_id, MouseID, index, row, row number, nr., #, and what pandas calls a column without one.
ID_NAME = re.compile(
    r"(?:.*[\W_])?id|(?-i:.*[a-z](?:ID|Id))|idx|index|row|row[\W_]?(?:id|nr|no|num|number|index)|nr\.?|no\.|#|unnamed\b.*",
    re.IGNORECASE,
)
# Rows from which on a column that counts up by one is taken for a number of the row.
LEAST_COUNTED_ROWS = 10


class IdColumns:
    """Watches the blocks of a table for columns that seem to number its rows; takes as much memory as one row.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.n_rows = 0
        self._counting: Array = np.arange(len(self.names))  # columns that have counted up by one so far
        self._last: Array = np.empty(0)  # their last values

    def add(self, samples: Array) -> None:
        """Look at the next rows, shape (n_rows, n_columns)."""
        if not len(samples):
            return
        rows = samples.reshape(len(samples), -1)[:, self._counting]
        if self.n_rows:
            rows = np.concatenate([self._last[None], rows])
        with np.errstate(over="ignore"):
            counts = (np.diff(rows, axis=0) == 1).all(axis=0) & (rows[0] == np.floor(rows[0]))
        self._counting, self._last = self._counting[counts], rows[-1, counts]
        self.n_rows += len(samples)

    def found(self) -> list[tuple[str, str]]:
        """Names of the columns that seem to number the rows, and what gives them away."""
        counting = set(self._counting.tolist()) if self.n_rows >= LEAST_COUNTED_ROWS else set()
        found: list[tuple[str, str]] = []
        for i, name in enumerate(self.names):
            if i in counting:
                found.append((name, "counts up by one from row to row"))
            elif ID_NAME.fullmatch(name.strip()):
                found.append((name, "is called so"))
        return found

    def note(self, path: str) -> str:
        """What to print about these columns; empty if there are none.

        Parameters
        ----------
        path : str
            Of the file.
        """
        found = self.found()
        if not found:
            return ""
        ignored = " ".join(f"--ignore {shlex.quote(name)}" for name, _ in found)
        if len(found) == 1:
            name, why = found[0]
            return (
                f"column {name!r} of {path} looks like a number of the row (it {why}), and is used like any other; if "
                f"it says nothing about the class, leave it out with {ignored}."
            )
        return (
            f"columns {listed(name for name, _ in found)} of {path} look like numbers of the row (they count up by "
            f"one, or are called so), and are used like any other; leave out those that say nothing about the class: "
            f"{ignored}."
        )
