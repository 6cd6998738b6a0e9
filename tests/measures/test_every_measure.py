"""What every entry of the registry must give: distances, layers, files, leave-one-out, a page, words.

A new measure is tried by all of these as soon as it is registered; one that takes vectors only is tried on vectors.
"""

import pickle
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet import ModelFileError, ReduNet
from redunet.evidence.training_set import TrainingSet
from redunet.fast.row_layout import RowLayout
from redunet.inputs.errors import InputError
from redunet.inputs.labels import Labels
from redunet.measures.left_out import Choices, ClassView
from redunet.measures.measure import MeasureOptions
from redunet.measures.registry import ANSWERS, AUTOMATIC, MEASURES, answer_measure, candidates, measure_named
from redunet.network.construct import construct
from redunet.network.geometry import Geometry
from redunet.network.network import Network
from redunet.network.recipe import Recipe

OPTIONS = MeasureOptions(eps=0.4, rank=2)
N_CLASSES = 3
PAGE_SCRIPT = Path(__file__).parents[2] / "src" / "redunet" / "report" / "scripts" / "network" / "measures.js"


def takes(measure, geometry):
    """Whether a measure takes features that live there."""
    try:
        measure.refuse_options(OPTIONS, Network(geometry, (), np.dtype(np.float64)).space)
    except InputError:
        return False
    return True


PLACES = {
    "vectors": Geometry((6,)),
    "vectors with a constant": Geometry((6,), offset=1.0),
    "signals": Geometry((4, 7)),
    "images": Geometry((4, 3, 5), unitary=True),
}
# Few and many channels, with and without cyclic axes.
SIZES = {str(shape): Geometry(shape) for shape in [(4, 9), (30, 8), (6,), (70,), (3, 4, 5)]}
SIZES_WITH_A_CONSTANT = {f"{shape} + 1": Geometry(shape, offset=1.0) for shape in [(6,), (70,)]}


def measures_in(places, names=tuple(MEASURES)):
    """Each measure with each of the places that it takes."""
    return [
        pytest.param(MEASURES[name], geometry, id=f"{name}, {words}")
        for name in names
        for words, geometry in places.items()
        if takes(MEASURES[name], geometry)
    ]


everywhere = pytest.mark.parametrize(("measure", "geometry"), measures_in(PLACES))
each_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
each_answer = pytest.mark.parametrize(("measure", "geometry"), measures_in(PLACES, tuple(ANSWERS)))


def training_set(geometry, *, n_samples=36, weighted=False):
    """A training set of three classes that lives there."""
    rng = np.random.default_rng(0)
    codes = np.sort(np.arange(n_samples) % N_CLASSES)
    shape = geometry.sample_shape
    samples = rng.standard_normal((N_CLASSES, *shape))[codes] + rng.standard_normal((n_samples, *shape))
    weights = rng.integers(1, 4, n_samples).astype(float) if weighted else np.ones(n_samples)
    network = Network.entrance(geometry, samples, spanned=False)
    return TrainingSet(network, samples, Labels.of(np.arange(N_CLASSES), codes), weights)


def made(measure, geometry, kind=None):
    """A measure of some class moments, and features to measure."""
    training = training_set(geometry)
    return measure.of_moments(training.moments, OPTIONS, kind), training.some.V


# --- the registry -------------------------------------------------------------------------------------------------


@each_measure
def test_its_name_is_the_one_it_is_registered_by(measure):
    assert measure_named(measure.name) is measure
    assert answer_measure(measure.name).answered_by == answer_measure(measure.name).name
    assert candidates(measure.name) == (measure.name,)
    assert (Path(__file__).parent / f"test_{measure.__module__.rpartition('.')[2]}.py").exists()


def test_what_auto_chooses_from_answers_by_itself():
    assert candidates("auto") == AUTOMATIC
    assert all(answer_measure(name) is MEASURES[name] for name in AUTOMATIC)


@each_measure
def test_it_lives_somewhere(measure):
    assert any(takes(measure, geometry) for geometry in PLACES.values())


# --- distances ----------------------------------------------------------------------------------------------------


@each_answer
def test_a_contrast_is_the_difference_of_two_residuals(measure, geometry):
    found, V = made(measure, geometry)
    rng, every = np.random.default_rng(0), np.arange(V.shape[2])
    nearest = rng.integers(N_CLASSES, size=len(every))
    other = (nearest + rng.integers(1, N_CLASSES, size=len(every))) % N_CLASSES
    contrast = found.contrast(V, nearest, other)
    assert contrast.weights.shape == V.shape
    sums = np.einsum("p,pci->i", geometry.norm_weights, (V.conj() * contrast.weights).real) + contrast.constant
    residuals = found.residuals(V)
    assert_allclose(sums, residuals[other, every] - residuals[nearest, every], atol=1e-12)


