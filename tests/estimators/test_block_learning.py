"""Fits to samples in blocks: what a fit to all samples gives, whatever the blocks hold; the same bits after a crash."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine

from redunet import Checkpoint, ReduNet, ReduNetClassifier
from redunet.data.waves import sinusoids
from redunet.estimators.block_learning import SampleBlocks
from redunet.estimators.block_reading import RawBlock, entered_of, gathered_of, survey_of, surveyed_moments_of
from redunet.fast.block_tasks import LocalTasks
from redunet.inputs.errors import InputError, OneClassError, ThinClassError

CONSTRUCTIONS = ("samples", "moments")


class CountedTasks(LocalTasks):
    """Does tasks at once, and counts how often samples were read; may give up after some tasks."""

    def __init__(self, n_tasks=np.inf):
        self.n_tasks, self.n_reads = n_tasks, 0

    def call(self, function, *arguments):
        self.n_tasks -= 1
        if self.n_tasks < 0:
            raise KeyboardInterrupt
        self.n_reads += function in (survey_of, gathered_of, entered_of, surveyed_moments_of)
        return super().call(function, *arguments)


def blocks_of(X, y, cuts, weights=None, *, tasks=None, known=True):
    parts = [np.split(one, cuts) for one in (X, y)]
    parts.append([None] * (len(cuts) + 1) if weights is None else np.split(weights, cuts))
    raw = [RawBlock(i, *part) for i, part in enumerate(zip(*parts, strict=True))]
    layout = (X.shape[1:], X.dtype) if known else ()
    return SampleBlocks(tasks or LocalTasks(), raw, *layout)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), np.array(["barolo", "grignolino", "barbera"])[y]


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
@pytest.mark.parametrize("options", [{}, {"n_layers": 4}, {"n_layers": 3, "momentum": 0.5}, {"affine": 4.0}], ids=str)
def test_blocks_give_what_all_samples_give(digits, construction, options):
    X, y = digits
    model = ReduNetClassifier(construction=construction, **options)
    whole = clone(model).fit(X, y)
    parts = clone(model).fit_blocks(blocks_of(X, y, (100, 101, 900)))
    assert (parts.membership_, parts.eps_, parts.rank_) == (whole.membership_, whole.eps_, whole.rank_)
    assert parts.n_layers_ == whole.n_layers_
    np.testing.assert_allclose(parts.network_.geometry.offset, whole.network_.geometry.offset, rtol=1e-13)
    np.testing.assert_allclose(parts.history_.rate_reduction, whole.history_.rate_reduction, rtol=1e-9)
    np.testing.assert_allclose(parts.distances(X), whole.distances(X), rtol=1e-6, atol=1e-9)
    if construction == "moments":  # samples for evidence are chosen by their values, so they are the same ones
        assert parts.loo_score_ == whole.loo_score_
        np.testing.assert_array_equal(parts.moments_.reservoir.keys, whole.moments_.reservoir.keys)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_features_from_blocks_are_those_from_all_samples(wine, construction):
    X, y = wine
    model = ReduNet(n_layers=5, construction=construction)
    parts = clone(model).fit_blocks(blocks_of(X, y, (30, 31, 90)))
    np.testing.assert_allclose(parts.transform(X), clone(model).fit(X, y).transform(X), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_empty_blocks_blocks_of_one_class_and_weightless_blocks_are_taken(wine, construction):
    X, y = wine
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    model = ReduNetClassifier(construction=construction, n_layers=3)
    cuts = [*np.flatnonzero(y[1:] != y[:-1]) + 1]  # a class to a block
    plain = clone(model).fit(X, y)
    found = clone(model).fit_blocks(blocks_of(X, y, [0, 0, *cuts, len(X)]))
    np.testing.assert_allclose(found.distances(X), plain.distances(X), rtol=1e-7, atol=1e-9)
    more_X, more_y = np.concatenate([X, 100 + X[:5]]), np.concatenate([y, ["none of these"] * 5])
    weights = np.concatenate([np.ones(len(X)), np.zeros(5)])
    with pytest.raises(InputError, match="'none of these' has total weight 0"):
        clone(model).fit_blocks(blocks_of(more_X, more_y, [*cuts, len(X)], weights))
    more_y[-5:] = y[0]
    weighed = clone(model).fit_blocks(blocks_of(more_X, more_y, [*cuts, len(X)], weights))
    np.testing.assert_allclose(weighed.distances(X), plain.distances(X), rtol=1e-7, atol=1e-9)


def test_a_weight_is_a_repetition_in_blocks(wine):
    X, y = wine
    weights = np.random.default_rng(0).integers(1, 4, len(X))
    model = ReduNetClassifier(construction="samples", n_layers=3)
    weighed = clone(model).fit_blocks(blocks_of(X, y, (50, 100), weights))
    twice = clone(model).fit_blocks(blocks_of(X.repeat(weights, axis=0), y.repeat(weights), (50, 100)))
    np.testing.assert_allclose(weighed.distances(X), twice.distances(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_signals_in_blocks_are_lifted_by_filters_of_a_few_of_them(construction):
    X, y = sinusoids(n_per_class=40, random_state=0)
    model = ReduNetClassifier("shift", construction=construction, n_layers=2)
    one, other = (clone(model).fit_blocks(blocks_of(X, y, cuts)) for cuts in ((20, 50), (30, 30, 31)))
    assert one.lift_ is not None
    assert not one.network_.lift.is_invariant
    np.testing.assert_allclose(one.distances(X), other.distances(X), rtol=1e-6, atol=1e-9)
    assert one.score(X, y) > 0.9


def test_single_precision_stays_single(wine):
    X, y = wine
    model = ReduNetClassifier(n_layers=2)
    found = clone(model).fit_blocks(blocks_of(X.astype(np.float32), y, (40, 80)))
    assert found.network_.dtype == np.float32
    mixed = [RawBlock(0, X[:80].astype(np.float32), y[:80]), RawBlock(1, X[80:], y[80:])]
    assert clone(model).fit_blocks(SampleBlocks(LocalTasks(), mixed)).network_.dtype == np.float64


@pytest.mark.parametrize(
    ("options", "n_passes"),
    [
        ({"construction": "moments", "affine": 3.0}, 1),
        ({"construction": "moments", "affine": False}, 1),
        ({"construction": "moments"}, 2),
        ({"construction": "samples", "n_layers": 5}, 2),
    ],
    ids=str,
)
def test_samples_are_read_as_often_as_stated(wine, options, n_passes):
    X, y = wine
    tasks = CountedTasks()
    ReduNetClassifier(**options).fit_blocks(blocks_of(X, y, (50, 100), tasks=tasks))
    assert tasks.n_reads == 3 * n_passes


def test_one_pass_and_two_passes_give_the_same_bits(wine):
    X, y = wine
    model = ReduNetClassifier(construction="moments", affine=3.0)
    one = clone(model).fit_blocks(blocks_of(X, y, (50, 100)))
    two = clone(model).fit_blocks(blocks_of(X, y, (50, 100), known=False))
    np.testing.assert_array_equal(one.distances(X), two.distances(X))


def test_declared_classes_may_wait_for_their_samples(wine):
    X, y = wine
    declared = [*np.unique(y), "zinfandel"]
    for options in ({"affine": 3.0}, {}):
        model = ReduNetClassifier(construction="moments", **options).fit_blocks(blocks_of(X, y, (90,)), declared)
        assert model.classes_.tolist() == sorted(declared)
        assert np.isinf(model.distances(X)[:, 3]).all()
        plain = ReduNetClassifier(construction="moments", **options).fit(X, y)
        np.testing.assert_allclose(model.distances(X)[:, :3], plain.distances(X), rtol=1e-7, atol=1e-9)
    with pytest.raises(InputError, match=r"block 1 .* 'barolo', which is none of the 2 classes"):
        ReduNetClassifier(construction="moments").fit_blocks(blocks_of(X[::-1], y[::-1], (90,)), np.unique(y)[[0, 2]])
    with pytest.raises(InputError, match="'zinfandel' has no samples"):
        ReduNetClassifier().fit_blocks(blocks_of(X, y, (90,)), declared)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_evidence_may_be_left_out(wine, construction):
    X, y = wine
    model = ReduNetClassifier(construction=construction, evidence_samples=0, n_layers=2, membership="code", eps=0.3)
    found = model.fit_blocks(blocks_of(X, y, (90,)))
    assert found.score(X, y) > 0.9


def test_a_fit_that_was_interrupted_goes_on_to_the_same_bits(wine, tmp_path):
    X, y = wine
    for options in ({"n_layers": 6, "tol": None}, {"n_layers": 6, "tol": None, "momentum": "nesterov"}):
        model = ReduNetClassifier(random_state=None, **options)
        whole = clone(model).fit_blocks(blocks_of(X, y, (50, 100)))
        where = Checkpoint(tmp_path, layers=1)
        tasks = CountedTasks(n_tasks=50)
        with pytest.raises(KeyboardInterrupt):
            clone(model).fit_blocks(blocks_of(X, y, (50, 100), tasks=tasks), checkpoint=where)
        assert (tmp_path / "progress.redunet").stat().st_size < 200_000  # layers, no features
        other = X.copy()
        other[0] += 1e-3
        with pytest.raises(InputError, match="its samples, labels or weights were others"):
            clone(model).fit_blocks(blocks_of(other, y, (50, 100)), checkpoint=where)
        resumed = clone(model).fit_blocks(blocks_of(X, y, (50, 100)), checkpoint=where)
        np.testing.assert_array_equal(resumed.distances(X), whole.distances(X))
        np.testing.assert_array_equal(resumed.history_.rate_reduction, whole.history_.rate_reduction)
        assert not (tmp_path / "progress.redunet").exists()


def test_a_lift_that_was_drawn_is_there_after_an_interruption(tmp_path):
    X, y = sinusoids(n_per_class=30, random_state=0)
    model = ReduNetClassifier("shift", n_layers=3, tol=None, random_state=np.random.RandomState(5))
    with pytest.raises(KeyboardInterrupt):
        model.fit_blocks(blocks_of(X, y, (20,), tasks=CountedTasks(18)), checkpoint=Checkpoint(tmp_path, layers=1))
    drawn = model.lift_.bank_
    model.fit_blocks(blocks_of(X, y, (20,)), checkpoint=tmp_path)
    for one, other in zip(drawn.filters, model.lift_.bank_.filters, strict=True):
        np.testing.assert_array_equal(one, other)


def broken(X, row, value):
    X = X.copy()
    X[row] = value
    return X


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda X, y: (broken(X, 60, np.nan), y), InputError, "^block 1 of X, counted from 0: Input X contains NaN"),
        (lambda X, y: (broken(X, 110, 1e301), y), InputError, "^block 2 .* above 1e.300; scale it"),
        (lambda X, y: (X, np.full(len(y), "one")), OneClassError, "one class"),
        (lambda X, y: (X, np.where(np.arange(len(y)) == 7, "lone", y)), ThinClassError, "'lone' has one sample"),
        (lambda X, y: (X[:0], y[:0]), InputError, "no samples in any of its blocks"),
        (lambda X, y: (X[:, :, None, None], y), InputError, "takes vectors"),
    ],
)
def test_bad_samples_are_refused_by_their_block(wine, construction, change, error, message):
    X, y = change(*wine)
    with pytest.raises(error, match=message):
        ReduNetClassifier(construction=construction).fit_blocks(blocks_of(X, y, (50, 100)))


def test_bad_weights_labels_and_options_are_refused(wine):
    X, y = wine
    weights = np.ones(len(X))
    with pytest.raises(InputError, match=r"block 0 .*must be >= 0"):
        ReduNetClassifier().fit_blocks(blocks_of(X, y, (50,), broken(weights, 3, -1)))
    with pytest.raises(InputError, match="sample_weight is zero for every sample"):
        ReduNetClassifier().fit_blocks(blocks_of(X, y, (50,), 0 * weights))
    short = [RawBlock(0, X[:100], y[:100]), RawBlock(1, X[100:], y[101:])]
    with pytest.raises(InputError, match=r"block 1 .*78 samples here but y has 77"):
        ReduNetClassifier().fit_blocks(SampleBlocks(LocalTasks(), short))
    mixed = [RawBlock(0, X[:100], y[:100]), RawBlock(1, X[100:], np.arange(78) % 3)]
    with pytest.raises(InputError, match="pass labels of one type"):
        ReduNetClassifier().fit_blocks(SampleBlocks(LocalTasks(), mixed))
    with pytest.raises(InputError, match="warm_start=True goes on with samples that are in memory"):
        ReduNetClassifier(warm_start=True, n_layers=3).fit_blocks(blocks_of(X, y, (50,)))
    with pytest.raises(InputError, match="checkpoint is for layers that are built from samples"):
        ReduNetClassifier(construction="moments").fit_blocks(blocks_of(X, y, (50,)), checkpoint="somewhere")
    with pytest.raises(InputError, match="X has no blocks"):
        ReduNetClassifier().fit_blocks(SampleBlocks(LocalTasks(), []))
