"""Explanations add up, move along with the sample, and point at what the answer depends on."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

import redunet
from redunet import Explanation, Lift, NearestSubspaceClassifier, PooledLift, ReduNetClassifier
from redunet.data.motifs import motifs_in_noise
from redunet.inputs.errors import InputError
from redunet.network.geometry import Geometry
from redunet.numerics.removal import stretches
from tests.reference import attribution as slow

ROUNDING = 3e-6  # of distances of single precision


def signals(n=24, channels=1, length=31, seed=0, dtype=np.float64, noise=0.4):
    """Signals of three classes that differ by frequency, with noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    t = 2 * np.pi * (np.arange(length) / length + rng.uniform(size=(n, 1, 1)))
    X = np.sin(t * (1 + y[:, None, None]) * (1 + np.arange(channels))[:, None])
    return (X + noise * rng.standard_normal((n, channels, length))).astype(dtype), y


def images(n=24, channels=1, shape=(8, 9), seed=0):
    """Images of two classes, stripes along one axis or the other, with noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    wave = np.sin(2 * np.pi * np.indices(shape) / np.array(shape)[:, None, None])[y][:, None]
    return wave + 0.3 * rng.standard_normal((n, channels, *shape)), y


def tables(n=40, features=5, seed=0):
    """Vectors of three classes around different means."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.standard_normal((n, features)) + 2 * np.eye(features)[y], y


def few_filters(**options):
    return Lift("random", 6, 5, random_state=0, **options)


# Every geometry, lift and measure, with layers and without, by name: classifier, samples and labels.
CASES = {
    "table, subspaces": (ReduNetClassifier(membership="subspace"), tables()),
    "table, codes, layers": (ReduNetClassifier(membership="code", n_layers=3), tables()),
    "table, regression": (ReduNetClassifier(membership="regression"), tables()),
    "table, not affine": (ReduNetClassifier(affine=False, membership="softmax", n_layers=2), tables()),
    "wide table, subspaces, layers": (ReduNetClassifier(membership="subspace", n_layers=2), tables(20, 60)),
    "wide table, codes": (ReduNetClassifier(membership="code"), tables(20, 60)),
    "wide table, regression": (ReduNetClassifier(membership="regression"), tables(20, 60)),
    "nearest subspaces of vectors": (NearestSubspaceClassifier(2), tables()),
    "nearest subspaces of signals": (NearestSubspaceClassifier(1, invariance="shift"), signals(channels=3)),
    "channels, codes": (ReduNetClassifier("shift", membership="code"), signals(channels=3, length=16)),
    "channels, published, layers": (
        ReduNetClassifier("shift", convention="published", membership="subspace", n_layers=3),
        signals(channels=3),
    ),
    "single precision": (
        ReduNetClassifier("shift", membership="subspace", lift=few_filters()),
        signals(dtype=np.float32),
    ),
    "lift, soft": (ReduNetClassifier("shift", membership="subspace", lift=few_filters()), signals()),
    "lift, relu, pool, layers": (
        ReduNetClassifier("shift", membership="code", lift=few_filters(threshold="relu", pool=2.5), n_layers=2),
        signals(),
    ),
    "lift of two channels, pad": (
        ReduNetClassifier("shift", membership="subspace", lift=few_filters(pad=7, pool=2)),
        signals(channels=2),
    ),
    "images": (ReduNetClassifier("translation", lift="none", membership="subspace"), images(channels=2)),
    "images, lift, pool": (
        ReduNetClassifier("translation", lift=Lift("patches", 5, 3, pool=2, random_state=0)),
        images(),
    ),
    "images, pad, layers": (
        ReduNetClassifier("translation", lift=Lift("random", 5, 3, pad=(2, 0), random_state=0), n_layers=1),
        images(),
    ),
    "pooled": (ReduNetClassifier("shift", lift=PooledLift(3, 2)), signals()),
    "pooled, channels, pad": (ReduNetClassifier("shift", lift=PooledLift(2, 2, pad=5)), signals(channels=2)),
    "pooled, layers": (ReduNetClassifier("shift", lift=PooledLift(2, 1), n_layers=2), signals()),
    "pooled, subspaces": (ReduNetClassifier("shift", lift=PooledLift(2, 1), membership="subspace"), signals()),
    "two answers": (ReduNetClassifier("shift", lift=[PooledLift(2, 1), few_filters()]), signals(60, noise=1.2)),
}
# Where a constant coordinate or log-determinants have a part that belongs to no position.
HAVE_OFFSET = {
    name
    for name in CASES
    if ("table" in name and "not affine" not in name) or "code" in name or "vectors" in name or "pool" in name
} | {"two answers"}


