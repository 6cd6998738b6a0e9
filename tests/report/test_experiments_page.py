"""The page of the paper's experiments."""

import json

import numpy as np

from .page_driver import ask, eventually, resize, settled, stage


def test_the_page_of_the_experiments_runs_in_a_browser(chromium, tmp_path):
    """What ``redunet reproduce`` writes: nothing on the console, the slider moves points, a shift keeps the answer."""
    from selenium.webdriver import Keys
    from typer.testing import CliRunner

    from redunet.cli.app import app

    words = ["reproduce", "gaussians-3d", "sinusoids", "digits", "--size", "toy", "--out", str(tmp_path), "--quiet"]
    assert CliRunner().invoke(app, words).exit_code == 0
    resize(chromium, 1200)
    chromium.get((tmp_path / "report.html").as_uri())
    kinds = chromium.execute_script("return window.redunet.exhibits.map((e) => e.kind)")
    assert kinds == ["network", "sphere", "network"]  # first a digit to drag
    host = stage(chromium, 1)
    before = ask(chromium, 1, "positions()")
    host.find_element("css selector", "input[type=range]").send_keys(Keys.END)
    eventually(lambda: not np.allclose(ask(chromium, 1, "positions()"), before, atol=1e-3))
    for i, move in ((0, [3, 5]), (2, [17])):
        host = stage(chromium, i)
        answer, distances = host.get_attribute("data-answer"), ask(chromium, i, "distances()")
        ask(chromium, i, f"moveTo({json.dumps(move)})")
        assert host.get_attribute("data-shift") == ",".join(map(str, move))
        assert host.get_attribute("data-answer") == answer
        np.testing.assert_allclose(ask(chromium, i, "distances()"), distances, atol=1e-8)
    for theme, shown in (("light", "for-light"), ("dark", "for-dark")):
        chromium.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        pictures = [one for one in chromium.find_elements("css selector", ".figure img") if one.is_displayed()]
        assert {one.get_attribute("class") for one in pictures} == {shown}
        assert len(pictures) >= 4
    resize(chromium, 390)
    settled(chromium)
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= 390
    assert chromium.get_log("browser") == []