@each_answer
def test_distances_by_several_options_are_those_by_each(measure, geometry):
    training = training_set(geometry)
    ranks = [rank for rank in (1, 3, 2) if rank < geometry.n_channels]
    options = [OPTIONS._replace(rank=rank) for rank in ranks]
    V = training.some.V
    found = measure.distances_by_options(training.moments, options, V)
    assert len(found) == len(options)
    for one, distances in zip(options, found, strict=True):
        assert_allclose(distances, measure.of_moments(training.moments, one).distances(V), atol=1e-8)


@everywhere
def test_residuals_are_a_number_for_each_class_and_sample(measure, geometry):
    measured, V = made(measure, geometry)
    residuals = measured.residuals(V)
    assert residuals.shape == (N_CLASSES, V.shape[2])
    assert residuals.dtype == np.float64
    assert np.isfinite(residuals).all()
    assert len(np.unique(residuals.round(9))) > N_CLASSES
    assert_array_equal(measured.weights, geometry.norm_weights)


@everywhere
def test_distances_are_the_rounded_residuals(measure, geometry):
    measured, V = made(measure, geometry)
    assert_array_equal(measured.distances(V), np.round(measured.residuals(V).T, 9))
    single = V.astype(np.complex64 if geometry.grid else np.float32)
    precise = np.round(measured.residuals(single.astype(V.dtype)).T, 6)
    assert_allclose(measured.distances(single), precise, rtol=3e-6, atol=3e-6)
    assert_array_equal(measured.distances(single).argmin(axis=1), precise.argmin(axis=1))


@each_answer
def test_equal_classes_are_equally_near_in_single_precision_too(measure, geometry):
    measured, V = made(measure, geometry)
    n_classes = N_CLASSES
    twice = {
        field.name: value[[0, 0, *range(1, n_classes)]]
        for field in fields(measured)
        if field.name != "weights" and len(value := getattr(measured, field.name)) == n_classes
    }
    single = V.astype(np.complex64 if geometry.grid else np.float32)
    distances = replace(measured, **twice).distances(single)
    nearest = distances[:, 0] == distances.min(axis=1)
    assert nearest.any()
    assert_array_equal(distances[nearest, 0], distances[nearest, 1])


# --- layers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "geometry"),
    [case for name in MEASURES for case in measures_in(SIZES, [name]) or measures_in(SIZES_WITH_A_CONSTANT, [name])],
)
def test_compiled_layers_are_the_readable_ones(way, measure, geometry):
    """The construction on tiles, few rows and many, against its own layers applied as they read."""
    samples = np.random.default_rng(0).standard_normal((50, *geometry.sample_shape))
    network = Network.entrance(geometry, samples, spanned=False)
    V = geometry.blocks(samples)
    tiles = network.tiles(np.array([0, 20, 50]), 2)
    tiles.fill(0, V)
    recipe = Recipe(
        n_layers=3, eps=0.5, step_size=0.02, sharpness=20.0, relative_residual=True, tol=None, momentum=0.0,
        membership=measure.name, rank=2,
    )  # fmt: skip
    built = construct(tiles, network.class_moments(tiles, np.array([20.0, 30.0])), recipe)
    assert len(built.layers) == 3
    for layer in built.layers:
        V = layer(V, geometry.norm_weights)
    assert_allclose(tiles.blocks(0, 50), V, atol=1e-12)


@pytest.mark.parametrize("few_rows", [True, False])
@everywhere
def test_a_compiled_layer_gets_a_number_for_each_class_or_nothing(measure, geometry, few_rows):
    measured, V = made(measure, geometry)
    n_freqs, n_channels, _ = V.shape
    paired = bool(geometry.grid)
    n_rows = n_channels * (1 + paired) + n_channels * (1 + paired) % 2
    form = measured.for_kernel(RowLayout(n_freqs, n_channels, n_rows, paired, few_rows, np.dtype(np.float64)))
    if form is not None:
        assert form.unit.shape == form.offset.shape == (N_CLASSES,)
        assert (form.unit > 0).all()
        assert form.probes.ndim == (4 if few_rows else 3)


@pytest.mark.parametrize(
    ("measure", "geometry"), measures_in({"signals": Geometry((3, 7)), "images": Geometry((3, 4, 5))})
)
def test_a_layer_moves_along_with_the_sample(measure, geometry):
    samples = np.random.default_rng(1).standard_normal((40, *geometry.sample_shape))
    y = np.arange(40) % 2
    invariance = "shift" if len(geometry.grid) == 1 else "translation"
    net = ReduNet(invariance, membership=measure.name, rank=1, n_layers=3, step_size=0.05, tol=None).fit(samples, y)
    assert net.n_layers_ == 3
    shifted = np.roll(samples, 2, axis=-1)
    assert_allclose(net.transform(shifted), np.roll(net.transform(samples), 2, axis=-1), atol=1e-10)


