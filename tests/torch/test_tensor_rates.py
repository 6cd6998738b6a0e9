"""Coding rates of tensors are those of arrays, and their gradients those of the definition."""

import itertools

import numpy as np
import pytest

import redunet
from redunet.inputs.errors import InputError, InputTypeError, RowError
from redunet.network.geometry import Geometry
from redunet.numerics.moments import class_moments
from redunet.numerics.operators import coding_alpha, ridge_operator
from redunet.numerics.spectrum import half_spectrum, samples_of
from redunet.numerics.step import pull

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'redunet[torch]'")
import redunet.torch as tensors  # noqa: E402 - needs PyTorch
from redunet.torch import tensor_rates  # noqa: E402
from redunet.torch.tensor_rates import logdet_of_identity_plus, on_unit_sphere, smaller_moment  # noqa: E402

# More samples than channels, and fewer; lengths odd and even, height and width different.
LAYOUTS = [
    (None, (40, 6)),
    (None, (9, 30)),
    ("shift", (20, 3, 7)),
    ("shift", (8, 11, 6)),
    ("shift", (12, 10)),
    ("translation", (10, 3, 4, 5)),
    ("translation", (9, 4, 6)),
    ("translation", (6, 2, 3, 2, 4)),
]
CONVENTIONS = ["exact", "published"]
EPS = 0.4


def random_features(shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape), rng.integers(0, 3, shape[0])


def random_memberships(n_samples, n_classes=3, seed=0):
    scores = torch.randn(n_samples, n_classes, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    return scores.softmax(dim=1)


def leaf(values):
    """A tensor that gathers a gradient."""
    return torch.as_tensor(values).clone().requires_grad_()


def gradient_of(function, Z):
    Z = leaf(Z)
    function(Z).backward()
    return Z.grad


def gradient_by_differences(function, Z, step=1e-5):
    """Central differences, one entry after the other."""
    gradient = torch.zeros_like(Z)
    for place in itertools.product(*map(range, Z.shape)):
        ahead, behind = Z.clone(), Z.clone()
        ahead[place] += step
        behind[place] -= step
        gradient[place] = (function(ahead) - function(behind)) / (2 * step)
    return gradient


# --- the same as for arrays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize(("invariance", "shape"), LAYOUTS)
def test_rates_of_tensors_are_those_of_arrays(invariance, shape, convention):
    Z, y = random_features(shape)
    weights = np.random.default_rng(1).uniform(0.1, 2, len(Z))
    for weight in (None, weights):
        options = {"eps": EPS, "invariance": invariance, "convention": convention, "sample_weight": weight}
        tensor, labels = torch.as_tensor(Z), torch.as_tensor(y)
        found = tensors.coding_rate(tensor, **options)
        assert found.shape == ()
        np.testing.assert_allclose(found, redunet.coding_rate(Z, **options), rtol=1e-12, atol=1e-10)
        for name in ("class_coding_rate", "rate_reduction"):
            found, expected = getattr(tensors, name)(tensor, labels, **options), getattr(redunet, name)(Z, y, **options)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize(("invariance", "shape"), LAYOUTS)
def test_memberships_in_part_weight_the_rates_of_the_classes(invariance, shape, learned):
    Z, _ = random_features(shape)
    memberships = random_memberships(len(Z))
    options = {"eps": EPS, "invariance": invariance}
    rates = [redunet.coding_rate(Z, sample_weight=column, **options) for column in memberships.T.numpy()]
    expected = float(memberships.mean(dim=0).numpy() @ rates)
    memberships.requires_grad_(learned)
    found = tensors.class_coding_rate(torch.as_tensor(Z), memberships, **options)
    np.testing.assert_allclose(found.detach(), expected, rtol=1e-12, atol=1e-10)


def test_memberships_in_part_are_the_definition():
    Z, _ = random_features((30, 5))
    memberships = random_memberships(30).numpy()
    expected = 0.0
    for column in memberships.T:
        alpha = 5 / (np.trace(np.diag(column)) * EPS**2)
        _, logdet = np.linalg.slogdet(np.eye(5) + alpha * Z.T @ np.diag(column) @ Z)
        expected += np.trace(np.diag(column)) / 30 * 0.5 * logdet
    found = tensors.class_coding_rate(torch.as_tensor(Z), torch.as_tensor(memberships), EPS)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_memberships_of_0_and_1_are_labels():
    Z, y = map(torch.as_tensor, random_features((30, 5)))
    one_hot = torch.nn.functional.one_hot(y)
    expected = tensors.rate_reduction(Z, y, EPS)
    for memberships in (one_hot, one_hot.bool(), one_hot.float(), one_hot.double(), one_hot.double().requires_grad_()):
        torch.testing.assert_close(tensors.rate_reduction(Z, memberships, EPS), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int32, torch.int64])
