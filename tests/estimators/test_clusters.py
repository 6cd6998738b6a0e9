"""Laws of clusters by coding length: what may not change them, what they must find, and what is refused."""

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits, make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

import redunet
from redunet import Lift, RateReductionClustering
from redunet.clustering.reassignment import Segmentation
from redunet.inputs.errors import InputError, InputTypeError
from redunet.storage.model_file_error import ModelFileError


def planted_subspaces(seed, n_dimensions=30, noise=0.05):
    """Two to six subspaces of 1 to 5 dimensions through the origin, 40 to 120 samples each, 5 % noise."""
    rng = np.random.default_rng(seed)
    samples, labels = [], []
    for j in range(rng.integers(2, 7)):
        d, m = rng.integers(1, 6), rng.integers(40, 120)
        basis = np.linalg.qr(rng.normal(size=(n_dimensions, d)))[0]
        away = noise * np.sqrt(d / n_dimensions) * rng.normal(size=(m, n_dimensions))
        samples.append(rng.normal(size=(m, d)) @ basis.T + away)
        labels += [j] * m
    return np.concatenate(samples), np.array(labels)


def signals(seed=0, n_channels=1, n=60, length=48):
    """Two kinds of waves at random places, with noise."""
    rng = np.random.default_rng(seed)
    t, kind = np.arange(length) / length, np.arange(n) % 2
    waves = np.stack([np.sign(np.sin(2 * np.pi * t)), np.sin(4 * np.pi * t) ** 3])
    channels = np.stack([np.roll(waves, 3 * c, axis=1) for c in range(n_channels)], axis=1)
    samples = channels[kind] * rng.uniform(0.8, 1.2, size=(n, 1, 1)) + 0.05 * rng.normal(size=(n, n_channels, length))
    return shifted(samples, seed), kind


def shifted(samples, seed):
    """Samples, each rolled by a number of its own along every cyclic axis."""
    rng = np.random.default_rng(seed)
    axes = tuple(range(1, samples.ndim - 1))
    return np.stack([np.roll(x, [rng.integers(x.shape[a]) for a in axes], axis=axes) for x in samples])


