"""Points on the circle and the sphere: where Python has them at each layer, and turned by hand."""

import base64

import numpy as np
import pytest

from .example_page import SPHERES, sphere
from .page_driver import ask, eventually, stage


@pytest.mark.parametrize("i", SPHERES)
def test_slider_moves_the_points_to_where_python_has_them(browser, i):
    from selenium.webdriver import Keys

    host = stage(browser, i)
    dimension = 2 + SPHERES.index(i)
    exhibit = sphere(dimension)
    points = np.frombuffer(base64.b64decode(exhibit["points"]["data"]), "<f4").reshape(exhibit["points"]["shape"])
    yaw, pitch = (0.0, 0.0) if dimension == 2 else (0.6, 0.35)

    def seen(layer):
        if dimension == 2:
            return points[layer]
        x, y, z = points[layer].T
        ahead = np.cos(yaw) * x + np.sin(yaw) * y
        return np.stack([np.cos(yaw) * y - np.sin(yaw) * x, np.cos(pitch) * z - np.sin(pitch) * ahead], axis=1)

    np.testing.assert_allclose(np.array(ask(browser, i, "positions()"))[:, :2], seen(0), atol=1e-6)
    slider = host.find_element("css selector", "input[type=range]")
    for _ in range(4):
        slider.send_keys(Keys.ARROW_RIGHT)
    assert host.get_attribute("data-layer") == "4"

    def arrived():
        return np.allclose(np.array(ask(browser, i, "positions()"))[:, :2], seen(4), atol=1e-6)

    eventually(arrived)
    assert np.abs(seen(4) - seen(0)).max() > 0.01
    assert "Layer 4" in host.find_element("class name", "readout").text


def test_play_runs_to_the_last_layer(browser):
    host = stage(browser, SPHERES[0])
    host.find_element("css selector", ".controls button").click()
    eventually(lambda: host.get_attribute("data-layer") == "10")
    eventually(lambda: host.find_element("css selector", ".controls button").text == "Play")
    assert host.find_element("css selector", "input[type=range]").get_attribute("value") == "10"


def test_dragging_turns_the_sphere(browser):
    from selenium.webdriver import ActionChains

    host = stage(browser, SPHERES[1])
    before = np.array(ask(browser, SPHERES[1], "positions()"))
    canvas = host.find_element("css selector", "canvas.draggable")
    ActionChains(browser, duration=50).click_and_hold(canvas).move_by_offset(60, 20).release().perform()
    after = np.array(ask(browser, SPHERES[1], "positions()"))
    assert np.abs(after - before).max() > 0.1
    # A turn keeps all angles between points.
    np.testing.assert_allclose(after @ after.T, before @ before.T, atol=1e-6)