def test_labels_of_any_whole_type_are_names_alone(dtype):
    Z, y = map(torch.as_tensor, random_features((30, 5)))
    named = torch.tensor([7, 3, 100])[y].to(dtype)
    assert tensors.rate_reduction(Z, named, EPS) == tensors.rate_reduction(Z, named.tolist(), EPS)
    torch.testing.assert_close(tensors.rate_reduction(Z, named, EPS), tensors.rate_reduction(Z, y, EPS))


def test_flat_features_with_a_layout_are_features_of_that_layout():
    Z, y = map(torch.as_tensor, random_features((12, 3, 8)))
    options = {"eps": EPS, "invariance": "shift"}
    flat = tensors.rate_reduction(Z.reshape(12, -1), y, sample_shape=(3, 8), **options)
    assert flat == tensors.rate_reduction(Z, y, **options)


def test_classes_without_samples_add_nothing():
    Z, y = map(torch.as_tensor, random_features((30, 5)))
    memberships = random_memberships(30)
    wider = torch.cat([memberships[:, :1], torch.zeros(30, 4), memberships[:, 1:]], dim=1)
    expected = tensors.class_coding_rate(Z, memberships, EPS)
    torch.testing.assert_close(tensors.class_coding_rate(Z, wider, EPS), expected, rtol=1e-12, atol=0)
    learned = leaf(wider)
    found = tensors.class_coding_rate(Z, learned, EPS)
    found.backward()
    torch.testing.assert_close(found.detach(), expected, rtol=1e-12, atol=0)
    assert torch.isfinite(learned.grad).all()
    assert learned.grad[:, 0].any()
    weights = torch.where(y == 1, 0.0, 1.0)
    without = tensors.class_coding_rate(Z[y != 1], y[y != 1], EPS)
    torch.testing.assert_close(tensors.class_coding_rate(Z, y, EPS, sample_weight=weights), without)


def test_features_longer_than_1_are_not_projected_to_the_sphere():
    Z, _ = random_features((30, 5))
    assert tensors.coding_rate(3 * torch.as_tensor(Z), EPS) > tensors.coding_rate(torch.as_tensor(Z), EPS) + 1