# --- files --------------------------------------------------------------------------------------------------------


@everywhere
def test_a_layer_from_a_file_measures_the_same_bits(measure, geometry):
    training = training_set(geometry)
    moments, V = training.moments, training.some.V
    measured = measure.of_moments(moments, OPTIONS)
    fields = measured.layer_fields()
    assert set(fields) == {"residual_unit", "residual_offset", *measure.stored_arrays}
    assert fields["residual_unit"].shape == fields["residual_offset"].shape == (N_CLASSES,)
    assert (fields["residual_unit"] > 0).all()
    compression, _ = moments.compressions(OPTIONS.eps, moments.M.dtype)
    again = measure.of_layer_fields(fields, compression, geometry.norm_weights, geometry.grid)
    again.check_layer_fields()
    assert_array_equal(again.residuals(V), measured.residuals(V))
    shapes = {name: fields[name].shape for name in measure.stored_arrays}
    assert measure.layer_arrays_fit(shapes, (N_CLASSES, *V.shape[:2]))
    assert not measure.stored_arrays or not measure.layer_arrays_fit(shapes, (N_CLASSES + 1, *V.shape[:2]))


@everywhere
def test_it_can_be_pickled(measure, geometry):
    measured, V = made(measure, geometry)
    before = measured.residuals(V)
    assert_array_equal(pickle.loads(pickle.dumps(measured)).residuals(V), before)


@each_answer
def test_what_a_classifier_answers_by_fits_its_own_features_and_no_others(measure, geometry):
    measured, V = made(measure, geometry)
    shape, rank = (N_CLASSES, *V.shape[:2]), getattr(measured, "rank", None)
    kinds = {"complex128" if geometry.grid else "float64"}
    measured.check_stored(shape, kinds, rank)
    for other in ((N_CLASSES + 1, *V.shape[:2]), (N_CLASSES, V.shape[0] + 1, V.shape[1])):
        with pytest.raises(ModelFileError):
            measured.check_stored(other, kinds, rank)
    with pytest.raises(ModelFileError):
        measured.check_stored(shape, {"float16"}, rank)


# --- leave-one-out ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@each_answer
def test_leave_one_out_is_what_leaving_out_by_hand_gives(measure, geometry, weighted):
    """Class moments without a sample, once, give the distances that leave-one-out says, whatever its weight."""
    training = training_set(geometry, weighted=weighted)
    samples, choices = training.some, Choices(ranks=(1, 2), eps=(0.2, 1.0))
    question = measure.left_out(samples, choices)
    found = left_out_distances(question, samples)
    for value, of_value in zip(question.values, found, strict=True):
        options = OPTIONS._replace(**{question.option: value})
        expected = np.stack([without_sample(measure, samples, i, options) for i in range(len(samples.codes))], axis=1)
        # Leave-one-out may give the squares of distances, which have the same order.
        assert any(np.allclose(of_value, expected**power, atol=3e-5) for power in (1, 2))


def left_out_distances(question, samples):
    """What leave-one-out says; shape (n_values, n_classes, n_samples)."""
    some, found = slice(0, len(samples.codes)), []
    for j in range(N_CLASSES):
        eigenvalues, vectors = samples.moments.eigensystem(j)
        rows = np.ascontiguousarray(vectors.conj().swapaxes(1, 2))
        found.append(question.distances(ClassView(samples, j, some, np.clip(eigenvalues, 0, None), rows)))
    return np.stack(found, axis=1)


def without_sample(measure, samples, i, options):
    """Residuals of sample i by classes whose moments were counted without it; shape (n_classes,)."""
    v, j, moments = samples.V[:, :, i], samples.codes[i], samples.moments
    M, class_weight = moments.M.copy(), moments.class_weight.copy()
    M[j] -= v[:, :, None] * v[:, None, :].conj()
    class_weight[j] -= 1
    rest = replace(moments, M=M, class_weight=class_weight)
    return measure.of_moments(rest, options).residuals(samples.V[:, :, [i]])[:, 0]


@each_answer
def test_there_is_nothing_to_leave_out_where_there_is_nothing_to_choose(measure, geometry):
    assert measure.left_out(training_set(geometry).some, Choices(ranks=(), eps=())) is None


# --- people -------------------------------------------------------------------------------------------------------


@everywhere
def test_the_page_has_a_script_for_it_or_gets_nothing(measure, geometry):
    measured, _ = made(measure, geometry)
    data = measured.page_data()
    if data is not None:
        assert data["name"] == measure.name
        assert re.search(rf"^  {measure.name}: \w+,$", PAGE_SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)


@each_answer
def test_it_says_what_it_is_on_one_line(measure, geometry):
    measured, _ = made(measure, geometry)
    for text in (measured.in_words(0.25), measured.in_short(0.25), measure.option_symbol):
        assert text
        assert "\n" not in text