def images(seed=0, n=40):
    """Bars and rings in noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:14, :14]
    bar = (np.abs(x - 5) < 2) & (y < 9)
    ring = np.abs(np.hypot(x - 5, y - 5) - 4) < 1
    kind = np.arange(n) % 2
    return np.stack([bar, ring])[kind][:, None] + 0.02 * rng.random((n, 1, 14, 14)), kind


def same_fit(one, other):
    """Whether two clusterers have the same bits."""
    assert one.n_clusters_ == other.n_clusters_
    assert one.coding_length_ == other.coding_length_
    assert one.eps_ == other.eps_
    np.testing.assert_array_equal(one.children_, other.children_)
    np.testing.assert_array_equal(one.distances_, other.distances_)
    np.testing.assert_array_equal(one.codes_.whitening, other.codes_.whitening)


@pytest.mark.parametrize("seed", range(200, 206))
def test_planted_subspaces_are_found_and_counted(seed):
    X, y = planted_subspaces(seed)
    model = RateReductionClustering().fit(X)
    assert model.n_clusters_ == len(np.unique(y))
    assert adjusted_rand_score(y, model.labels_) >= 0.98


def test_digits_are_as_good_as_by_ward_and_better_than_by_k_means():
    X, y = load_digits(return_X_y=True)
    methods = RateReductionClustering(10), AgglomerativeClustering(10), KMeans(10, n_init=10, random_state=0)
    ours, ward, k_means = (adjusted_rand_score(y, one.fit_predict(X)) for one in methods)
    # Rounding errors of another machine may move a few samples, which is less than the methods differ by.
    assert ours >= ward - 0.02
    assert ours >= k_means + 0.05


def test_the_order_of_samples_has_no_influence():
    X, _ = planted_subspaces(1)
    order = np.random.default_rng(0).permutation(len(X))
    one, other = RateReductionClustering().fit(X), RateReductionClustering().fit(X[order])
    same_fit(one, other)
    np.testing.assert_array_equal(one.labels_[order], other.labels_)


def test_many_samples_are_grouped_around_centres_first_in_any_order():
    X, y = make_blobs(5000, n_features=6, centers=4, random_state=8)
    order = np.random.default_rng(1).permutation(len(X))
    one, other = RateReductionClustering().fit(X), RateReductionClustering().fit(X[order])
    same_fit(one, other)
    np.testing.assert_array_equal(one.labels_[order], other.labels_)
    assert adjusted_rand_score(y, one.labels_) == 1


@pytest.mark.parametrize("times", [2, 3])
def test_copies_of_all_samples_change_nothing(times):
    X, _ = planted_subspaces(2)
    one, other = RateReductionClustering().fit(X), RateReductionClustering().fit(np.repeat(X, times, axis=0))
    same_fit(one, other)
    np.testing.assert_array_equal(np.repeat(one.labels_, times), other.labels_)


def test_weights_are_copies_and_weight_zero_is_left_out():
    X, _ = make_blobs(120, centers=3, random_state=1)
    weights = np.arange(120) % 4
    one = RateReductionClustering().fit(X, sample_weight=weights)
    other = RateReductionClustering().fit(np.repeat(X, weights, axis=0))
    same_fit(one, other)
    np.testing.assert_array_equal(np.repeat(one.labels_, weights), other.labels_)
    np.testing.assert_array_equal(one.labels_, one.predict(X))


CYCLIC = {
    "signals, pooled": (signals(), {"invariance": "shift"}),
    "signals, filters": (signals(), {"invariance": "shift", "lift": "random"}),
    "channels, no lift": (signals(n_channels=3), {"invariance": "shift"}),
    "images, patches": (images(), {"invariance": "translation"}),
}


@pytest.mark.parametrize("case", CYCLIC)
def test_shifts_of_samples_change_no_bit(case):
    (X, kind), options = CYCLIC[case]
    model = RateReductionClustering(2, **options).fit(X)
    moved = RateReductionClustering(2, **options).fit(shifted(X, 7))
    same_fit(model, moved)
    np.testing.assert_array_equal(model.labels_, moved.labels_)
    np.testing.assert_array_equal(model.code_lengths(X), model.code_lengths(shifted(X, 8)))
    assert adjusted_rand_score(kind, model.labels_) == 1


def test_float32_and_a_given_lift():
    X, kind = signals(3)
    model = RateReductionClustering(2, invariance="shift", lift=Lift("wavelet", 8, random_state=1))
    assert adjusted_rand_score(kind, model.fit(X.astype(np.float32)).labels_) == 1
    assert not hasattr(model.lift, "bank_")  # what was given is not fitted itself


def test_the_scale_and_the_place_of_vectors_do_not_matter():
    X, _ = planted_subspaces(3)
    one = RateReductionClustering().fit(X)
    for other in (1e-100 * X, 1e90 * X, X + 5.0):
        assert adjusted_rand_score(one.labels_, RateReductionClustering().fit_predict(other)) == 1


def test_columns_can_be_brought_to_one_scale():
    X, y = make_blobs(200, n_features=3, centers=3, cluster_std=0.5, random_state=4)
    assert adjusted_rand_score(y, RateReductionClustering(standardise=True).fit_predict(X * [1, 1e6, 1e-6])) == 1


def test_without_a_mean_opposite_vectors_are_in_one_cluster():
    rng = np.random.default_rng(5)
    directions = np.linalg.qr(rng.normal(size=(8, 2)))[0].T
    y = np.arange(100) % 2
    X = directions[y] * rng.choice([-1, 1], size=(100, 1)) + 0.02 * rng.normal(size=(100, 8))
    assert adjusted_rand_score(y, RateReductionClustering(affine=False).fit_predict(X)) == 1
    assert RateReductionClustering().fit(X).n_clusters_ == 4


def test_more_features_than_samples():
    X, y = make_blobs(40, n_features=500, centers=3, random_state=6)
    assert adjusted_rand_score(y, RateReductionClustering(3).fit_predict(X)) == 1


def test_as_many_clusters_as_asked_for():
    X, _ = make_blobs(50, centers=3, random_state=2)
    for k in (1, 2, 7, 50):
        model = RateReductionClustering(k).fit(X)
        assert model.n_clusters_ == k == len(np.unique(model.labels_))
        assert model.children_.shape == (k - 1, 2)
        assert model.distances_.shape == (k - 1,)


def test_clusters_are_numbered_by_their_size():
    X, _ = make_blobs([20, 80, 50], centers=np.array([[0, 0], [9, 9], [-9, 9]]), random_state=3)
    assert np.bincount(RateReductionClustering().fit_predict(X)).tolist() == [80, 50, 20]


def test_joins_of_the_clusters_found_make_the_code_longer():
    X, _ = planted_subspaces(4)
    model = RateReductionClustering().fit(X)
    assert (model.distances_ > 0).all()
    fewer = RateReductionClustering(model.n_clusters_ - 1, eps=model.eps_).fit(X)
    assert fewer.coding_length_ > model.coding_length_


def test_memberships_are_probabilities_of_the_shortest_code():
    X, y = make_blobs(150, centers=[[0, 0], [6, 0]], random_state=0)
    model = RateReductionClustering(2).fit(X)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(shares.argmax(axis=1), model.predict(X))
    assert adjusted_rand_score(y, model.labels_) == 1
    across = model.predict_proba(np.stack([np.linspace(0, 6, 61), np.zeros(61)], axis=1))[:, 0]
    assert max(across[0], across[-1]) > 0.999
    assert min(across[0], across[-1]) < 0.001
    assert ((across > 0.1) & (across < 0.9)).any()  # between them, neither is sure


# Kernels.


@pytest.mark.parametrize("make", [make_moons, make_circles])
def test_clusters_of_a_kernel_may_bend_around_each_other(make):
    X, y = make(300, noise=0.03, random_state=0, **({"factor": 0.4} if make is make_circles else {}))
    assert adjusted_rand_score(y, RateReductionClustering(2).fit_predict(X)) < 0.5
    assert adjusted_rand_score(y, RateReductionClustering(2, kernel="rbf").fit_predict(X)) == 1


def test_the_linear_kernel_gives_the_clusters_of_the_samples():
    X, _ = planted_subspaces(3)
    one, other = RateReductionClustering().fit(X), RateReductionClustering(kernel="linear").fit(X)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.coding_length_ == pytest.approx(other.coding_length_, rel=1e-2)


def test_gamma_is_one_over_the_median_squared_distance():
    X = make_moons(80, noise=0.1, random_state=1)[0]
    pairs = [np.square(a - b).sum() for i, a in enumerate(X) for b in X[:i]]
    model = RateReductionClustering(2, kernel="rbf").fit(X)
    assert model.network_.kernel.gamma == pytest.approx(1 / np.median(pairs))
    given = RateReductionClustering(2, kernel="rbf", gamma=model.network_.kernel.gamma).fit(X)
    same_fit(model, given)


@pytest.mark.parametrize("options", [{}, {"n_landmarks": 30}, {"standardise": True}, {"affine": False}], ids=str)
def test_order_and_copies_change_nothing_with_a_kernel(options, tmp_path):
    X = make_moons(100, noise=0.05, random_state=2)[0] + 3
    order = np.random.default_rng(0).permutation(100)
    one = RateReductionClustering(2, kernel="rbf", **options).fit(X)
    same_fit(one, RateReductionClustering(2, kernel="rbf", **options).fit(X[order]))
    same_fit(one, RateReductionClustering(2, kernel="rbf", **options).fit(np.repeat(X, 2, axis=0)))
    one.save(tmp_path / "clusters.redunet")
    np.testing.assert_array_equal(redunet.load(tmp_path / "clusters.redunet").predict(X), one.labels_)
    again = RateReductionClustering(2, kernel=one.network_.kernel, **options).fit(X)
    np.testing.assert_array_equal(again.labels_, one.labels_)


def test_a_function_is_a_kernel():
    X, y = make_circles(200, noise=0.03, factor=0.4, random_state=0)
    model = RateReductionClustering(2, kernel=lambda A, B: (A @ B.T + 1) ** 2)
    assert adjusted_rand_score(y, model.fit_predict(X)) == 1


# Layers.


@pytest.mark.parametrize("n_clusters", [3, "auto"])
def test_clusters_among_the_features_of_layers_never_make_the_code_longer(n_clusters):
    X = load_digits().data[:300]
    one = RateReductionClustering(n_clusters).fit(X)
    deeper = RateReductionClustering(n_clusters, n_layers=3).fit(X)
    assert deeper.coding_length_ <= one.coding_length_ * (1 + 1e-12)
    assert n_clusters == "auto" or deeper.n_clusters_ == n_clusters


def test_layers_lead_out_of_clusters_that_a_poor_search_ends_in(monkeypatch):
    X, y = planted_subspaces(5)
    rng, k = np.random.default_rng(0), len(np.unique(y))
    search = RateReductionClustering._search
    poor = []

    def first_poor(self, network, space, V, weights, seed):
        share, rule, found = search(self, network, space, V, weights, seed)
        if not poor:  # the search before any layer ends with a quarter of the samples at random
            labels = np.where(rng.random(len(weights)) < 0.25, rng.integers(k, size=len(weights)), found.labels)
            found = Segmentation.of(V, weights, labels, rule)
            poor.append(found.length)
        return share, rule, found

    monkeypatch.setattr(RateReductionClustering, "_search", first_poor)
    model = RateReductionClustering(k, n_layers=3).fit(X)
    assert adjusted_rand_score(y, model.labels_) >= 0.98
    assert model.coding_length_ < poor[0]


def test_with_layers_shifts_of_samples_change_no_bit():
    X, kind = signals()
    one = RateReductionClustering(2, invariance="shift", n_layers=2).fit(X)
    same_fit(one, RateReductionClustering(2, invariance="shift", n_layers=2).fit(shifted(X, 7)))
    assert adjusted_rand_score(kind, one.labels_) == 1


@pytest.mark.parametrize("case", ["vectors", *CYCLIC])
def test_model_files_hold_the_clusters(case, tmp_path):
    (X, _), options = CYCLIC[case] if case in CYCLIC else (planted_subspaces(6), {})
    model = RateReductionClustering(2, **options).fit(X)
    model.save(tmp_path / "clusters.redunet")
    loaded = redunet.load(tmp_path / "clusters.redunet")
    np.testing.assert_array_equal(model.code_lengths(X), loaded.code_lengths(X))
    for name in ("labels_", "children_", "distances_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(loaded, name))
    assert (loaded.n_clusters_, loaded.coding_length_, loaded.eps_) == (2, model.coding_length_, model.eps_)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("labels_", np.full(3, 9)),
        ("n_clusters_", 3),
        ("children_", np.array([[0, 5]])),
        ("distances_", np.array([np.nan])),
        ("coding_length_", float("nan")),
        ("eps_", -1.0),
    ],
)
def test_files_whose_parts_do_not_fit_are_refused(name, value, tmp_path):
    model = RateReductionClustering(2).fit(make_blobs(30, centers=2, random_state=0)[0])
    setattr(model, name, value)
    model.save(tmp_path / "clusters.redunet")
    with pytest.raises(ModelFileError):
        redunet.load(tmp_path / "clusters.redunet")


POINTS = np.random.default_rng(0).normal(size=(10, 3))


@pytest.mark.parametrize(
    ("options", "X", "message"),
    [
        ({"n_clusters": 11}, POINTS, "n_clusters=11 but X has 10 different samples of 10"),
        ({"n_clusters": 2}, np.ones((5, 3)), "all 5 samples of X are the same, so"),
        ({}, np.ones((5, 3)), "all 5 samples of X are the same, so"),
        ({"invariance": "shift"}, [np.roll(POINTS[:, 0], s) for s in range(4)], "are the same (up to shifts)"),
        ({}, POINTS[:1], "X has 1 sample"),
        ({}, np.where(POINTS > 1, np.nan, POINTS), "NaN"),
        ({"affine": False}, POINTS * (np.arange(10) > 3)[:, None], "zero"),
        ({"n_clusters": 0}, POINTS, "n_clusters must be >= 1, got 0"),
        ({"n_clusters": 11, "kernel": "rbf"}, POINTS, "n_clusters=11 but X has 10 different samples of 10"),
        ({"kernel": "rbf"}, np.ones((5, 3)), "all 5 samples of X are the same, so"),
        ({"kernel": lambda A, B: A[:, :1] + 0 * B[:, 0]}, POINTS, "kernel must be symmetric"),
        ({"kernel": lambda A, B: -(A @ B.T)}, POINTS, "kernel"),
        ({"kernel": "sigmoid"}, POINTS, "kernel must be one of"),
        ({"kernel": "rbf", "gamma": 0.0}, POINTS, "gamma must be > 0"),
        ({"kernel": "rbf", "n_landmarks": 0}, POINTS, "n_landmarks must be >= 1"),
        ({"kernel": "rbf", "invariance": "shift"}, POINTS, "kernel compares plain vectors"),
        (
            {"kernel": "cosine"},
            np.outer(np.arange(1, 9), [1, 2, 3]),
            "have the same features, so that there is nothing",
        ),
        ({"kernel": "rbf", "gamma": 1e-300}, POINTS, "pass another kernel, or a larger gamma."),
        ({"n_layers": -1}, POINTS, "n_layers must be >= 0"),
        ({"n_clusters": "many"}, POINTS, "n_clusters must be 'auto', got 'many'"),
        ({"eps": -1.0}, POINTS, "eps must be > 0"),
        ({"eps": "small"}, POINTS, "eps must be 'auto', got 'small'"),
        ({"standardise": "auto"}, POINTS, "standardise must be True or False"),
        ({"lift": "patches"}, POINTS, "lift takes signals or images"),
        ({"lift": [Lift(), Lift()], "invariance": "shift"}, POINTS, "pass one lift"),
        ({"invariance": "shift"}, [POINTS[0], POINTS[:, 0]], "signals of unequal lengths"),
    ],
)
def test_what_cannot_be_clustered_is_refused_in_words(options, X, message):
    with pytest.raises((InputError, InputTypeError, ValueError)) as error:
        RateReductionClustering(**options).fit(X)
    assert message in str(error.value)