# --- gradients ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("invariance", "shape"), [*LAYOUTS[:1], (None, (5, 8)), LAYOUTS[3], LAYOUTS[6]])
def test_gradients_are_central_differences(invariance, shape):
    Z, y = map(torch.as_tensor, random_features(shape))
    memberships = random_memberships(len(Z))
    for labels in (y, memberships):

        def reduction(values, labels=labels):
            return tensors.rate_reduction(values, labels, EPS, invariance=invariance)

        expected = gradient_by_differences(reduction, Z)
        torch.testing.assert_close(gradient_of(reduction, Z), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("shape", [(12, 4), (5, 8)])
@pytest.mark.parametrize("name", ["coding_rate", "class_coding_rate", "rate_reduction"])
def test_first_and_second_gradients_pass_the_check_of_pytorch(name, shape):
    Z, y = random_features(shape)

    def rate(values):
        labels = () if name == "coding_rate" else (torch.as_tensor(y),)
        return getattr(tensors, name)(values, *labels, EPS)

    assert torch.autograd.gradcheck(rate, leaf(Z))
    assert torch.autograd.gradgradcheck(rate, leaf(Z))


@pytest.mark.parametrize("shape", [(12, 4), (5, 8)])
def test_gradients_of_memberships_and_weights_pass_the_check_of_pytorch(shape):
    Z, _ = random_features(shape)
    memberships = random_memberships(len(Z))

    def reduction(values, memberships, weights):
        return tensors.rate_reduction(values, memberships, EPS, sample_weight=weights)

    weights = torch.rand(len(Z), dtype=torch.float64, generator=torch.Generator().manual_seed(1)) + 0.5
    assert torch.autograd.gradcheck(reduction, (leaf(Z), leaf(memberships), leaf(weights)))


@pytest.mark.parametrize("shape", [(12, 4), (5, 8)])
def test_a_membership_of_0_has_the_gradient_of_its_right_side(shape):
    Z = torch.as_tensor(random_features(shape)[0])
    memberships = random_memberships(len(Z))
    memberships[0] = torch.tensor([1.0, 0.0, 0.0])

    def class_rate(values):
        return tensors.class_coding_rate(Z, values, EPS)

    gradient = gradient_of(class_rate, memberships)
    for j in (1, 2):
        ahead = memberships.clone()
        ahead[0, j] += 1e-6
        difference = (class_rate(ahead) - class_rate(memberships)) / 1e-6
        assert difference > 0.01
        torch.testing.assert_close(gradient[0, j], difference, rtol=1e-4, atol=0)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize(("invariance", "shape"), [LAYOUTS[0], LAYOUTS[2], LAYOUTS[5]])
def test_the_gradient_of_the_rate_reduction_is_where_a_layer_goes(invariance, shape, convention):
    Z, y = random_features(shape)
    Z, y = Z[np.argsort(y)], np.sort(y)
    unitary = convention == "published"
    V = half_spectrum(Z, unitary=unitary)
    counts = np.bincount(y)
    M = class_moments(V, np.r_[0, np.cumsum(counts)])
    E, _ = ridge_operator(M.sum(axis=0), coding_alpha(shape[1], len(y), EPS))
    C, _ = ridge_operator(M, coding_alpha(shape[1], counts, EPS))
    ahead = E @ V - pull(C @ V, counts / len(y), np.eye(3)[y])
    grid = Geometry(shape[1:]).grid
    # The rate is a mean over frequencies; the unitary transform has no factor that makes up for that.
    expected = samples_of(ahead, grid, unitary=unitary) / (np.prod(grid) if unitary else 1)

    def reduction(values):
        options = {"invariance": invariance, "convention": convention}
        return tensors.rate_reduction(values, torch.as_tensor(y), EPS, **options)

    np.testing.assert_allclose(gradient_of(reduction, Z), expected, rtol=1e-9, atol=1e-12)


# --- whatever the features are ------------------------------------------------------------------------------------


def degenerate_batch(rng):
    """Features of which some are repeated, some zero, some in few directions; classes some of which are missing."""
    n_samples, n_features = rng.integers(1, 12), rng.integers(1, 12)
    Z = rng.standard_normal((n_samples, n_features)) * 10.0 ** rng.integers(-12, 5)
    if rng.random() < 0.3:  # low rank
        rank = rng.integers(1, n_features + 1)
        Z = Z[:, :rank] @ rng.standard_normal((rank, n_features))
    Z[rng.random(n_samples) < 0.3] = Z[0]
    Z[rng.random(n_samples) < 0.2] = 0
    Z[:, rng.random(n_features) < 0.2] = 0
    if rng.random() < 0.05:
        Z[:] = 0
    labels = rng.integers(0, rng.integers(1, 6), n_samples)
    if rng.random() < 0.5:
        return Z, labels
    memberships = rng.dirichlet(np.full(4, 0.3), n_samples)
    memberships[:, rng.integers(0, 4)] = 0
    memberships[memberships.sum(axis=1) == 0] = 1
    return Z, memberships / memberships.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(10))
