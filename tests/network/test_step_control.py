"""How far layers go and when they end: fixed and automatic steps, momentum, tolerance; by themselves and in a fit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from redunet import ReduNet
from redunet.network.recipe import Recipe
from redunet.network.step_control import (
    FIRST_STEP,
    LARGEST_STEP,
    SMALLEST_STEP,
    STAGNANT_LAYERS,
    STEP_GROWTH,
    Step,
    StepState,
    following_step,
    step_control,
)

ALPHA = 4.0
AUTOMATIC = Recipe(n_layers=20, eps=0.3, step_size=None, sharpness=50.0, relative_residual=True, tol=None, momentum=0.0)
FIXED = replace(AUTOMATIC, step_size=0.1)


def accepted(control, growth, rate_reduction=1.0):
    """The step that is proposed, once a layer of this growth of ΔR was accepted."""
    step = control.propose()
    assert control.accepts(step, growth, rate_reduction)
    return step


def test_a_fixed_step_is_always_the_same_and_accepts_everything():
    control = step_control(FIXED, ALPHA)
    assert [accepted(control, growth) for growth in (1.0, -1.0, 0.0)] == [Step(0.1, 0.0)] * 3
    assert not control.has_ended
    assert not control.goes_back  # so that features can be overwritten


def test_an_automatic_step_grows_up_to_its_limit():
    control = step_control(AUTOMATIC, ALPHA)
    assert control.goes_back
    steps = [accepted(control, 0.1).size * ALPHA for _ in range(12)]
    assert_allclose(steps, np.minimum(FIRST_STEP * STEP_GROWTH ** np.arange(12), LARGEST_STEP))
    assert following_step(LARGEST_STEP) == LARGEST_STEP


def test_an_automatic_step_that_lowers_the_rate_reduction_is_halved_and_tried_again():
    control = step_control(AUTOMATIC, ALPHA)
    first = control.propose()
    assert not control.accepts(first, -1e-9, 1.0)
    assert control.propose() == Step(first.size / 2, 0.0)


def test_an_automatic_step_gives_up_where_a_layer_would_hardly_move_anything():
    control = step_control(AUTOMATIC, ALPHA)
    n_tried = 0
    while not control.has_ended:
        assert not control.accepts(control.propose(), -1.0, 1.0)
        n_tried += 1
    assert n_tried == np.ceil(np.log2(FIRST_STEP / SMALLEST_STEP))


@pytest.mark.parametrize("recipe", [AUTOMATIC, FIXED])
def test_tolerance_ends_after_layers_in_a_row_that_hardly_change_anything(recipe):
    control = step_control(replace(recipe, tol=1e-3), ALPHA)
    natural = control.step_size * ALPHA
    accepted(control, 0.9e-3 * natural)
    assert not control.has_ended
    accepted(control, 1.0)  # one that does starts the count again
    for _ in range(STAGNANT_LAYERS):
        assert not control.has_ended
        accepted(control, 1e-9)
    assert control.has_ended
    without = step_control(replace(recipe, tol=None), ALPHA)
    for _ in range(10):
        accepted(without, 0.0)
    assert not without.has_ended


@pytest.mark.parametrize(("momentum", "expected"), [(0.7, [0, 0.7, 0.7, 0.7]), ("nesterov", [0, 1 / 4, 2 / 5, 3 / 6])])
def test_momentum_starts_with_the_second_layer(momentum, expected):
    control = step_control(replace(FIXED, momentum=momentum), ALPHA)
    assert control.goes_back  # to the features before the last layer
    assert_allclose([accepted(control, 0.1).momentum for _ in range(4)], expected)


def test_momentum_that_lowers_the_rate_reduction_starts_again_before_the_step_is_halved():
    control = step_control(replace(AUTOMATIC, momentum="nesterov"), ALPHA)
    accepted(control, 0.1)
    too_far = control.propose()
    assert too_far.momentum > 0
    assert not control.accepts(too_far, -0.1, 1.0)
    again = control.propose()
    assert again == Step(too_far.size, 0.0)
    assert not control.accepts(again, -0.1, 1.0)
    assert control.propose().size == too_far.size / 2


@pytest.mark.parametrize("step_size", [None, 0.1])
@pytest.mark.parametrize("growths", [(0.1, 1e-6), (0.1, 0.1, 0.1), (1e-6,), ()])
def test_another_control_goes_on_where_this_one_was(step_size, growths):
    recipe = replace(AUTOMATIC, step_size=step_size, tol=1e-4, momentum="nesterov")
    control = step_control(recipe, ALPHA)
    for growth in growths:
        accepted(control, growth)
    again = step_control(recipe, ALPHA, control.state)
    assert again.state == control.state
    for growth in (0.2, 1e-7, 1e-7):
        assert accepted(again, growth) == accepted(control, growth)
        assert again.has_ended == control.has_ended
    assert again.state == control.state
    assert isinstance(control.state, StepState)


def test_no_momentum_is_momentum_zero_bit_for_bit():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 3, 10)), np.arange(40) % 2
    for step_size in (0.1, "auto"):
        none, zero = (ReduNet("shift", n_layers=6, step_size=step_size, momentum=m).fit(X, y) for m in (None, 0.0))
        assert_array_equal(none.transform(X), zero.transform(X))
        assert_array_equal(none.history_.rate_reduction, zero.history_.rate_reduction)


@given(
    st.integers(0, 999),
    st.floats(0.05, 2.0),
    st.floats(1.0, 200.0),
    st.sampled_from([None, "nesterov"]),
    st.sampled_from(["exact", "published"]),
)
def test_the_automatic_step_never_lowers_the_rate_reduction(seed, eps, sharpness, momentum, convention):
    rng = np.random.default_rng(seed)
    y = np.arange(24) % 3
    X = rng.standard_normal((3, 3, 6))[y] + rng.standard_normal((24, 3, 6))
    net = ReduNet(
        "shift", n_layers=12, eps=eps, sharpness=sharpness, momentum=momentum, convention=convention, tol=None
    ).fit(X, y)
    assert (np.diff(net.history_.rate_reduction) >= 0).all()
    assert net.n_layers_ == len(net.network_.layers) == len(net.history_) - 1


def test_momentum_gets_further_with_small_steps():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.standard_normal((2, 4))[y] + 0.3 * rng.standard_normal((200, 4))
    natural = 200 * 0.3**2 / 5  # 1 / α, with the constant coordinate
    plain, fast = (
        ReduNet(n_layers=60, eps=0.3, step_size=0.02 * natural, momentum=m, tol=None).fit(X, y).history_.rate_reduction
        for m in (None, "nesterov")
    )
    assert fast[-1] - fast[0] > 2 * (plain[-1] - plain[0])


def test_tol_stops_where_the_rate_reduction_stops_growing():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.standard_normal((2, 5))[y] + 0.2 * rng.standard_normal((60, 5))
    loose, tight, never = (ReduNet(n_layers=300, tol=tol).fit(X, y) for tol in (1e-2, 1e-5, None))
    assert loose.n_layers_ < tight.n_layers_ < 300
    gains = np.diff(loose.history_.rate_reduction) / loose.history_.rate_reduction[1:]
    assert gains[-1] < 1e-2 * 2  # two natural steps at most
    assert loose.history_.rate_reduction[-1] <= never.history_.rate_reduction[-1]
    fixed = ReduNet(n_layers=100, tol=None, step_size=1e-3).fit(X, y)
    assert fixed.n_layers_ == 100
