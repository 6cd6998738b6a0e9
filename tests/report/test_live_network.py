"""A network in the page: it computes what Python computes, and moving a sample never changes its answer."""

import json

import numpy as np
import pytest

from .example_page import NAMES
from .page_driver import ask, settled, stage


def shifts_of(shape):
    return [(0,) * len(shape), (1, 2)[: len(shape)], tuple(length // 2 for length in shape), (-3, 5)[: len(shape)]]


@pytest.mark.parametrize("name", NAMES)
def test_distances_of_the_page_are_those_of_python_at_every_shift(browser, networks, name):
    i, case = NAMES.index(name), networks[name]
    host = browser.execute_script(f"return window.redunet.exhibits[{i}].element")
    for sample in range(len(case.X)):
        expected = case.model.distances(case.X[sample : sample + 1])[0]
        assert np.ptp(expected) > 1e-3
        ask(browser, i, f"chooseSample({sample})")
        for shift in shifts_of(case.shape):
            ask(browser, i, f"moveTo({json.dumps(shift)})")
            np.testing.assert_allclose(ask(browser, i, "distances()"), expected, atol=1e-5)
            assert host.get_attribute("data-answer") == str(case.model.classes_[expected.argmin()])
            assert host.get_attribute("data-shift") == ",".join(str(s) for s in np.mod(shift, case.shape))
        assert host.get_attribute("data-answers-differ") == "false"


@pytest.mark.parametrize("name", NAMES)
def test_features_and_memberships_of_the_page_are_those_of_python(browser, networks, name):
    i, case = NAMES.index(name), networks[name]
    network = case.model.network_
    assert len(network.layers) == (0 if name == "no layers" else 4)
    for shift in shifts_of(case.shape):
        ask(browser, i, f"moveTo({json.dumps(shift)})")
        blocks, memberships = case.blocks(0, shift)
        for layer, V in enumerate(blocks):
            expected = network.geometry.samples(V)[0]
            scale = np.abs(expected).max()
            seen = np.reshape(ask(browser, i, f"features({layer})"), expected.shape)
            np.testing.assert_allclose(seen, expected, atol=1e-4 * scale, err_msg=f"layer {layer}")
        seen = [row for row in ask(browser, i, "memberships()") if row is not None]
        assert len(seen) == len(memberships)
        np.testing.assert_allclose(seen, memberships, atol=1e-4)


@pytest.mark.parametrize("name", NAMES[:3])
def test_features_of_the_page_are_those_of_the_fast_network(browser, networks, name):
    case = networks[name]
    shift = shifts_of(case.shape)[1]
    ask(browser, NAMES.index(name), f"moveTo({json.dumps(shift)})")
    expected = case.model.network_.features(case.moved(0, shift))[0]
    seen = np.reshape(ask(browser, NAMES.index(name), "features()"), expected.shape)
    np.testing.assert_allclose(seen, expected, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("name", NAMES[:3])
def test_kernels_of_the_page_are_those_of_python(browser, networks, name):
    i, network = NAMES.index(name), networks[name].model.network_
    for layer in (0, len(network.layers) - 1):
        kernels = network.kernels(layer)
        for operator, expected in ((-1, kernels.expansion), (1, kernels.compression[1])):
            seen = np.reshape(ask(browser, i, f"kernels({layer}, {operator})"), expected.shape)
            np.testing.assert_allclose(seen, expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["waves, softmax", "pictures, subspace"])
def test_dragging_moves_the_sample_and_its_features_and_keeps_the_answer(browser, networks, name):
    from selenium.webdriver import ActionChains

    i = NAMES.index(name)
    host = stage(browser, i)
    before, answer, distances = (
        ask(browser, i, "features()"),
        host.get_attribute("data-answer"),
        ask(browser, i, "distances()"),
    )
    canvas = host.find_element("css selector", "canvas.draggable")
    cell = canvas.size["width"] / networks[name].shape[-1]
    ActionChains(browser, duration=50).click_and_hold(canvas).move_by_offset(round(3 * cell), 0).release().perform()
    settled(browser)
    two_axes = len(networks[name].shape) == 2
    assert host.get_attribute("data-shift") == ("0,3" if two_axes else "3")
    # The features move along, and are otherwise what they were.
    shape = networks[name].model.network_.geometry.feature_shape
    expected = np.roll(np.reshape(before, shape), 3, axis=-1)
    np.testing.assert_allclose(np.reshape(ask(browser, i, "features()"), shape), expected, atol=1e-8)
    assert np.abs(np.reshape(before, shape) - expected).max() > 1e-3
    np.testing.assert_allclose(ask(browser, i, "distances()"), distances, atol=1e-9)
    assert host.get_attribute("data-answer") == answer
    assert host.get_attribute("data-answers-differ") == "false"


@pytest.mark.parametrize("name", ["waves, softmax", "pictures, code, pool 2"])
def test_arrow_keys_move_the_sample_and_are_counted(browser, networks, name):
    from selenium.webdriver import Keys

    i = NAMES.index(name)
    host = stage(browser, i)
    before, answer = ask(browser, i, "features()"), host.get_attribute("data-answer")
    canvas = host.find_element("css selector", "canvas.draggable")
    two_axes = len(networks[name].shape) == 2
    for key in (Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_DOWN if two_axes else Keys.ARROW_LEFT):
        canvas.send_keys(key)
        settled(browser)
    assert host.get_attribute("data-shift") == ("1,6" if two_axes else "37")
    assert np.abs(np.subtract(before, ask(browser, i, "features()"))).max() > 1e-3
    assert host.get_attribute("data-answer") == answer
    assert "the same at all 4 shifts you tried" in host.find_element("class name", "answer").text
    for button in host.find_elements("css selector", ".buttons button"):
        button.click()
        settled(browser)
    assert host.get_attribute("data-shift") == ("0,0" if two_axes else "0")
    assert host.get_attribute("data-answer") == answer


def test_an_answer_that_changed_is_seen(browser):
    host = stage(browser, 0)
    assert not host.find_element("class name", "warning").is_displayed()
    # Break the network in the page: the class now depends on where the sample is.
    browser.execute_script(
        "const e = window.redunet.exhibits[0]; const net = e.draw().network; let calls = 0;"
        "net.distances = () => [calls % 2, (calls++ + 1) % 2, 1];"
    )
    ask(browser, 0, "moveTo([1])")
    ask(browser, 0, "moveTo([2])")
    assert host.get_attribute("data-answers-differ") == "true"
    assert host.find_element("class name", "warning").is_displayed()
    assert "wrong" in host.find_element("class name", "answer").get_attribute("class")


def test_layer_slider_of_a_network_changes_features_and_kernels(browser):
    from selenium.webdriver import Keys

    host = stage(browser, 1)
    pixels = "return Array.from(arguments[0].querySelectorAll('canvas')).slice(-2).map((c) => c.toDataURL())"
    before = browser.execute_script(pixels, host)
    for _ in range(3):
        host.find_element("css selector", "input[type=range]").send_keys(Keys.ARROW_LEFT)
    assert host.get_attribute("data-layer") == "1"
    after = browser.execute_script(pixels, host)
    assert all(one != other for one, other in zip(before, after, strict=True))
    assert "after layer 1" in host.text
    assert "Layer 1 as convolution kernels" in host.text