@pytest.fixture(scope="module")
def fitted():
    """Classifiers of all cases, fitted when they are first asked for."""
    found = {}

    def fit(name):
        if name not in found:
            clf, (X, y) = CASES[name]
            found[name] = clf.fit(X, y), X
        return found[name]

    return fit


def sums(positions):
    return np.array([one.sum() for one in positions])


@pytest.mark.parametrize("name", CASES)
def test_shares_add_up_to_the_difference(name, fitted):
    clf, X = fitted(name)
    found = clf.explain(X)
    distances = clf.distances(X)
    ordered = np.sort(distances, axis=1)
    assert isinstance(found, Explanation)
    assert_array_equal(found.distances, distances)
    assert_array_equal(found.nearest, clf.predict(X))
    assert_allclose(found.difference, ordered[:, 1] - ordered[:, 0])
    assert (found.nearest != found.other).all()
    assert found.positions.shape == X.shape
    assert_allclose(sums(found.positions) + found.offset, found.difference, atol=1e-9)
    assert_allclose(found.parts.sum(axis=1), found.difference, atol=1e-9)
    assert found.parts.shape == (len(X), len(found.part_names))
    assert found.part_names[-1] == "constant"
    # What positions and parts leave is the same, but for rounding.
    assert_allclose(found.parts[:, -1], found.offset, atol=1e-9)
    if name not in HAVE_OFFSET:
        assert np.abs(found.offset).max() < ROUNDING


@pytest.mark.parametrize("name", ["channels, published, layers", "lift, soft", "single precision", "two answers"])
def test_two_answers_and_layers_are_in_the_cases(name, fitted):
    clf, _ = fitted(name)
    assert (len(clf.further_answers_) > 0) == (name == "two answers")
    assert (clf.n_layers_ > 0) == ("layers" in name)


@pytest.mark.parametrize("name", [name for name in CASES if "table" not in name and "vectors" not in name])
def test_the_explanation_of_a_shifted_sample_is_the_shifted_explanation(name, fitted):
    clf, X = fitted(name)
    if "pad" in name:  # circular shifts change the answer; those that stay within the zeros of the sample do not
        X = np.where(np.arange(X.shape[-1]) < X.shape[-1] - 5, X, 0)
    by, axis = 3, X.ndim - 1
    found, moved = clf.explain(X), clf.explain(np.roll(X, by, axis=axis))
    expected = np.roll(found.positions, by, axis=axis)
    if "pad" in name:  # what is spread evenly depends on how many of the zeros belong to the sample
        change = np.where(np.roll(X, by, axis=axis) == 0, np.nan, moved.positions - expected).reshape(len(X), -1)
        assert np.nanmax(np.nanmax(change, axis=1) - np.nanmin(change, axis=1)) < 1e-12
        assert np.nanmax(np.abs(change)) < 0.1 * np.abs(expected).max()
    else:
        assert_array_equal(moved.positions, expected)
    assert_array_equal(moved.difference, found.difference)
    assert_array_equal(moved.parts, found.parts)
    assert_allclose(moved.offset, found.offset, atol=1e-12)


@given(by=st.integers(0, 99), length=st.integers(9, 20), kind=st.sampled_from(["none", "filters", "pooled"]))
def test_explanations_move_along(by, length, kind):
    X, y = signals(12, 2, length, seed=by)
    lift = {"none": None, "filters": Lift("random", 4, 2, random_state=0), "pooled": PooledLift(1, 1)}[kind]
    clf = ReduNetClassifier("shift", lift=lift, n_layers=by % 2).fit(X, y)
    found, moved = clf.explain(X).positions, clf.explain(np.roll(X, by, axis=-1)).positions
    assert_array_equal(moved, np.roll(found, by, axis=-1))


