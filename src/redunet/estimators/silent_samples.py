"""Samples that no filter responds to, among others that are measured: they are found by trying, and left out."""

from collections.abc import Callable

import numpy as np

from ..inputs.errors import SilentSampleError
from ..numerics.arrays import Array


def silent_rows(rows: Array, measure: Callable[[Array], None]) -> Array:
    """Measure all samples but those that no filter responds to, and give the rows of these.

    Parameters
    ----------
    rows : int array
        Of the samples.
    measure : callable
        Measures the samples of some of the rows, or raises a SilentSampleError with the places of some of them in
        ``rows``, counted from 0; it is then called again with the others.
    """
    silent = []
    while len(rows):
        try:
            measure(rows)
            break
        except SilentSampleError as error:
            silent.append(rows[error.rows])
            rows = np.delete(rows, error.rows)
    return np.concatenate(silent) if silent else np.empty(0, dtype=np.int64)
