"""The same fit to the same blocks without Dask, which Dask must agree with bit by bit."""

import numpy as np

from redunet.estimators.block_learning import SampleBlocks
from redunet.estimators.block_reading import RawBlock
from redunet.fast.block_tasks import LocalTasks


def local_fit(model, X, y, chunks, weights=None):
    """A plain estimator, fitted in this process to blocks of these sizes."""
    cuts = np.cumsum(chunks)[:-1]
    parts = [np.split(one, cuts) for one in (X, y)]
    parts.append([None] * len(chunks) if weights is None else np.split(weights, cuts))
    raw = [RawBlock(i, *part) for i, part in enumerate(zip(*parts, strict=True))]
    return model.fit_blocks(SampleBlocks(LocalTasks(), raw, X.shape[1:], X.dtype))


def assert_same_model(one, other):
    """Networks, answers and what was chosen, all of them the same bits."""
    assert one.n_layers_ == other.n_layers_
    np.testing.assert_array_equal(one.history_.rate_reduction, other.history_.rate_reduction)
    for mine, theirs in zip(one.network_.layers, other.network_.layers, strict=True):
        np.testing.assert_array_equal(mine.expansion, theirs.expansion)
        np.testing.assert_array_equal(mine.compression, theirs.compression)
    if hasattr(one, "answers_"):
        assert (one.membership_, one.rank_, one.eps_) == (other.membership_, other.rank_, other.eps_)
        assert one.loo_score_ == other.loo_score_
        samples = np.random.default_rng(9).standard_normal((50, *one.sample_shape_))
        np.testing.assert_array_equal(one.distances(samples), other.distances(samples))