def test_a_periodic_signal_has_an_explanation_that_is_periodic_or_moves_by_its_period(fitted):
    periodic = np.tile(np.random.default_rng(3).standard_normal((1, 1, 8)), 4)
    X, y = signals(length=32)
    clf = ReduNetClassifier("shift", membership="subspace", lift=few_filters()).fit(X, y)
    found = clf.explain(periodic).positions
    assert_allclose(np.roll(found, 8, axis=-1), found, atol=1e-12)
    clf = ReduNetClassifier("shift", lift=PooledLift(2, 1)).fit(X, y)
    found, moved = clf.explain(periodic).positions, clf.explain(np.roll(periodic, 3, axis=-1)).positions
    assert any((np.roll(found, 3 + 8 * k, axis=-1) == moved).all() for k in range(4))


def test_shares_of_subspaces_are_what_the_definition_says():
    X, y = signals(channels=3, length=10)
    clf = NearestSubspaceClassifier(2, invariance="shift").fit(X, y)
    found = clf.explain(X[:4], classes=(1, 2))
    for sample, shares in zip(X, found.positions, strict=False):
        expected = slow.subspace_shares(sample / np.linalg.norm(sample), clf.answers_.bases[1], clf.answers_.bases[2])
        assert_allclose(shares, expected, atol=1e-12)


def test_shares_of_a_regression_are_coefficients_times_features():
    X, y = tables()
    clf = ReduNetClassifier(membership="regression").fit(X, y)
    found = clf.explain(X, classes=(2, 0))
    vectors = np.column_stack([X, np.full(len(X), clf.network_.geometry.offset)])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    shares = vectors * (clf.answers_.coefficients[2, 0] - clf.answers_.coefficients[0, 0])
    assert_allclose(found.positions, shares[:, :-1], atol=1e-12)
    assert_allclose(found.offset, shares[:, -1], atol=2e-9)
    assert_array_equal(found.part_names, [f"feature {i}" for i in range(5)] + ["constant"])


def test_the_log_determinants_of_codes_belong_to_no_position():
    X, y = signals(channels=3)
    clf = ReduNetClassifier("shift", membership="code", n_layers=0).fit(X, y)
    found = clf.explain(X, classes=(0, 2))
    assert_allclose(found.offset, clf.answers_.offset[2] - clf.answers_.offset[0], atol=2e-9)
    assert np.abs(found.offset).max() > 1e-4


def test_the_frequency_that_tells_classes_apart_has_the_largest_part():
    rng = np.random.default_rng(0)
    t, y = 2 * np.pi * np.arange(32) / 32, np.arange(40) % 2
    start = rng.uniform(0, 2 * np.pi, size=(40, 1))
    # The second channel is a quarter of a period ahead or behind; only at frequency 7 is there anything but noise.
    X = np.stack([np.sin(7 * t + start), np.sin(7 * t + start + np.pi * (y[:, None] - 0.5))], axis=1)
    X += 0.2 * rng.standard_normal(X.shape)
    found = NearestSubspaceClassifier(1, invariance="shift").fit(X, y).explain(X)
    assert_array_equal(found.part_names, [*(f"frequency {p}" for p in range(17)), "constant"])
    assert (found.parts.argmax(axis=1) == 7).all()


def test_frequencies_of_images_are_counted_by_their_length():
    numbers = Geometry((1, 5, 8)).frequency_numbers.reshape(5, 5)
    assert_array_equal(numbers[0], [0, 1, 2, 3, 4])
    assert_array_equal(numbers[:, 0], [0, 1, 2, 2, 1])
    assert numbers[2, 3] == round(np.hypot(2, 3))
    assert_array_equal(Geometry((3,)).frequency_numbers, [0])


