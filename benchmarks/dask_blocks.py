"""Samples that workers make block by block: what the Dask benchmarks are run on."""

import dask
import dask.array as da
import numpy as np


def block_of(number: int, n_rows: int, n_features: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples and labels of one block: classes with a mean and a covariance of their own."""
    y = np.random.default_rng([number, 1]).integers(n_classes, size=n_rows)
    X = np.random.default_rng([number, 2]).standard_normal((n_rows, n_features), dtype=np.float64)
    shared = np.random.default_rng(0)
    means = shared.standard_normal((n_classes, n_features)) * 0.5
    scales = shared.uniform(0.3, 1.5, size=(n_classes, n_features))
    X *= scales[y]
    X += means[y]
    return X, y


def samples(n_blocks: int, n_rows: int, n_features: int = 50, n_classes: int = 5) -> tuple[da.Array, da.Array]:
    """So many blocks as lazy arrays, which nobody holds at once."""
    make = dask.delayed(block_of, pure=True, nout=2)
    made = [make(number, n_rows, n_features, n_classes) for number in range(n_blocks)]
    X = da.concatenate([da.from_delayed(X, (n_rows, n_features), np.float64) for X, _ in made])
    y = da.concatenate([da.from_delayed(y, (n_rows,), np.int64) for _, y in made])
    return X, y
