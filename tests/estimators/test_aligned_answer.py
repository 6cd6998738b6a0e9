"""A second answer by nearness at every shift: the same bits at every translation, exact evidence, sums."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet import Lift, ReduNetClassifier, load
from redunet.estimators import aligned_answer
from redunet.estimators.aligned_answer import (
    _evidence_of,
    aligned_evidence,
    deformed_copies,
    is_clearly_less,
    number_of_copies,
)
from redunet.evidence import training_set
from redunet.evidence.training_set import TrainingSet
from redunet.inputs.errors import InputError
from redunet.inputs.labels import Labels
from redunet.network import aligned_view
from redunet.numerics.shift_kernel import kernel_over_shifts, low_frequencies

SHAPE = (8, 9)


def pictures(n, seed):
    """Two blobs of unequal size, one beside (class 0) or below (class 1) or across (class 2) the other, and noise."""
    rng = np.random.default_rng(seed)
    X, y = np.zeros((n, *SHAPE)), np.arange(n) % 3
    for image, kind in zip(X, y, strict=True):
        image[1:4, 1:4] += 1.0
        down, right = ((0, 4), (4, 0), (4, 4))[kind]
        image[1 + down : 3 + down, 1 + right : 3 + right] += 0.8
    X += 0.35 * rng.standard_normal(X.shape)
    for i in range(n):
        X[i] = np.roll(X[i], rng.integers(0, 9, 2), (0, 1))
    return X, y


def lift(**options):
    return Lift("patches", 6, 3, "relu", quantile=0.5, random_state=0, **options)


@pytest.fixture(scope="module")
def model():
    return ReduNetClassifier("translation", lift=lift(), aligned=True).fit(*pictures(60, 0))


def test_there_is_a_second_answer_and_shares_add_up_to_one(model):
    assert model.aligned_answer_ is not None
    assert model.aligned_answer_.weight > 0
    assert model.answer_weight_ + model.aligned_answer_.weight == pytest.approx(1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("options", [{}, {"pool": 2}, {"pad": 3}], ids=str)
def test_probabilities_are_the_same_bits_at_every_translation(dtype, options):
    X, y = pictures(60, 0)
    fitted = ReduNetClassifier("translation", lift=lift(**options), aligned=True).fit(X.astype(dtype), y)
    assert fitted.aligned_answer_ is not None
    some = np.pad(pictures(3, 1)[0], [(0, 0), (0, 0), (0, 0)]).astype(dtype)
    if options.get("pad"):  # a shift within the margin is a circular shift of the padded sample
        some[:, 6:], some[:, :, 7:] = 0, 0
        shifts = [(1, 0), (2, 2), (0, 1)]
    else:
        shifts = [(i, j) for i in range(8) for j in range(9)]
    expected = fitted.predict_proba(some)
    for shift in shifts:
        assert_array_equal(fitted.predict_proba(np.roll(some, shift, (1, 2))), expected)


def test_a_model_with_a_second_answer_knows_more_than_its_first(model):
    X, y = pictures(300, 2)
    both = model.score(X, y)
    first = ReduNetClassifier("translation", lift=lift(), aligned=False, membership="subspace").fit(*pictures(60, 0))
    assert both > first.score(X, y)


@pytest.fixture(scope="module")
def few():
    """A few images at the entrance of a network."""
    X, y = pictures(18, 0)
    fitted = ReduNetClassifier("translation", lift=lift(), n_layers=0, aligned=False).fit(X, y)
    return TrainingSet(fitted.network_, X[:, None], Labels.of(np.arange(3), y), np.ones(18)), X[:, None]


def coordinates(view, network, samples):
    V = np.concatenate([V for _, V in network.invariant_blocks(samples)], axis=2)
    return view.span_coordinates(view.nearness(V[view.places]))


def regression(F, codes, ridge):
    """Ridge regression of labels, in the span of the landmarks; the class shares are known."""
    shares = np.full(3, 1 / 3)
    B = np.linalg.solve(F.T @ F + ridge * np.eye(F.shape[1]), F.T @ (np.eye(3)[codes] - shares))
    return lambda new: shares + new @ B


def test_leaving_one_image_out_is_what_a_regression_without_it_gives(few):
    training, samples = few
    found = aligned_evidence(training, samples)
    F = coordinates(found.view, training.network, samples[training.labels.order])
    for number, ridge in enumerate(found.answers.values):
        for i in range(18):
            kept = np.arange(18) != i
            predict = regression(F[kept], training.codes[kept], ridge)
            assert_allclose(found.answers.distances_of(number)[i], 1 - predict(F[i]), atol=1e-5)


def test_an_image_is_left_out_with_its_deformed_copies(few):
    training, samples = few
    network, order = training.network, training.labels.order
    places = low_frequencies(network.geometry.grid, 2)[0]
    copies = [one[:, :, order] for one in deformed_copies(network, samples, 3, 0, places)]
    low = training.tiles.blocks(0, 18)[places]
    found = _evidence_of(training, [low, *copies])
    every = np.concatenate([low, *copies], axis=2)
    F, codes, image = (
        found.view.span_coordinates(found.view.nearness(every)),
        np.tile(training.codes, 4),
        np.arange(72) % 18,
    )
    for number in (2, 5):
        for i in range(18):
            predict = regression(F[image != i], codes[image != i], found.answers.values[number])
            assert_allclose(found.answers.distances_of(number)[i], 1 - predict(F[i]), atol=1e-5)


def test_deformed_copies_depend_on_the_image_alone(few):
    training, samples = few
    network = training.network
    places = low_frequencies(network.geometry.grid, 2)[0]
    found = deformed_copies(network, samples, 2, 5, places)
    moved = np.stack([np.roll(one, (i, 2 * i), (1, 2)) for i, one in enumerate(samples)])
    for one, again in zip(found, deformed_copies(network, moved[::-1], 2, 5, places), strict=True):
        assert_array_equal(again[:, :, ::-1], one)
    for one, other in zip(found, deformed_copies(network, samples, 2, 6, places), strict=True):
        assert np.abs(one - other).max() > 1e-3
    assert np.abs(found[0] - found[1]).max() > 1e-3


def test_as_many_copies_as_are_affordable():
    assert number_of_copies(100, (100, 1, 28, 28)) == 19
    assert number_of_copies(200, (200, 1, 28, 28)) == 9
    assert number_of_copies(500, (500, 1, 28, 28)) == 1
    assert number_of_copies(2000, (2000, 1, 28, 28)) == 0
    assert number_of_copies(100, (100, 3, 256, 256)) == 0  # too large
    assert number_of_copies(100, (100, 1, 28)) == 0  # signals


def test_errors_are_less_beyond_chance_alone():
    errors, ones, changes = np.array([0.2, 0.3, 0.1, 0.4]), np.ones(4), np.array([0.3, -0.3, 0.3, -0.35])
    assert is_clearly_less(errors - 0.1, errors, ones)
    assert not is_clearly_less(errors, errors, ones)
    assert not is_clearly_less(errors + 0.1, errors, ones)
    assert not is_clearly_less(errors + changes, errors, ones)
    assert is_clearly_less(errors + changes, errors, np.array([0, 1.0, 0, 1]))
    assert not is_clearly_less(errors - 0.1, errors, 0 * ones)


def test_the_distances_are_those_of_the_regression_that_was_chosen(few):
    training, samples = few
    found = aligned_evidence(training, samples)
    answer = found.answer(3, 0.5)
    new = pictures(5, 4)[0][:, None]
    predict = regression(
        coordinates(found.view, training.network, samples[training.labels.order]),
        training.codes,
        found.answers.values[3],
    )
    V = np.concatenate([V for _, V in training.network.invariant_blocks(new)], axis=2)
    expected = 1 - predict(coordinates(found.view, training.network, new))
    assert_allclose(answer.distances(V), expected, atol=1e-5)


def test_shares_of_an_explanation_add_up_and_move_with_the_image(model):
    X, _ = pictures(6, 5)
    found = model.explain(X)
    assert_allclose(found.positions.sum(axis=(1, 2, 3)) + found.offset, found.difference, atol=1e-9)
    assert_allclose(found.parts.sum(axis=1), found.difference, atol=1e-9)
    assert any("at the best shift" in name for name in found.part_names)
    moved = model.explain(np.roll(X, (3, 5), (1, 2)))
    assert_allclose(moved.positions, np.roll(found.positions, (3, 5), (2, 3)), atol=1e-9)


def test_explained_parts_of_the_second_answer_are_its_difference_less_that_of_nothing(model):
    X, _ = pictures(4, 6)
    found = model.explain(X, classes=(0, 1))
    answer = model.aligned_answer_
    V = np.concatenate([V for _, V in model.network_.invariant_blocks(X[:, None])], axis=2)
    distances = answer.distances(V)
    coefficients = answer.measure.coefficients[:, 0]
    view = answer.view
    nothing = np.zeros((len(view.numbers), 6, 1))
    near = kernel_over_shifts(nothing, view.landmarks, view.numbers, view.waves, view.gamma)[0]
    of_nothing = np.append(near, 1.0) @ (coefficients[0] - coefficients[1])
    expected = distances[:, 1] - distances[:, 0] - of_nothing
    mine = np.array(["at the best shift" in name for name in found.part_names])
    assert_allclose(found.parts[:, mine].sum(axis=1), answer.weight * expected, atol=1e-5)


def test_a_file_gives_the_same_bits(model, tmp_path):
    X, _ = pictures(7, 7)
    model.save(tmp_path / "model.redunet")
    assert_array_equal(load(tmp_path / "model.redunet").predict_proba(X), model.predict_proba(X))


def test_weights_are_numbers_of_copies():
    """Up to the scale of the kernel, which is that of the landmarks: copies that differ by rounding are two of them."""
    X, y = pictures(18, 0)
    times = 1 + np.arange(18) % 2
    network = ReduNetClassifier("translation", lift=lift(), n_layers=0, aligned=False).fit(X, y).network_
    found = []
    once = np.ones(18, dtype=int)
    for weights, copies in ((times.astype(float), once), (np.ones(times.sum()), times), (np.ones(18), once)):
        samples, codes = np.repeat(X, copies, axis=0)[:, None], np.repeat(y, copies)
        training = TrainingSet(network, samples, Labels.of(np.arange(3), codes, weights), weights)
        evidence = aligned_evidence(training, samples)
        [(_, V)] = network.invariant_blocks(pictures(5, 1)[0][:, None])
        found.append(evidence.answer(3, 1.0).distances(V))
    assert_allclose(found[0], found[1], atol=3e-3)
    assert np.abs(found[0] - found[2]).max() > 6e-3


@pytest.mark.parametrize("n_landmarks", [None, 9])
def test_a_group_is_left_out_as_a_regression_without_it_says(n_landmarks, monkeypatch):
    """Whether a group has more samples than there are landmarks or fewer."""
    if n_landmarks is not None:
        monkeypatch.setattr(aligned_view, "SAMPLES_ALL_LANDMARKS", n_landmarks)
        monkeypatch.setattr(aligned_view, "MOST_LANDMARKS", n_landmarks)
    X, y = pictures(24, 0)
    network = ReduNetClassifier("translation", lift=lift(), n_layers=0, aligned=False).fit(X, y).network_
    labels, groups = Labels.of(np.arange(3), y), np.arange(24) % 2
    training = TrainingSet(network, X[:, None], labels, np.ones(24), groups=groups)
    found = aligned_evidence(training, X[:, None])
    assert found.view.n_landmarks == (n_landmarks or 24)
    F = coordinates(found.view, network, X[labels.order][:, None])
    for number in (2, 5):
        for group in (0, 1):
            mine = training.groups == group
            predict = regression(F[~mine], training.codes[~mine], found.answers.values[number])
            assert_allclose(found.answers.distances_of(number)[mine], 1 - predict(F[mine]), atol=1e-5)


def test_there_are_witnesses_however_many_samples_there_are(monkeypatch):
    """A sample that is a landmark is no witness, unless all are: then leaving one out is exact."""
    for module in (aligned_view, aligned_answer, training_set):
        for name, value in (("SAMPLES_ALL_LANDMARKS", 30), ("MOST_LANDMARKS", 20), ("SAMPLES_FOR_EVIDENCE", 20)):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, value)
    X, y = pictures(61, 0)
    network = ReduNetClassifier("translation", lift=lift(), n_layers=0, aligned=False).fit(X, y).network_
    for n, least in ((20, 18), (21, 18), (30, 18), (31, 9), (40, 18), (61, 18)):
        samples = X[:n, None]
        training = TrainingSet(network, samples, Labels.of(np.arange(3), y[:n]), np.ones(n))
        found = aligned_evidence(training, samples)
        assert found.view.n_landmarks == (n if n <= 30 else 20)
        assert np.count_nonzero(found.answers.weights) >= least


def test_the_order_of_samples_does_not_matter():
    X, y = pictures(30, 0)
    fitted = ReduNetClassifier("translation", random_state=0).fit(X, y)
    assert fitted.aligned_answer_ is not None
    new = pictures(20, 1)[0]
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(30)
        again = ReduNetClassifier("translation", random_state=0).fit(X[order], y[order])
        assert again.rank_ == fitted.rank_
        assert_allclose(again.predict_proba(new), fitted.predict_proba(new), atol=1e-3)


def test_groups_are_left_out_whole():
    X, y = pictures(60, 0)
    fitted = ReduNetClassifier("translation", lift=lift(), aligned=True).fit(X, y, groups=np.arange(60) // 6)
    assert 0 <= fitted.loo_score_ <= 1
    assert np.isfinite(fitted.predict_proba(X)).all()


def test_signals_are_compared_at_every_shift_too():
    rng = np.random.default_rng(0)
    X = np.zeros((40, 24))
    y = np.arange(40) % 2
    X[:, 3:7] = 1
    X[y == 0, 10:12] += 0.7
    X[y == 1, 14:16] += 0.7
    X += 0.3 * rng.standard_normal(X.shape)
    fitted = ReduNetClassifier("shift", lift=Lift("random", 6, 5, random_state=0), aligned=True).fit(X, y)
    assert fitted.aligned_answer_ is not None
    expected = fitted.predict_proba(X[:4])
    for shift in range(24):
        assert_array_equal(fitted.predict_proba(np.roll(X[:4], shift, 1)), expected)


def test_images_whose_lift_is_chosen_have_two_answers_and_others_have_one():
    X, y = pictures(60, 0)
    assert ReduNetClassifier("translation").fit(X, y).aligned_answer_ is not None
    for options in ({"lift": lift()}, {"membership": "code"}, {"n_layers": 1}, {"aligned": False}):
        assert ReduNetClassifier("translation", **options).fit(X, y).aligned_answer_ is None


def test_layers_that_are_added_later_take_the_place_of_the_second_answer(model):
    X, y = pictures(60, 0)
    grown = ReduNetClassifier("translation", lift=lift(), aligned=True, warm_start=True).fit(X, y)
    assert grown.aligned_answer_ is not None
    grown.set_params(n_layers=2, aligned=False).fit(X, y)
    assert grown.n_layers_ == 2
    assert grown.aligned_answer_ is None
    assert_allclose(grown.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"invariance": None}, "aligned=True needs signals or images; pass invariance"),
        (
            {"invariance": "shift", "construction": "moments"},
            "aligned=True needs all samples at hand; pass construction",
        ),
        ({"invariance": "shift", "n_layers": 3}, "aligned=True needs a network without layers; pass n_layers='auto'"),
    ],
)
def test_what_does_not_go_with_it_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        ReduNetClassifier(aligned=True, **options).fit(np.random.default_rng(0).random((8, 12)), np.arange(8) % 2)


@pytest.mark.parametrize("value", ["yes", 2, None])
def test_the_option_is_checked(value):
    with pytest.raises((ValueError, TypeError), match="aligned"):
        ReduNetClassifier("shift", aligned=value).fit(np.random.default_rng(0).random((8, 12)), np.arange(8) % 2)