def test_a_span_changes_no_share():
    X, y = tables(20, 60)
    clf = NearestSubspaceClassifier(2).fit(X, y)
    assert clf.network_.span is not None
    found = clf.explain(X)
    vectors = np.column_stack([X, np.full(len(X), clf.network_.geometry.offset)])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    basis = np.pad(clf.network_.span.basis, [(0, 0), (0, 1)])  # what lies outside is in no class subspace
    for i, (v, near, far) in enumerate(zip(vectors, found.nearest, found.other, strict=True)):
        near, far = (basis @ clf.answers_.bases[j, 0] for j in (near, far))
        expected = (
            v * (near @ (near.T @ v) - far @ (far.T @ v)) / found.distances[i, [found.nearest[i], found.other[i]]].sum()
        )
        assert_allclose(found.positions[i], expected[:-1], atol=1e-8)


def test_shares_of_a_lift_go_to_the_values_that_its_filters_see():
    X, y = signals(length=12)
    lift = Lift("random", 4, 3, random_state=0)
    clf = ReduNetClassifier("shift", lift=lift, membership="subspace", n_layers=0).fit(X, y)
    found = clf.explain(X[:3], classes=(0, 1))
    bank, bases = clf.lift_.bank_, clf.answers_.bases
    for sample, shares in zip(X, found.positions, strict=False):
        responses = bank(sample[None])[0]
        of_responses = slow.subspace_shares(responses / np.linalg.norm(responses), bases[0], bases[1])
        assert_allclose(shares, slow.value_shares(of_responses, sample, bank.filters[0]), atol=1e-5)


def test_shares_of_pooled_features_are_what_is_lost_without_each_stretch():
    X, y = signals(length=70)
    clf = ReduNetClassifier("shift", lift=PooledLift(2, 2)).fit(X, y)
    found = clf.explain(X[:3], classes=(0, 1))
    bank, answers = clf.lift_.bank_, clf.answers_

    def difference_of(signal):
        distances = answers.distances(bank.unit_vectors(signal[None, None]).T[None])[0]
        return distances[1] - distances[0]

    for i, sample in enumerate(X[:3]):
        origin = int(sample[0].argmax())  # random values: the representative starts with the largest
        shares = slow.removal_shares(
            difference_of, sample[0], found.difference[i] - found.offset[i], (stretches(70) + origin) % 70
        )
        assert_allclose(found.positions[i, 0], shares, atol=1e-6)


def test_signals_of_unequal_lengths_have_explanations_of_their_own_length():
    X, y = signals(length=40)
    unequal = [signal[:, : 25 + i % 15] for i, signal in enumerate(X)]
    clf = ReduNetClassifier("shift", lift=PooledLift(2, 1)).fit(unequal, y)
    found = clf.explain(unequal)
    assert [one.shape for one in found.positions] == [one.shape for one in unequal]
    assert_allclose(sums(found.positions) + found.offset, found.difference, atol=1e-9)
    moved = clf.explain([np.roll(one, 4, axis=-1) for one in unequal])
    for before, after in zip(found.positions, moved.positions, strict=True):
        assert_array_equal(after, np.roll(before, 4, axis=-1))
    some = found[2:4]
    assert_array_equal(some.positions[1], found.positions[3])
    assert "position" in repr(some)


def test_how_many_samples_are_explained_together_does_not_matter(fitted, monkeypatch):
    clf, X = fitted("lift, relu, pool, layers")
    found = clf.explain(X)
    monkeypatch.setattr("redunet.network.network.LOCATED_SAMPLES", 5)
    assert_allclose(clf.explain(X).positions, found.positions, atol=1e-12)


def test_classes_can_be_given():
    X, y = tables()
    labels = np.array(["red", "green", "blue"])[y]
    clf = ReduNetClassifier(membership="subspace").fit(X, labels)
    forth, back = clf.explain(X, classes=("red", "blue")), clf.explain(X, classes=["blue", "red"])
    assert_array_equal(forth.nearest, "red")
    assert_allclose(forth.difference, -back.difference)
    assert_allclose(forth.positions, -back.positions, atol=1e-12)
    by_default = clf.explain(X)
    again = clf.explain(X, classes=(by_default.nearest, by_default.other))
    assert_array_equal(again.positions, by_default.positions)
    mixed = clf.explain(X, classes=("red", np.where(y == 0, "blue", "green")))
    assert_array_equal(mixed.other == "blue", y == 0)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ((0, 7), "7, which was not seen in fit; pass two of 0, 1, 2"),
        ((1, 1), "compares class 1 with itself"),
        ((0,), "must be a pair of labels"),
        (3, "must be a pair of labels"),
        ("ab", "must be a pair of labels"),
        (([0, 1], 2), r"labels of shape \(2,\) but X has 40 samples"),
    ],
)
def test_classes_that_cannot_be_compared_are_refused(classes, message):
    X, y = tables()
    clf = ReduNetClassifier(membership="subspace").fit(X, y)
    with pytest.raises(InputError, match=message):
        clf.explain(X, classes=classes)