def test_values_and_gradients_of_10000_degenerate_batches_are_finite(seed):
    rng = np.random.default_rng(seed)
    loss = tensors.RateReductionLoss()
    for number in range(1000):
        Z, y = degenerate_batch(rng)
        dtype = (torch.float32, torch.float64)[number % 2]
        eps = float(10.0 ** rng.uniform(-4, 1))
        features, labels = leaf(torch.as_tensor(Z, dtype=dtype)), torch.as_tensor(y)
        labels.requires_grad_(labels.is_floating_point() and rng.random() < 0.5)
        loss.eps, loss.normalise = eps, bool(rng.random() < 0.7)
        value = loss(features, labels)
        value.backward()
        assert torch.isfinite(value), (seed, number)
        assert torch.isfinite(features.grad).all(), (seed, number)
        assert labels.grad is None or torch.isfinite(labels.grad).all(), (seed, number)
        zero = ~features.detach().any(dim=1)
        assert not features.grad[zero].any(), (seed, number)


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e4, 1e8, 1e12])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
def test_log_determinants_of_any_rank_and_size_are_finite_with_gradients_of_contractions(dtype, scale):
    generator = torch.Generator().manual_seed(0)
    for rank in (0, 1, 3, 8):
        # Gradients by the moment of I + M are its inverse, whose eigenvalues are within 0 and 1.
        V = torch.randn(2, 8, rank, dtype=dtype, generator=generator)
        M = leaf(scale * V @ V.mH)
        logdet = logdet_of_identity_plus(M)
        logdet.sum().backward()
        assert torch.isfinite(logdet).all()
        assert (logdet >= -1e-6).all()
        eigenvalues = torch.linalg.eigvalsh(M.grad + M.grad.mH) / 2
        assert (eigenvalues > -1e-5).all()
        assert (eigenvalues < 1 / tensor_rates.LEAST_PIVOT).all()


@pytest.mark.parametrize("eigenvalue", [-50.0, -0.9])  # a Cholesky factorisation fails, and does not
def test_a_moment_that_rounding_made_indefinite_has_the_log_determinant_of_its_positive_part(eigenvalue):
    M = leaf(torch.diag(torch.tensor([1e9, 3.0, eigenvalue])))
    logdet = logdet_of_identity_plus(M[None])
    logdet.sum().backward()
    expected = torch.log(torch.tensor([1 + 1e9])) + torch.log(torch.tensor([4.0]))
    torch.testing.assert_close(logdet.detach(), expected)
    torch.testing.assert_close(M.grad, torch.diag(torch.tensor([1e-9, 0.25, 0.0])))


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_eigenvalues_and_pivots_give_the_same_log_determinant_and_gradient(dtype, monkeypatch):
    V = torch.randn(3, 6, 4, dtype=dtype, generator=torch.Generator().manual_seed(0))

    def both(V):
        V = leaf(V)
        logdet = logdet_of_identity_plus(5 * V @ V.mH)
        logdet.sum().backward()
        return logdet.detach(), V.grad

    by_pivots = both(V)
    monkeypatch.setattr(tensor_rates, "LEAST_PIVOT", float("inf"))
    for found, expected in zip(both(V), by_pivots, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-11, atol=1e-11)


def test_the_smaller_of_moment_and_inner_products_is_taken():
    V, share = torch.randn(1, 7, 4), torch.full((4,), 0.25)
    assert smaller_moment(V, share).shape == (1, 4, 4)
    assert smaller_moment(V, share.requires_grad_()).shape == (1, 7, 7)
    assert smaller_moment(V.mT, torch.full((7,), 1 / 7)).shape == (1, 4, 4)


