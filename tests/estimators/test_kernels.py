"""Kernels in the estimators: the linear one is the vector network, others are networks of features written out."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score

import redunet
from redunet import (
    NearestSubspaceClassifier,
    ReduNet,
    ReduNetClassifier,
    class_coding_rate,
    coding_rate,
    rate_reduction,
)
from redunet.inputs.errors import InputError, InputTypeError
from redunet.network.kernel_map import KernelMap
from redunet.storage.model_file_error import ModelFileError
from tests.reference.slow_kernels import monomials, products

X, Y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
TRAIN, TEST, LABELS = X[::2], X[1::2], Y[::2]
# Far more features than samples.
WIDE = np.tanh(X @ np.random.default_rng(0).standard_normal((13, 400)))
RINGS_Y = np.arange(240) % 2


def rings():
    """Two rings around the origin, which no subspace and no plane tells apart."""
    rng = np.random.default_rng(3)
    angle, radius = rng.uniform(0, 2 * np.pi, 240), 1 + 2 * RINGS_Y + 0.2 * rng.standard_normal(240)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


OPTIONS = [
    {},
    {"membership": "regression"},
    {"membership": "code", "n_layers": 3},
    {"membership": "subspace", "n_layers": 4, "rank": 3},
    {"membership": "softmax", "n_layers": 4, "affine": False},
    {"n_layers": 3, "momentum": 0.5, "membership": "softmax"},
]


@pytest.mark.parametrize("samples", [X, WIDE], ids=["few features", "many features"])
@pytest.mark.parametrize("options", OPTIONS)
def test_the_linear_kernel_is_the_vector_network(samples, options):
    plain = ReduNetClassifier(**options).fit(samples[::2], LABELS)
    linear = ReduNetClassifier(kernel="linear", **options).fit(samples[::2], LABELS)
    assert (linear.membership_, linear.rank_, linear.n_layers_) == (plain.membership_, plain.rank_, plain.n_layers_)
    assert_allclose(linear.eps_, plain.eps_, rtol=1e-12)
    assert_allclose(linear.distances(samples), plain.distances(samples), atol=1e-8)
    assert_allclose(linear.predict_proba(samples), plain.predict_proba(samples), atol=1e-6)
    assert_allclose(linear.history_.coding_rate, plain.history_.coding_rate, atol=1e-8)
    assert_allclose(linear.history_.class_coding_rate, plain.history_.class_coding_rate, atol=1e-8)
    assert linear.loo_score_ == plain.loo_score_


@pytest.mark.parametrize("samples", [X, WIDE], ids=["few features", "many features"])
def test_features_of_the_linear_kernel_have_the_inner_products_of_the_vector_network(samples):
    plain = ReduNet(n_layers=6).fit(samples[::2], LABELS)
    linear = ReduNet(n_layers=6, kernel="linear").fit(samples[::2], LABELS)
    of_training, ours = plain.transform(samples[::2]), linear.transform(samples[::2])
    assert_allclose(ours @ ours.T, of_training @ of_training.T, atol=1e-8)
    assert_allclose(ours @ linear.transform(samples).T, of_training @ plain.transform(samples).T, atol=1e-8)
    for mine, its in zip(linear.network_.layers, plain.network_.layers, strict=True):
        assert_allclose(mine.step_size, its.step_size)
        assert_allclose(eigenvalues_inside(mine), eigenvalues_inside(its), atol=1e-8)


def eigenvalues_inside(layer):
    """Eigenvalues of the expansion that samples give it, ascending; others are α."""
    found = np.linalg.eigvalsh(layer.expansion[0])
    return found[:12]


@pytest.mark.parametrize("options", [{}, {"affine": False}])
def test_the_polynomial_kernel_is_the_network_of_its_monomials(options):
    samples = X[:, :3]
    gamma = 0.2
    written_out = monomials(samples, gamma)
    assert_allclose(written_out @ written_out.T, products("poly", gamma, samples, samples), atol=1e-10)
    kernel = ReduNet(kernel="poly", gamma=gamma, n_layers=3, eps=0.3, **options).fit(samples[::2], LABELS)
    # Rates count one dimension more than there are landmarks, and the monomials have another number: ε makes up for it.
    dimension = kernel.network_.space.dimension
    n_written = written_out.shape[1] + (options.get("affine", True) is True)
    plain = ReduNet(n_layers=3, eps=0.3 * np.sqrt(n_written / dimension), **options).fit(written_out[::2], LABELS)
    assert_allclose(kernel.history_.rate_reduction, plain.history_.rate_reduction, atol=1e-8)
    ours, its = kernel.transform(samples), plain.transform(written_out)
    assert_allclose(ours @ ours.T, its @ its.T, atol=1e-7)


def test_regression_with_a_kernel_is_kernel_ridge_regression():
    model = ReduNetClassifier(kernel="rbf", gamma=0.05, membership="regression", eps=0.4, n_layers=0).fit(TRAIN, LABELS)
    K, between = products("rbf", 0.05, TRAIN, TRAIN), products("rbf", 0.05, TEST, TRAIN)
    # On the sphere, with a constant coordinate of 1: the kernel (k + 1) / 2, and labels over √2.
    K, between, m = (K + 1) / 2, (between + 1) / 2, len(TRAIN)
    ridge = m * 0.4**2 / (m + 2)
    targets = (LABELS[:, None] == np.arange(3)) / np.sqrt(2)
    predicted = between @ np.linalg.solve(K + ridge * np.eye(m), targets)
    assert_allclose(model.distances(TEST), 1 - predicted, atol=1e-8)


def test_left_out_samples_are_answered_as_without_them():
    options = {"kernel": "rbf", "gamma": 0.05, "membership": "code", "eps": 0.3, "n_layers": 0}
    model = ReduNetClassifier(**options).fit(TRAIN, LABELS)
    correct = []
    for i in range(len(TRAIN)):
        rest = np.delete(np.arange(len(TRAIN)), i)
        # The constants stay those of all samples: the length of the constant coordinate, and the dimension.
        dimension, fewer = model.network_.space.dimension, len(rest) + 2
        options["eps"] = 0.3 * np.sqrt(fewer / dimension)
        without = ReduNetClassifier(**options, affine=1.0).fit(TRAIN[rest], LABELS[rest])
        correct.append(without.predict(TRAIN[i : i + 1])[0] == LABELS[i])
    assert_allclose(model.evidence_.best_score, np.mean(correct), atol=1.5 / len(TRAIN))


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_rings_are_told_apart_by_kernels_and_by_nothing_plain(kernel):
    samples = rings()
    model = ReduNetClassifier(kernel=kernel).fit(samples[:160], RINGS_Y[:160])
    assert model.score(samples[160:], RINGS_Y[160:]) > 0.97
    linear = ReduNetClassifier(membership="regression").fit(samples[:160], RINGS_Y[:160])
    assert linear.score(samples[160:], RINGS_Y[160:]) < 0.7


def test_evidence_chooses_the_scale_and_says_so():
    model = ReduNetClassifier(kernel="rbf").fit(TRAIN, LABELS)
    gammas, scores = model.gamma_scores_.T
    assert model.network_.kernel.gamma in gammas
    chosen = scores[gammas == model.network_.kernel.gamma][0]
    assert chosen > scores.max() - 0.02
    assert model.n_layers_ == 0
    assert ReduNetClassifier(kernel="rbf", gamma=0.1).fit(TRAIN, LABELS).gamma_scores_ is None
    assert ReduNetClassifier().fit(TRAIN, LABELS).gamma_scores_ is None


def test_the_estimate_is_without_the_luck_of_the_choice():
    rng = np.random.default_rng(1)
    gaps, luck = [], []
    for _ in range(8):
        samples, labels = rng.standard_normal((40, 5)), np.arange(40) % 2  # nothing to learn
        chosen = ReduNetClassifier(kernel="rbf").fit(samples, labels)
        given = ReduNetClassifier(kernel="rbf", gamma=chosen.network_.kernel.gamma).fit(samples, labels)
        gaps.append(chosen.loo_score_ - 0.5)
        luck.append(given.loo_score_ - chosen.loo_score_)
    assert np.mean(gaps) < 0.05
    assert np.mean(luck) > 0.02


@pytest.mark.parametrize("n_landmarks", [20, 1000])
@pytest.mark.parametrize("classifier", [ReduNetClassifier, NearestSubspaceClassifier])
def test_the_order_of_samples_and_copies_of_all_change_nothing(classifier, n_landmarks):
    order = np.random.default_rng(0).permutation(len(TRAIN))
    options = {"kernel": "rbf", "n_landmarks": n_landmarks}
    model = classifier(**options).fit(TRAIN, LABELS)
    other = classifier(**options).fit(TRAIN[order], LABELS[order])
    assert_array_equal(other.network_.kernel.landmarks, model.network_.kernel.landmarks)
    assert_array_equal(other.network_.kernel.whitening, model.network_.kernel.whitening)
    assert_allclose(other.distances(TEST), model.distances(TEST), atol=1e-8)
    twice = NearestSubspaceClassifier(3, gamma=0.1, **options).fit(np.repeat(TRAIN, 2, axis=0), np.repeat(LABELS, 2))
    once = NearestSubspaceClassifier(3, gamma=0.1, **options).fit(TRAIN, LABELS)
    assert_allclose(twice.distances(TEST), once.distances(TEST), atol=1e-8)


def test_weights_are_repetitions():
    weights = np.arange(len(TRAIN)) % 3 + 1
    options = {"kernel": "rbf", "gamma": 0.05, "membership": "code", "eps": 0.3, "affine": 1.0}
    weighted = ReduNetClassifier(**options).fit(TRAIN, LABELS, sample_weight=weights)
    repeated = ReduNetClassifier(**options).fit(np.repeat(TRAIN, weights, axis=0), np.repeat(LABELS, weights))
    assert_allclose(weighted.distances(TEST), repeated.distances(TEST), atol=1e-8)


def test_another_random_state_draws_other_landmarks():
    one, other = (ReduNet(kernel="rbf", n_landmarks=20, n_layers=1, random_state=n).fit(TRAIN, LABELS) for n in (0, 1))
    assert not np.array_equal(one.network_.kernel.landmarks, other.network_.kernel.landmarks)
    assert one.network_.kernel.n_landmarks == 20
    assert one.transform(TEST).shape[1] <= 22


def test_few_landmarks_answer_nearly_as_well_as_all():
    model = ReduNetClassifier(kernel="rbf", n_landmarks=30).fit(TRAIN, LABELS)
    assert model.network_.kernel.n_landmarks == 30
    assert model.score(TEST, Y[1::2]) > 0.94


@pytest.mark.parametrize("options", [{"kernel": "rbf"}, {"kernel": "poly", "n_layers": 2}, {"kernel": "cosine"}])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_model_file_holds_kernel_scale_and_landmarks(tmp_path, options, dtype):
    model = ReduNetClassifier(standardise=True, n_landmarks=40, **options).fit(TRAIN.astype(dtype), LABELS)
    model.save(tmp_path / "m.redunet")
    loaded = redunet.load(tmp_path / "m.redunet")
    assert_array_equal(loaded.predict_proba(TEST.astype(dtype)), model.predict_proba(TEST.astype(dtype)))
    kernel, its = model.network_.kernel, loaded.network_.kernel
    assert (its.kernel, its.gamma) == (kernel.kernel, kernel.gamma)
    assert_array_equal(its.landmarks, kernel.landmarks)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(TEST), model.predict_proba(TEST))
    clone(loaded).fit(TRAIN, LABELS)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("kernel", "gauss", "unknown kind"),
        ("gamma", -1.0, "gamma is not > 0"),
        ("landmarks", np.full((40, 13), np.nan), "not finite"),
        ("landmarks", np.zeros((40, 12)), "do not fit the samples"),
        ("whitening", np.ones((39, 3)), "holds no finite numbers of shape"),
        ("whitening", np.ones((40, 5)), "other features than the network takes"),
    ],
)
def test_a_model_file_whose_kernel_does_not_fit_is_refused(tmp_path, field, value, message):
    model = ReduNetClassifier(kernel="rbf", n_landmarks=40).fit(TRAIN, LABELS)
    object.__setattr__(model.network_.kernel, field, value)
    model.save(tmp_path / "m.redunet")
    with pytest.raises(ModelFileError, match=message):
        redunet.load(tmp_path / "m.redunet")


def test_a_function_is_fitted_and_pickled_but_not_stored(tmp_path):
    model = ReduNetClassifier(kernel=rbf_kernel).fit(TRAIN, LABELS)
    assert model.score(TEST, Y[1::2]) > 0.9
    named = ReduNetClassifier(kernel="rbf", gamma=1 / 13).fit(TRAIN, LABELS)
    assert_allclose(model.distances(TEST), named.distances(TEST), atol=1e-8)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(TEST), model.predict(TEST))
    with pytest.raises(TypeError, match=r"kernel is a function \(rbf_kernel\), which no model file holds"):
        model.save(tmp_path / "m.redunet")
    assert not (tmp_path / "m.redunet").exists()
    with pytest.raises(InputError, match="kernel is a function"):
        ReduNetClassifier(kernel=rbf_kernel, construction="moments").fit(TRAIN, LABELS)


def test_moments_are_gathered_in_the_span_of_the_first_call():
    order = np.random.default_rng(0).permutation(len(X))
    samples, labels = X[order], Y[order]
    options = {"construction": "moments", "kernel": "rbf"}
    model = ReduNetClassifier(**options).partial_fit(samples[:90], labels[:90])
    kernel = model.network_.kernel
    model.partial_fit(samples[90:], labels[90:])
    assert model.network_.kernel is kernel
    assert model.score(samples, labels) > 0.95
    like = ReduNetClassifier(**options | {"kernel": kernel, "affine": 1.0})
    other = deepcopy(like).fit(samples[90:], labels[90:])
    together = deepcopy(like).fit(samples[:90], labels[:90]).merge(other)
    assert together.network_.kernel.n_landmarks == 90
    assert_allclose(together.moments_.class_weight, np.bincount(Y))
    with pytest.raises(InputError, match="cannot be merged"):
        ReduNetClassifier(**options, affine=1.0).fit(samples[:90], labels[:90]).merge(
            ReduNetClassifier(**options, affine=1.0).fit(samples[90:], labels[90:])
        )
    model.gamma = 0.5
    with pytest.raises(InputError, match="kernel, gamma and n_landmarks is not what it was"):
        model.partial_fit(samples[:5], labels[:5])


def test_a_fit_goes_on_from_a_checkpoint_and_adds_layers(tmp_path):
    options = {"kernel": "rbf", "membership": "code", "eps": 0.3}
    whole = ReduNetClassifier(n_layers=4, tol=None, **options).fit(TRAIN, LABELS, checkpoint=tmp_path / "progress")
    part = ReduNetClassifier(n_layers=2, tol=None, warm_start=True, **options).fit(TRAIN, LABELS)
    more = part.set_params(n_layers=4).fit(TRAIN, LABELS)
    assert more.n_layers_ == whole.n_layers_ == 4
    assert_allclose(more.history_.rate_reduction, whole.history_.rate_reduction, rtol=0.05)
    with pytest.raises(InputError, match="draws other landmarks each time"):
        ReduNetClassifier(random_state=None, **options).fit(TRAIN, LABELS, checkpoint=tmp_path / "other")


def test_groups_are_left_out_whole():
    groups = np.arange(len(TRAIN)) // 3
    model = ReduNetClassifier(kernel="rbf").fit(TRAIN, LABELS, groups=groups)
    assert 0.8 < model.loo_score_ <= 1


def test_the_scale_of_columns_is_chosen_with_the_kernel():
    samples = X * np.linspace(1, 1000, 13)
    model = ReduNetClassifier(kernel="rbf", standardise="auto").fit(samples[::2], LABELS)
    assert model.network_.scaler is not None
    assert model.score(samples[1::2], Y[1::2]) > 0.94


@pytest.mark.parametrize("estimator", [ReduNetClassifier, NearestSubspaceClassifier])
def test_scikit_learn_validates_it(estimator):
    assert cross_val_score(estimator(kernel="rbf", gamma=0.03), X, Y, cv=3).mean() > 0.9


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "cosine"])
def test_rates_are_those_of_the_kernel_matrix(kernel):
    samples, labels = TRAIN[:, :5], LABELS
    K, m, gamma, eps = products(kernel, 0.1, samples, samples), len(samples), 0.1, 0.4
    dimension = 5 if kernel in ("linear", "cosine") else m + 1
    expected = np.linalg.slogdet(np.eye(m) + dimension / (m * eps**2) * K)[1] / 2
    assert_allclose(coding_rate(samples, eps=eps, kernel=kernel, gamma=gamma), expected, rtol=1e-9)
    of_classes = 0.0
    for j in range(3):
        mine = labels == j
        inside, n = K[np.ix_(mine, mine)], mine.sum()
        of_classes += n / m * np.linalg.slogdet(np.eye(n) + dimension / (n * eps**2) * inside)[1] / 2
    assert_allclose(class_coding_rate(samples, labels, eps=eps, kernel=kernel, gamma=gamma), of_classes, rtol=1e-9)
    found = rate_reduction(samples, labels, eps=eps, kernel=kernel, gamma=gamma)
    assert_allclose(found, expected - of_classes, rtol=1e-8)


def test_rates_of_the_linear_kernel_are_those_without_a_kernel():
    for samples in (TRAIN, WIDE[::2]):
        plain = rate_reduction(samples, LABELS, eps=0.3)
        assert_allclose(rate_reduction(samples, LABELS, eps=0.3, kernel="linear"), plain, rtol=1e-9)


@pytest.mark.parametrize("estimator", [ReduNet, ReduNetClassifier, NearestSubspaceClassifier])
def test_options_that_no_kernel_goes_with_are_refused(estimator):
    for options, error, message in [
        ({"kernel": "rfb"}, InputError, r"kernel must be one of None, 'linear', .*Did you mean 'rbf'"),
        ({"kernel": 3}, InputError, "kernel must be one of"),
        ({"kernel": "rbf", "gamma": 0}, InputError, "gamma must be > 0 and finite, got 0"),
        ({"kernel": "rbf", "gamma": -1.0}, InputError, "gamma must be > 0"),
        ({"kernel": "rbf", "gamma": "scale"}, InputError, "gamma must be 'auto', got 'scale'"),
        ({"kernel": "rbf", "gamma": None}, InputTypeError, "gamma must be a number > 0"),
        ({"kernel": "rbf", "n_landmarks": 0}, InputError, "n_landmarks must be >= 1"),
        ({"kernel": "rbf", "n_landmarks": 2.5}, InputTypeError, "n_landmarks must be a whole number"),
        ({"kernel": "rbf", "invariance": "shift"}, InputError, r"kernel compares plain vectors.*pass kernel=None"),
        ({"kernel": lambda A, B: A @ np.triu(np.ones((13, 13))) @ B.T}, InputError, "kernel must be symmetric"),
        ({"kernel": lambda A, B: np.abs(A[:, :1] - B[:, 0])}, InputError, "kernel must be positive semidefinite"),
    ]:
        with pytest.raises(error, match=message):
            estimator(**options).fit(TRAIN, LABELS)


def test_rates_refuse_what_estimators_refuse():
    with pytest.raises(InputError, match="Did you mean 'cosine'"):
        coding_rate(TRAIN, eps=0.3, kernel="cosin")
    with pytest.raises(InputError, match="gamma must be > 0"):
        rate_reduction(TRAIN, LABELS, eps=0.3, kernel="rbf", gamma=-2)
    with pytest.raises(InputError, match="kernel compares plain vectors"):
        coding_rate(TRAIN, eps=0.3, kernel="rbf", invariance="shift")
    with pytest.raises(InputError, match="kernel must be symmetric"):
        class_coding_rate(TRAIN, LABELS, eps=0.3, kernel=lambda A, B: A @ np.triu(np.ones((13, 13))) @ B.T)


def test_samples_that_are_all_the_same_have_a_rate_and_nothing_to_reduce():
    same = np.ones((6, 3))
    for kernel in ("rbf", "linear", "poly", "cosine"):
        assert coding_rate(same, eps=0.3, kernel=kernel) > 0
        assert_allclose(rate_reduction(same, np.arange(6) % 2, eps=0.3, kernel=kernel), 0, atol=1e-9)


def test_measures_of_single_coordinates_are_refused():
    for estimator in (ReduNet, ReduNetClassifier):
        with pytest.raises(InputError, match="membership='relu' acts on each coordinate by itself"):
            estimator(kernel="rbf", membership="relu").fit(TRAIN, LABELS)


def test_landmarks_of_other_samples_are_refused():
    kernel = KernelMap.of("rbf", 0.1, load_iris().data[:20])
    with pytest.raises(InputError, match="landmarks of 4 features but X has 13"):
        ReduNetClassifier(kernel=kernel).fit(TRAIN, LABELS)


def test_what_needs_the_values_of_samples_is_refused_with_a_remedy(tmp_path):
    model = ReduNetClassifier(kernel="rbf").fit(TRAIN, LABELS)
    with pytest.raises(InputError, match=r"cannot be explained.*kernel=None"):
        model.explain(TEST)
    onnx = pytest.importorskip("onnx")
    assert onnx
    from redunet.onnx import export

    with pytest.raises(InputError, match="cannot be exported; fit one with kernel=None"):
        export(model, tmp_path / "m.onnx")
    pytest.importorskip("torch")
    from redunet.torch import module_of

    with pytest.raises(InputError, match="has no module"):
        module_of(model)


def test_a_report_does_without_the_live_network(tmp_path):
    model = ReduNetClassifier(kernel="rbf").fit(TRAIN, LABELS)
    model.report(tmp_path / "page.html", TEST, Y[1::2])
    assert (tmp_path / "page.html").stat().st_size > 10_000