def test_nothing_is_explained_before_fit():
    for clf in (ReduNetClassifier(), NearestSubspaceClassifier()):
        with pytest.raises(NotFittedError):
            clf.explain(np.ones((2, 3)))


def test_an_explanation_is_a_sequence_that_describes_itself(fitted):
    clf, X = fitted("lift, soft")
    found = clf.explain(X)
    assert len(found) == len(X)
    assert_array_equal(found[3].positions, found.positions[3:4])
    assert_array_equal(found[-1].difference, found.difference[-1:])
    assert_array_equal(found[5:9].parts, found.parts[5:9])
    assert_array_equal(found[found.nearest == 1].nearest, 1)
    assert len(list(found)) == len(found)
    words = repr(found)
    assert f"Explanation of {len(X)} samples" in words
    assert "rather than" in words
    assert "frequency" in repr(found[0])
    with pytest.raises(AttributeError):
        found.difference = 0
    assert_array_equal(pickle.loads(pickle.dumps(found)).positions, found.positions)


def test_features_of_a_frame_have_their_names():
    pandas = pytest.importorskip("pandas")
    X, y = tables()
    frame = pandas.DataFrame(X, columns=list("abcde"))
    found = ReduNetClassifier(membership="regression").fit(frame, y).explain(frame)
    assert_array_equal(found.part_names, [*"abcde", "constant"])


def test_a_loaded_model_gives_the_same_explanations(fitted, tmp_path):
    for name in ("two answers", "wide table, codes", "images, pad, layers"):
        clf, X = fitted(name)
        clf.save(tmp_path / "model")
        loaded = redunet.load(tmp_path / "model")
        assert_array_equal(loaded.explain(X).positions, clf.explain(X).positions)


@pytest.mark.parametrize("options", [{}, {"membership": "subspace"}], ids=["default", "subspaces"])
def test_a_motif_has_most_of_the_positive_shares(options):
    X, y, _ = motifs_in_noise(45, random_state=0)
    X_new, y_new, on_motif = motifs_in_noise(30, random_state=1)
    clf = ReduNetClassifier("shift", **options).fit(X, y)
    found = clf.explain(X_new)
    assert (found.nearest == y_new).mean() > 0.95
    positive = np.clip(found.positions[:, 0], 0, None)
    assert ((positive * on_motif).sum(axis=1) / positive.sum(axis=1)).mean() > 0.8


@pytest.mark.parametrize("options", [{}, {"membership": "subspace"}], ids=["default", "subspaces"])
def test_deleting_the_largest_shares_costs_more_than_deleting_at_random(options):
    X, y, _ = motifs_in_noise(45, noise=0.5, random_state=0)
    X_new, _, _ = motifs_in_noise(30, noise=0.5, random_state=1)
    clf = ReduNetClassifier("shift", **options).fit(X, y)
    found = clf.explain(X_new)

    def margin_without(order):
        deleted = X_new.copy()
        for signal, last in zip(deleted, order[:, -20:], strict=True):
            left = np.setdiff1d(np.arange(200), last)
            signal[last] = np.interp(last, left, signal[left], period=200)
        return clf.explain(deleted, classes=(found.nearest, found.other)).difference.mean()

    at_random = np.random.default_rng(0).permuted(np.tile(np.arange(200), (30, 1)), axis=1)
    largest = np.argsort(found.positions[:, 0], axis=1)
    lost, lost_at_random = (found.difference.mean() - margin_without(order) for order in (largest, at_random))
    assert lost > 2 * lost_at_random
    assert lost > 0.1 * found.difference.mean()
