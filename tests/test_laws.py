"""Laws that hold for every network, as property tests named after them."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import redunet
from redunet import NearestSubspaceClassifier, ReduNet, ReduNetClassifier
from redunet.numerics.moments import PART, class_moments, moment
from redunet.numerics.orbit import representative
from redunet.numerics.spectrum import half_spectrum, normalise, samples_of, squared_norms
from tests.reference.shifts import all_shifts

PRECISIONS = st.sampled_from([np.float64, np.float32])


@st.composite
def labelled_samples(draw, axes=(0, 1, 2), least_channels=1, max_channels=4, max_length=6):
    """An invariance and labelled samples that fit it, noisy around a prototype of their class."""
    n_axes = draw(st.sampled_from(axes))
    channels = draw(st.integers(2 if n_axes == 0 else least_channels, max_channels))
    shape = (channels, *(draw(st.integers(1, max_length)) for _ in range(n_axes)))
    n_classes = draw(st.integers(2, 3))
    counts = [draw(st.integers(2, 5)) for _ in range(n_classes)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = rng.permutation(np.repeat(np.arange(n_classes), counts))
    samples = rng.standard_normal((n_classes, *shape))[codes] + 0.5 * rng.standard_normal((len(codes), *shape))
    return {0: None, 1: "shift", 2: "translation"}[n_axes], samples, codes


options = st.fixed_dictionaries(
    {
        "eps": st.floats(0.05, 2.0),
        "sharpness": st.floats(1.0, 200.0),
        "n_layers": st.integers(0, 4),
        "convention": st.sampled_from(["exact", "published"]),
    }
)


def shifted(samples, rng):
    """Each sample shifted by an amount of its own."""
    axes = tuple(range(1, samples.ndim - 1))
    by = rng.integers(0, 100, size=(len(samples), len(axes)))
    return np.stack([np.roll(sample, amount, axis=axes) for sample, amount in zip(samples, by, strict=True)]), by


@given(labelled_samples(axes=(1, 2)), options, st.integers(0, 99))
def test_features_of_a_shifted_signal_are_the_shifted_features(data, options, seed):
    invariance, samples, codes = data
    net = ReduNet(invariance, **options).fit(samples, codes)
    moved, by = shifted(samples, np.random.default_rng(seed))
    axes = tuple(range(1, samples.ndim - 1))
    features = net.transform(samples)
    expected = np.stack([np.roll(f, amount, axis=axes) for f, amount in zip(features, by, strict=True)])
    assert_allclose(net.transform(moved), expected, atol=1e-8)


@given(labelled_samples(axes=(1, 2), least_channels=2), options, PRECISIONS)
def test_predictions_are_identical_for_every_shift_of_every_sample(data, options, precision):
    invariance, samples, codes = data
    samples = samples.astype(precision)
    network = ReduNetClassifier(invariance, **options).fit(samples, codes)
    subspace = NearestSubspaceClassifier(invariance=invariance).fit(samples, codes)
    new = samples + np.random.default_rng(0).standard_normal(samples.shape).astype(precision)
    for clf in (network, subspace):
        answers = clf.predict(new)
        for sample, answer in zip(new, answers, strict=True):
            assert_array_equal(clf.predict(all_shifts(sample)), np.full(sample[0].size, answer))


@given(labelled_samples(axes=(1, 2), least_channels=2), PRECISIONS, st.integers(0, 99))
def test_probabilities_of_a_batch_do_not_change_by_a_bit_when_its_samples_shift(data, precision, seed):
    invariance, samples, codes = data
    samples = samples.astype(precision)
    clf = ReduNetClassifier(invariance, n_layers=3).fit(samples, codes)
    moved, _ = shifted(samples, np.random.default_rng(seed))
    assert_array_equal(clf.predict_proba(moved), clf.predict_proba(samples))


@given(labelled_samples(axes=(1, 2), least_channels=2), st.integers(0, 99))
def test_a_fit_on_shifted_samples_is_the_same_fit(data, seed):
    invariance, samples, codes = data
    moved, _ = shifted(samples, np.random.default_rng(seed))
    one, other = (ReduNetClassifier(invariance, n_layers=3).fit(X, codes) for X in (samples, moved))
    assert_array_equal(one.history_.rate_reduction, other.history_.rate_reduction)
    assert type(one.answers_) is type(other.answers_)
    for field in fields(one.answers_):
        assert_array_equal(getattr(one.answers_, field.name), getattr(other.answers_, field.name))


@given(labelled_samples(axes=(1, 2), max_length=5), st.integers(0, 2))
def test_every_shift_of_a_sample_has_the_same_representative(data, distinct_values):
    _, samples, _ = data
    for sample in samples:
        if distinct_values:  # few values make many ties
            sample = np.round(sample * distinct_values)
        shifts = all_shifts(sample)
        representatives = representative(shifts)
        assert_array_equal(representatives, np.broadcast_to(representatives[0], shifts.shape))
        assert any(np.array_equal(representatives[0], shift) for shift in shifts)


@given(labelled_samples(), options)
def test_rate_reduction_is_never_negative(data, options):
    invariance, samples, codes = data
    net = ReduNet(invariance, **options).fit(samples, codes)
    assert (net.history_.rate_reduction >= -1e-12).all()
    assert redunet.rate_reduction(samples, codes, eps=options["eps"], invariance=invariance) >= -1e-12


@given(labelled_samples(), options, st.booleans())
def test_features_have_unit_norm_after_each_layer(data, options, affine):
    invariance, samples, codes = data
    net = ReduNet(invariance, affine=affine, **options).fit(samples, codes)
    geometry = net.network_.geometry
    V = geometry.blocks(samples)
    for layer in (None, *net.network_.layers):
        V = V if layer is None else layer(V, geometry.norm_weights)
        assert_allclose(squared_norms(V, geometry.norm_weights), 1.0, rtol=1e-12)
        assert_allclose(np.square(geometry.samples(V)).reshape(len(samples), -1).sum(axis=1), 1.0, rtol=1e-10)


@given(labelled_samples(), options, st.randoms(use_true_random=False))
def test_the_order_of_samples_does_not_matter(data, options, random):
    invariance, samples, codes = data
    order = list(range(len(samples)))
    random.shuffle(order)
    one = ReduNet(invariance, **options).fit(samples, codes)
    other = ReduNet(invariance, **options).fit(samples[order], codes[order])
    assert_allclose(other.history_.rate_reduction, one.history_.rate_reduction, rtol=1e-8, atol=1e-12)
    assert_allclose(other.transform(samples), one.transform(samples), atol=1e-8)


@given(labelled_samples(least_channels=2), options)
def test_the_names_of_classes_do_not_matter(data, options):
    invariance, samples, codes = data
    numbers = ReduNetClassifier(invariance, **options).fit(samples, codes)
    names = np.array(["ash", "beech", "cedar"])
    words = ReduNetClassifier(invariance, **options).fit(samples, names[codes])
    assert_array_equal(words.predict(samples), names[numbers.predict(samples)])
    assert_array_equal(words.decision_function(samples), numbers.decision_function(samples))
    reverse = ReduNetClassifier(invariance, **options).fit(samples, -codes)
    assert_allclose(reverse.history_.rate_reduction, numbers.history_.rate_reduction, rtol=1e-8, atol=1e-12)


@given(labelled_samples(), options, st.integers(1, 7))
def test_the_size_of_the_blocks_does_not_matter(data, options, block_size):
    invariance, samples, codes = data
    net = ReduNet(invariance, affine=False, **options).fit(samples, codes)
    whole = net.network_.features(samples, block_size=len(samples))
    assert_allclose(net.network_.features(samples, block_size=block_size), whole, atol=1e-9)


@given(labelled_samples(least_channels=2), options, st.booleans(), st.integers(0, 99))
def test_whole_sample_weights_are_repetitions(data, options, affine, seed):
    invariance, samples, codes = data
    weights = np.random.default_rng(seed).integers(0, 4, len(samples))
    repeated, repeated_codes = np.repeat(samples, weights, axis=0), np.repeat(codes, weights)
    assume((np.bincount(repeated_codes, minlength=codes.max() + 1) >= 2).all())
    weighted = ReduNetClassifier(invariance, affine=affine, **options).fit(samples, codes, sample_weight=weights)
    plain = ReduNetClassifier(invariance, affine=affine, **options).fit(repeated, repeated_codes)
    assert_allclose(weighted.history_.rate_reduction, plain.history_.rate_reduction, rtol=1e-8, atol=1e-12)
    assert_allclose(
        weighted.network_.features(samples), plain.network_.features(samples), atol=1e-7
    )  # the span of few vectors is another basis, the features are the same
    rate = redunet.rate_reduction(samples, codes, eps=0.3, invariance=invariance, sample_weight=weights)
    assert_allclose(rate, redunet.rate_reduction(repeated, repeated_codes, eps=0.3, invariance=invariance), atol=1e-10)


@given(labelled_samples(), st.floats(1e-3, 1e3))
def test_the_scale_of_weights_does_not_matter(data, scale):
    invariance, samples, codes = data
    weights = np.random.default_rng(0).uniform(0.5, 1.5, len(samples))
    one = ReduNet(invariance, n_layers=2).fit(samples, codes, sample_weight=weights)
    other = ReduNet(invariance, n_layers=2).fit(samples, codes, sample_weight=scale * weights)
    assert_allclose(other.transform(samples), one.transform(samples), atol=1e-8)


@given(labelled_samples(), st.sampled_from([1e-150, 1e-10, 1e10, 1e150]), st.booleans())
def test_the_scale_of_samples_does_not_matter(data, scale, affine):
    invariance, samples, codes = data
    one = ReduNet(invariance, n_layers=2, affine=affine).fit(samples, codes)
    other = ReduNet(invariance, n_layers=2, affine=affine).fit(scale * samples, codes)
    assert_allclose(other.transform(scale * samples), one.transform(samples), atol=1e-8)


@given(labelled_samples(), st.integers(0, 99))
def test_moments_of_parts_add_up_to_the_moment_of_the_whole(data, seed):
    _, samples, codes = data
    order = np.argsort(codes, kind="stable")
    V, codes = half_spectrum(samples[order]), codes[order]
    bounds = np.r_[0, np.cumsum(np.bincount(codes))]
    weights = np.random.default_rng(seed).uniform(size=len(codes))
    cut = seed % len(codes)
    assert_allclose(class_moments(V, bounds, weights).sum(axis=0), moment(V, weights), atol=1e-12)
    assert_allclose(
        moment(V[:, :, :cut], weights[:cut]) + moment(V[:, :, cut:], weights[cut:]), moment(V, weights), atol=1e-12
    )


def test_moments_of_many_samples_are_their_definition():
    V = np.random.default_rng(0).standard_normal((2, 3, 2 * PART + 5))
    assert_allclose(moment(V), np.einsum("pci,pdi->pcd", V, V), rtol=1e-10)


@given(labelled_samples(), PRECISIONS, st.booleans())
def test_the_half_spectrum_holds_everything(data, precision, unitary):
    _, samples, _ = data
    samples = samples.astype(precision)
    back = samples_of(half_spectrum(samples, unitary=unitary), samples.shape[2:], unitary=unitary)
    assert back.dtype == precision
    assert_allclose(back, samples, atol=1e-5 if precision == np.float32 else 1e-12)


def test_normalise_leaves_zero_samples_zero():
    V = np.zeros((3, 2, 2), dtype=complex)
    V[:, :, 1] = 1 + 1j
    normal = normalise(V, np.ones(3))
    assert_array_equal(normal[:, :, 0], 0)
    assert_allclose(np.linalg.norm(normal[:, :, 1]), 1.0)


@given(labelled_samples(), options, st.booleans())
def test_float32_gives_float32_near_float64(data, options, affine):
    invariance, samples, codes = data
    options = options | {"sharpness": min(options["sharpness"], 20.0)}
    coarse = ReduNet(invariance, affine=affine, **options).fit(samples.astype(np.float32), codes)
    fine = ReduNet(invariance, affine=affine, **options).fit(samples.astype(np.float32).astype(np.float64), codes)
    features = coarse.transform(samples.astype(np.float32))
    assert features.dtype == np.float32
    assert_allclose(features, fine.transform(samples.astype(np.float32)), atol=2e-3)


@pytest.mark.parametrize("affine", [False, True])
def test_more_features_than_samples_is_exact_in_the_span(affine):
    """Operators are multiples of the identity outside the span of the training samples."""
    rng = np.random.default_rng(0)
    samples, codes = rng.standard_normal((10, 40)), np.repeat([0, 1], 5)
    new = rng.standard_normal((7, 40))
    net = ReduNet(n_layers=5, eps=0.5, step_size=0.1, affine=affine).fit(samples, codes)
    assert net.network_.span is not None
    assert net.network_.layers[0].expansion.shape == (1, 11, 11)
    # The same constants and operators, written out in all dimensions.
    Z = net.network_.geometry.blocks(new)
    for index, layer in enumerate(net.network_.layers):
        kernels = net.network_.kernels(index)
        full = type(layer)(
            kernels.expansion[None],
            kernels.compression[:, None],
            layer.class_share,
            layer.step_size,
            layer.sharpness,
            layer.residual_unit,
        )
        Z = full(Z, net.network_.geometry.norm_weights)
    assert_allclose(net.transform(new), net.network_.geometry.samples(Z), atol=1e-12)


def test_span_agrees_with_the_network_in_all_dimensions():
    from tests.reference import vector_network

    rng = np.random.default_rng(0)
    samples, codes = rng.standard_normal((10, 40)), np.repeat([0, 1], 5)
    Z = (samples / np.linalg.norm(samples, axis=1, keepdims=True)).T
    net = ReduNet(n_layers=3, eps=0.5, step_size=0.1, affine=False, sharpness=5.0).fit(samples, codes)
    expected = [np.subtract(*vector_network.rates(Z, codes, eps=0.5))]
    for _ in range(3):
        Z = vector_network.layer(Z, codes, eps=0.5, eta=0.1, lam=5.0)
        expected.append(np.subtract(*vector_network.rates(Z, codes, eps=0.5)))
    assert_allclose(net.transform(samples), Z.T, atol=1e-12)
    assert_allclose(net.history_.rate_reduction, expected, rtol=1e-10)