def test_the_direction_of_a_zero_feature_has_gradient_0_and_others_their_own():
    samples = torch.tensor([[3.0, 4.0], [0.0, 0.0], [1e-200, 0.0], [1e200, 1e200], [-1e-25, 0.0]], dtype=torch.float64)
    found = leaf(samples)
    directions = on_unit_sphere(found)
    half = 0.5**0.5
    expected = torch.tensor([[0.6, 0.8], [0.0, 0.0], [0.0, 0.0], [half, half], [-1.0, 0.0]], dtype=torch.float64)
    torch.testing.assert_close(directions.detach(), expected)
    with torch.autograd.set_detect_anomaly(True):  # no NaN on the way, either
        on_unit_sphere(found)[:, 1].sum().backward()
    torch.testing.assert_close(found.grad[0], torch.tensor([-0.6 * 0.8, 1 - 0.8**2], dtype=torch.float64) / 5)
    assert not found.grad[1:3].any()
    assert torch.isfinite(found.grad).all()
    assert torch.autograd.gradcheck(on_unit_sphere, leaf(torch.randn(4, 2, 3, dtype=torch.float64)))


# --- precision and devices ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_features_of_any_precision_have_the_rate_of_their_values(dtype):
    Z, y = map(torch.as_tensor, random_features((30, 5)))
    Z = leaf(Z.to(dtype))
    found = tensors.rate_reduction(Z, y, 0.01)
    found.backward()
    assert found.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    assert Z.grad.dtype == dtype
    expected = redunet.rate_reduction(Z.detach().double().numpy(), y.numpy(), eps=0.01)
    np.testing.assert_allclose(found.detach(), expected, rtol=1e-6)


def test_mixed_precision_does_not_change_a_rate(monkeypatch):
    Z, y = map(torch.as_tensor, random_features((30, 5)))
    Z = Z.float()
    expected = tensors.rate_reduction(Z, y, EPS)
    with torch.autocast("cpu", torch.bfloat16):
        assert tensors.rate_reduction(Z, y, EPS) == expected
        monkeypatch.setattr(tensor_rates, "DEVICES_WITHOUT_DOUBLE", ("cpu",))
        torch.testing.assert_close(tensors.rate_reduction(Z, y, EPS), expected, rtol=1e-5, atol=0)


def test_without_double_precision_values_and_gradients_stay_finite(monkeypatch):
    monkeypatch.setattr(tensor_rates, "DEVICES_WITHOUT_DOUBLE", ("cpu",))
    rng = np.random.default_rng(0)
    loss = tensors.RateReductionLoss()
    for number in range(1000):
        Z, y = degenerate_batch(rng)
        loss.eps = float(10.0 ** rng.uniform(-4, 1))
        features = leaf(torch.as_tensor(Z, dtype=torch.float32))
        value = loss(features, torch.as_tensor(y))
        value.backward()
        assert torch.isfinite(value), number
        assert torch.isfinite(features.grad).all(), number


# --- errors -------------------------------------------------------------------------------------------------------


def test_features_that_cannot_be_used_are_refused_with_a_remedy():
    y = torch.tensor([0, 1, 1])
    with pytest.raises(InputTypeError, match=r"Z must be a tensor of PyTorch, got ndarray; pass torch\.as_tensor\(Z\)"):
        tensors.rate_reduction(np.eye(3), y, EPS)
    with pytest.raises(InputTypeError, match=r"floating-point numbers, got torch\.int64; pass Z\.to\(torch\.float32\)"):
        tensors.rate_reduction(torch.eye(3).long(), y, EPS)
    with pytest.raises(InputTypeError, match=r"real floating-point numbers, got torch\.complex64"):
        tensors.rate_reduction(torch.eye(3, dtype=torch.complex64), y, EPS)
    with pytest.raises(InputError, match=r"Z has shape \(3,\), and a batch .* pass Z\.reshape"):
        tensors.coding_rate(torch.ones(3), EPS)
    for shape in ((0, 3), (3, 0)):
        with pytest.raises(InputError, match="holds no number"):
            tensors.coding_rate(torch.ones(shape), EPS)
    broken = torch.eye(3)
    broken[1, 2] = float("nan")
    broken[2, 0] = float("inf")
    with pytest.raises(RowError, match=r"NaN or infinity in 2 of its 3 samples \(first: row 1\)") as caught:
        tensors.rate_reduction(broken, y, EPS)
    assert caught.value.rows == [1, 2]
    with pytest.raises(InputError, match=r"samples of shape \(2, 3\) but invariance=None takes vectors"):
        tensors.coding_rate(torch.ones(3, 2, 3), EPS)
    with pytest.raises(InputError, match="is not finite; scale Z"):
        tensors.coding_rate(torch.full((3, 2), 1e200, dtype=torch.float64), EPS)


