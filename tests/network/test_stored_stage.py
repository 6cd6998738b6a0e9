"""Progress of a construction: what was written is what is found, and features of other samples are refused."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from redunet import Checkpoint, ModelFileError, ReduNet
from redunet.data.waves import sinusoids
from redunet.fast.tiles import Tiles
from redunet.network.construct import Stage
from redunet.network.geometry import Geometry
from redunet.network.recipe import Recipe
from redunet.network.step_control import StepState
from redunet.network.stored_stage import ConstructionProgress
from redunet.storage.checkpoint import Progress

X, CODES = sinusoids(6, 24, random_state=0)
IDENTITY = {"version": "1", "parameters": "2", "data": "3", "start": ""}
GEOMETRY = Geometry((24,), offset=1.0)
RECIPE = Recipe(5, 0.3, None, 50.0, True, 1e-4, "nesterov", "subspace", 2)


def tiles(n_samples=8, *, with_earlier=True):
    made = Tiles(np.array([0, n_samples // 2, n_samples]), 1, 4, 3, paired=False, dtype=np.dtype(np.float64))
    made.X[:] = np.random.default_rng(0).standard_normal(made.X.shape)
    if with_earlier:
        made.Y[:] = 2 * made.X
    return made


def stage():
    net = ReduNet(n_layers=3, tol=None).fit(X, CODES)
    rates = tuple(zip(net.history_.coding_rate.tolist(), net.history_.class_coding_rate.tolist(), strict=True))
    return Stage(tuple(net.network_.layers), rates, np.ones((2, 1, 4, 4)), StepState(0.7, 1, 2))


def written(folder, there, at):
    with Progress(Checkpoint(folder), IDENTITY) as progress:
        saved = ConstructionProgress(progress)
        saved.choose(RECIPE, {"rank_": 2, "scores": np.arange(3.0)}, "4")
        saved.write(there, at, GEOMETRY)


@pytest.mark.parametrize("with_earlier", [False, True])
def test_a_stage_that_was_written_is_found_again(with_earlier, tmp_path):
    there, at = tiles(with_earlier=with_earlier), stage()
    written(tmp_path, there, at)
    with Progress(Checkpoint(tmp_path), IDENTITY | {"parameters": "4"}) as progress:  # as drawing left them
        saved, here = ConstructionProgress(progress), tiles(with_earlier=False)
        here.X[:] = 0
        recipe, values = saved.choices()
        found = saved.found(here, GEOMETRY)
        assert saved.found(here, GEOMETRY) is None  # it was handed over
    assert recipe == RECIPE
    assert values["rank_"] == 2
    assert_array_equal(values["scores"], np.arange(3.0))
    assert_array_equal(here.X, there.X)
    assert set(here.state()) == ({"X", "Y"} if with_earlier else {"X"})
    if with_earlier:
        assert_array_equal(here.Y, there.Y)
    assert (found.rates, found.steps) == (at.rates, at.steps)
    assert_array_equal(found.M, at.M)
    for one, other in zip(found.layers, at.layers, strict=True):
        assert_array_equal(one.expansion, other.expansion)
        assert_array_equal(one.compression, other.compression)
        assert one.step_size == other.step_size


def test_features_of_other_samples_are_refused(tmp_path):
    written(tmp_path, tiles(), stage())
    with Progress(Checkpoint(tmp_path), IDENTITY) as progress:
        here = tiles(80)
        before = here.X.copy()
        with pytest.raises(ModelFileError, match=r"does not hold progress that fits together: .*another shape"):
            ConstructionProgress(progress).found(here, GEOMETRY)
        assert_array_equal(here.X, before)


def test_nothing_is_found_where_nothing_was_written(tmp_path):
    with Progress(Checkpoint(tmp_path), IDENTITY) as progress:
        saved = ConstructionProgress(progress)
        assert saved.choices() is None
        assert saved.found(tiles(), GEOMETRY) is None