def test_labels_that_cannot_be_used_are_refused_with_a_remedy():
    Z = torch.eye(3)
    with pytest.raises(InputError, match="Z has 3 samples but y has 2 rows"):
        tensors.rate_reduction(Z, torch.tensor([0, 1]), EPS)
    with pytest.raises(RowError, match=r"y must be >= 0, got -100 in row 1; leave out") as caught:
        tensors.rate_reduction(Z, torch.tensor([0, -100, -1]), EPS)
    assert caught.value.rows == [1, 2]
    with pytest.raises(InputTypeError, match=r"whole numbers, got torch\.float32; pass y\.long\(\)"):
        tensors.rate_reduction(Z, torch.tensor([0.0, 1.0, 1.0]), EPS)
    with pytest.raises(InputTypeError, match=r"got torch\.complex64"):
        tensors.rate_reduction(Z, torch.ones(3, dtype=torch.complex64), EPS)
    with pytest.raises(InputTypeError, match=r"np\.unique\(y, return_inverse=True\)"):
        tensors.rate_reduction(Z, ["a", "b", "b"], EPS)
    with pytest.raises(InputError, match="y is None"):
        tensors.rate_reduction(Z, None, EPS)
    with pytest.raises(InputError, match=r"y has shape \(3, 1, 1\); pass labels of shape"):
        tensors.rate_reduction(Z, torch.ones(3, 1, 1), EPS)


def test_memberships_that_cannot_be_used_are_refused_with_a_remedy():
    Z = torch.eye(3)
    with pytest.raises(RowError, match=r"sum to 1 for each sample, got a sum of 0.9 in row 2; divide"):
        tensors.rate_reduction(Z, torch.tensor([[0.5, 0.5], [1.0, 0.0], [0.5, 0.4]]), EPS)
    with pytest.raises(RowError, match=r"must be >= 0, got -0.5 in row 1"):
        tensors.rate_reduction(Z, torch.tensor([[0.5, 0.5], [1.5, -0.5], [0.5, 0.5]]), EPS)
    with pytest.raises(RowError, match=r"must be >= 0, got nan in row 0"):
        tensors.rate_reduction(Z, torch.full((3, 2), float("nan")), EPS)
    with pytest.raises(RowError, match=r"sum of 2 in row 1; .* or pass labels of shape \(n_samples,\)"):
        tensors.rate_reduction(Z, torch.tensor([[1], [2], [0]]), EPS)
    for dtype in (torch.float16, torch.bfloat16, torch.float32):  # what a softmax of this precision gives
        tensors.rate_reduction(Z, torch.randn(3, 50).softmax(dim=1).to(dtype), EPS)


def test_options_that_cannot_be_used_are_refused_with_a_remedy():
    Z = torch.eye(3)
    with pytest.raises(InputError, match="eps must be > 0"):
        tensors.coding_rate(Z, 0)
    with pytest.raises(InputError, match="Did you mean 'shift'"):
        tensors.coding_rate(Z, EPS, invariance="shifts")
    with pytest.raises(InputError, match="convention must be one of"):
        tensors.coding_rate(Z, EPS, convention="unitary")
    with pytest.raises(InputError, match=r"sample_weight must have shape \(3,\)"):
        tensors.coding_rate(Z, EPS, sample_weight=torch.ones(2))
    for weight in (-1.0, float("nan"), float("inf")):
        with pytest.raises(RowError, match=r"sample_weight must be >= 0 and finite, got .* in row 2"):
            tensors.coding_rate(Z, EPS, sample_weight=[1, 1, weight])
    with pytest.raises(InputError, match=r"a sum that is > 0 and finite, got 0\.0"):
        tensors.coding_rate(Z, EPS, sample_weight=torch.zeros(3))
