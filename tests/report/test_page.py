"""The report page in a real browser: it computes what Python computes, and moving a sample never changes its answer."""

import base64
import json
import os
import shutil
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from redunet import Lift, ReduNet, ReduNetClassifier
from redunet.network.network import Network
from redunet.numerics.step import extrapolate
from redunet.report.network_data import array_data, history_data, network_data
from redunet.report.page import build_page, write_page

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")


def sinusoids(n=24, length=40):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    t = 2 * np.pi * (np.arange(length) / length + rng.uniform(size=(n, 1)))
    waves = [np.sin(t), np.sign(np.sin(t)), np.sin(t) + np.sin(3 * t)]
    return np.choose(y[:, None], waves) + 0.1 * rng.standard_normal(t.shape), np.array(["sine", "square", "two"])[y]


def digits(n=60):
    X, y = load_digits(n_class=3, return_X_y=True)
    return X[:n].reshape(n, 8, 8) / 16, y[:n]


@dataclass
class Case:
    """A classifier, the samples that the page has, and how many zeros their margin has."""

    model: ReduNetClassifier
    X: Any

    @property
    def shape(self):
        """Lengths of the axes that the sample moves along."""
        lift = self.model.network_.lift
        return lift.grid if lift is not None else self.model.network_.geometry.grid

    def exhibit(self, title):
        """What the page is given."""
        model = self.model
        distances = model.distances(self.X)
        samples = self.X.reshape(len(self.X), *model.sample_shape_)
        answers = distances.argmin(axis=1)
        return {
            "kind": "network",
            "title": title,
            "caption": "Move the sample.",
            "network": network_data(model.network_, model.answers_, model.classes_),
            "samples": [
                {"label": str(model.classes_[answer]), "values": array_data(values)}
                for answer, values in zip(answers, samples, strict=True)
            ],
            "history": history_data(model.history_),
            "expected": [
                {"answer": int(answer), "distances": row.tolist()}
                for answer, row in zip(answers, distances, strict=True)
            ],
        }

    def moved(self, sample, shift):
        """The sample with its margin, moved; shape (1, n_channels_in, *grid)."""
        values = self.X[sample].reshape(1, *self.model.sample_shape_)
        lift = self.model.network_.lift
        if lift is not None:
            values = lift.padded(values)
        return np.roll(values, shift, axis=tuple(range(2, values.ndim)))

    def blocks(self, sample, shift):
        """Blocks at the entrance and after each layer, and the membership at each, by the readable code."""
        network = self.model.network_
        moved = self.moved(sample, shift)
        V = network.geometry.blocks(moved if network.lift is None else network.lift(moved))
        weights, blocks, memberships = network.geometry.norm_weights, [V], []
        for i, layer in enumerate(network.layers):
            if layer.membership != "relu":
                start = extrapolate(blocks[i], blocks[i - 1], layer.momentum, weights) if layer.momentum else blocks[i]
                residuals = layer.residuals(start, layer.compression @ start, weights)[:, 0]
                shares = np.exp(-layer.sharpness * (residuals - residuals.min()))
                memberships.append(shares / shares.sum())
            blocks.append(layer(blocks[i], weights, blocks[i - 1] if i else None))
        return blocks, memberships


def cases():
    X, y = sinusoids()
    images, kinds = digits()
    rows = {"n_layers": 4, "tol": None}

    def waves(**options):
        lift = options.pop("lift", Lift("random", 5, 9, random_state=0))
        return Case(ReduNetClassifier("shift", lift=lift, **rows, **options).fit(X, y), X[:4])

    def pictures(lift, width=8, **options):
        narrow = images[:, :, :width]
        return Case(ReduNetClassifier("translation", lift=lift, **rows, **options).fit(narrow, kinds), narrow[:4])

    two_channels = np.stack([X, np.square(X)], axis=1)
    return {
        "waves, softmax": waves(membership="softmax", rank=2),
        "pictures, subspace": pictures(Lift("random", 5, 3, random_state=0), membership="subspace", rank=2),
        "pictures, code, pool 2": pictures(
            Lift("random", 5, 3, random_state=1, threshold="relu", pool=2), membership="code", eps=0.3
        ),
        "waves, code, margin": waves(membership="code", lift=Lift("random", 10, (5, 9), random_state=0, pad=7)),
        "two channels, published, relu": Case(
            ReduNetClassifier("shift", membership="relu", rank=1, convention="published", step_size=0.02, **rows).fit(
                two_channels, y
            ),
            two_channels[:3],
        ),
        "pictures of 8 by 7, momentum": pictures(
            Lift("random", 4, (3, 5), random_state=2), width=7, membership="softmax", rank=1, momentum=0.5
        ),
        "no layers": Case(
            ReduNetClassifier("shift", lift=Lift("random", 5, 9, random_state=0), n_layers=0, rank=2).fit(X, y), X[:2]
        ),
    }


def sphere(dimension):
    rng = np.random.default_rng(dimension)
    labels = np.arange(60) % dimension
    points = np.eye(dimension)[labels] + 0.6 * np.abs(rng.standard_normal((60, dimension)))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    model = ReduNet(n_layers=10, affine=False, tol=None).fit(points[:40], labels[:40])
    network = model.network_
    shown = [
        Network(network.geometry, network.layers[:depth], network.dtype).features(points)
        for depth in range(len(network.layers) + 1)
    ]
    return {
        "kind": "sphere",
        "title": f"Points on S{dimension - 1}",
        "caption": "Features after each layer.",
        "dimension": dimension,
        "classes": [f"class {j + 1}" for j in range(dimension)],
        "labels": labels.tolist(),
        "new": (np.arange(60) >= 40).tolist(),
        "layers": list(range(len(shown))),
        "points": array_data(np.stack(shown)),
        "history": history_data(model.history_),
    }


def still():
    rng = np.random.default_rng(0)
    images, kinds = digits(12)
    similar = np.abs(np.corrcoef(images.reshape(12, -1)))
    values = [rng.normal(mean, 1, 400) for mean in (0, 2)]
    series = []
    for name, column in zip(("same class", "other class"), values, strict=True):
        counts, edges = np.histogram(column, bins=20)
        series.append({"label": name, "edges": edges, "counts": counts})
    return [
        {
            "kind": "gallery",
            "title": "Digits",
            "caption": "The images.",
            "images": [
                {"label": str(kind), "values": array_data(image)} for image, kind in zip(images, kinds, strict=True)
            ],
        },
        {
            "kind": "histogram",
            "title": "Values",
            "caption": "How often.",
            "xlabel": "value",
            "ylabel": "samples",
            "series": series,
        },
        {
            "kind": "heatmap",
            "title": "Similarity",
            "caption": "Of features.",
            "xlabel": "sample",
            "ylabel": "sample",
            "values": array_data(similar),
            "low": 0.0,
            "high": 1.0,
        },
    ]


HOSTILE = '</script><script>document.title = "broken"</script><!--<script> & /*SCRIPTS*/ /*STYLE*/'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><path d="M2 18L20 4L38 12" stroke="#000"/></svg>'


def report(named):
    rows = [
        {
            "experiment": "moving",
            "title": "Samples that move",
            "quantity": quantity,
            "paper": paper,
            "published": published,
            "ours": ours,
            "seconds": seconds,
            "note": note,
        }
        for quantity, paper, published, ours, seconds, note in (
            ("accuracy at random shifts", 0.98, 0.9765, 0.9912, 12.3, None),
            ("rate reduction (nats)", None, None, -1.25, 200, HOSTILE),
            ("speed", 1, None, 8695, None, "times the algorithm as the paper states it"),
        )
    ]
    other = {**rows[0], "experiment": "points on spheres", "title": "Points on the circle and the sphere"}
    moving = [case.exhibit(name) for name, case in named.items()]
    text = "First paragraph: what was done,\nand why it matters to anybody at all.\n\nSecond paragraph."
    return {
        "title": "A report",
        "subtitle": f"For a test {HOSTILE}",
        "version": "0.1.0",
        "summary": [*rows, other],
        "experiments": [
            {
                "name": "moving",
                "title": "Samples that move",
                "text": text,
                "seconds": 12.3,
                "rows": rows,
                "figures": [],
                "exhibits": moving,
            },
            {
                "name": "points on spheres",
                "title": "Points on the circle and the sphere",
                "text": text,
                "seconds": 3.0,
                "rows": [other],
                "figures": [
                    {"caption": "A line.", "svg": SVG, "png": None, "file": "line.svg"},
                    {"caption": "A dot.", "svg": None, "png": dot(), "file": "dot.png"},
                ],
                "exhibits": [sphere(2), sphere(3), *still()],
            },
        ],
    }


def dot():
    from io import BytesIO

    from PIL import Image

    file = BytesIO()
    Image.new("RGB", (4, 2), "teal").save(file, "png")
    return base64.b64encode(file.getvalue()).decode()


@pytest.fixture(scope="module")
def named():
    return cases()


@pytest.fixture(scope="module")
def page(named, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "page.html"
    write_page(report(named), path)
    return path


@pytest.fixture(scope="module")
def chromium(page):
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("chromium and chromedriver are not installed")
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = selenium.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu", "window-size=1200,900"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = selenium.Chrome(options=options, service=selenium.ChromeService(DRIVER))
    driver.set_script_timeout(20)
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium, page):
    """The page, freshly opened; whatever a test does, nothing may be written to the console."""
    resize(chromium, 1200)
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chromium.get(page.as_uri())
    yield chromium
    assert chromium.get_log("browser") == []


def resize(driver, width, height=900):
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def ask(driver, i, what):
    """What an exhibit of the page tells, say ``distances()``."""
    return driver.execute_script(f"return JSON.parse(JSON.stringify(window.redunet.exhibits[{i}].{what} ?? null))")


def stage(driver, i):
    """The element of an exhibit, in view. All are drawn first, or those above it would still push it down."""
    driver.execute_script("window.redunet.exhibits.forEach((exhibit) => exhibit.draw())")
    settled(driver)
    return driver.execute_script(
        f"const {{ element }} = window.redunet.exhibits[{i}];"
        "element.scrollIntoView({block: 'start', behavior: 'instant'}); return element"
    )


def settled(driver):
    """Wait until two frames have been drawn."""
    driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def eventually(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened in time"
        time.sleep(0.05)


NAMES = [
    "waves, softmax",
    "pictures, subspace",
    "pictures, code, pool 2",
    "waves, code, margin",
    "two channels, published, relu",
    "pictures of 8 by 7, momentum",
    "no layers",
]
SPHERES = (len(NAMES), len(NAMES) + 1)


def shifts_of(shape):
    return [(0,) * len(shape), (1, 2)[: len(shape)], tuple(length // 2 for length in shape), (-3, 5)[: len(shape)]]


@pytest.mark.parametrize("name", NAMES)
def test_distances_of_the_page_are_those_of_python_at_every_shift(browser, named, name):
    i, case = NAMES.index(name), named[name]
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
def test_features_and_memberships_of_the_page_are_those_of_python(browser, named, name):
    i, case = NAMES.index(name), named[name]
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
def test_features_of_the_page_are_those_of_the_fast_network(browser, named, name):
    case = named[name]
    shift = shifts_of(case.shape)[1]
    ask(browser, NAMES.index(name), f"moveTo({json.dumps(shift)})")
    expected = case.model.network_.features(case.moved(0, shift))[0]
    seen = np.reshape(ask(browser, NAMES.index(name), "features()"), expected.shape)
    np.testing.assert_allclose(seen, expected, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("name", NAMES[:3])
def test_kernels_of_the_page_are_those_of_python(browser, named, name):
    i, network = NAMES.index(name), named[name].model.network_
    for layer in (0, len(network.layers) - 1):
        kernels = network.kernels(layer)
        for operator, expected in ((-1, kernels.expansion), (1, kernels.compression[1])):
            seen = np.reshape(ask(browser, i, f"kernels({layer}, {operator})"), expected.shape)
            np.testing.assert_allclose(seen, expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["waves, softmax", "pictures, subspace"])
def test_dragging_moves_the_sample_and_its_features_and_keeps_the_answer(browser, named, name):
    from selenium.webdriver import ActionChains

    i = NAMES.index(name)
    host = stage(browser, i)
    before, answer, distances = (
        ask(browser, i, "features()"),
        host.get_attribute("data-answer"),
        ask(browser, i, "distances()"),
    )
    canvas = host.find_element("css selector", "canvas.draggable")
    cell = canvas.size["width"] / named[name].shape[-1]
    ActionChains(browser, duration=50).click_and_hold(canvas).move_by_offset(round(3 * cell), 0).release().perform()
    settled(browser)
    two_axes = len(named[name].shape) == 2
    assert host.get_attribute("data-shift") == ("0,3" if two_axes else "3")
    # The features move along, and are otherwise what they were.
    shape = named[name].model.network_.geometry.feature_shape
    expected = np.roll(np.reshape(before, shape), 3, axis=-1)
    np.testing.assert_allclose(np.reshape(ask(browser, i, "features()"), shape), expected, atol=1e-8)
    assert np.abs(np.reshape(before, shape) - expected).max() > 1e-3
    np.testing.assert_allclose(ask(browser, i, "distances()"), distances, atol=1e-9)
    assert host.get_attribute("data-answer") == answer
    assert host.get_attribute("data-answers-differ") == "false"


@pytest.mark.parametrize("name", ["waves, softmax", "pictures, code, pool 2"])
def test_arrow_keys_move_the_sample_and_are_counted(browser, named, name):
    from selenium.webdriver import Keys

    i = NAMES.index(name)
    host = stage(browser, i)
    before, answer = ask(browser, i, "features()"), host.get_attribute("data-answer")
    canvas = host.find_element("css selector", "canvas.draggable")
    two_axes = len(named[name].shape) == 2
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


def test_a_narrow_screen_never_scrolls_sideways(browser):
    resize(browser, 390)
    browser.execute_script("window.redunet.exhibits.forEach((e) => e.draw())")
    settled(browser)
    settled(browser)
    assert browser.execute_script("return document.documentElement.clientWidth") <= 390
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    ask(browser, 0, "moveTo([3])")


def test_dark_follows_the_system_until_the_reader_chooses(browser, page):
    def paper():
        return browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    def pixels():
        return browser.execute_script("return arguments[0].querySelector('canvas').toDataURL()", stage(browser, 0))

    light, light_pixels = paper(), pixels()
    dark_system = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark_system)
    settled(browser)
    assert paper() != light
    assert pixels() != light_pixels
    browser.find_element("class name", "theme").click()
    assert paper() == light
    assert pixels() == light_pixels
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark_system)
    browser.get(page.as_uri())
    assert paper() != light


def test_exhibits_are_drawn_when_they_come_into_view(browser):
    drawn = "return window.redunet.exhibits.map((e) => e.drawn())"
    assert not all(browser.execute_script(drawn))
    browser.execute_script("window.redunet.exhibits.at(-1).element.scrollIntoView({behavior: 'instant'})")
    eventually(lambda: browser.execute_script(drawn)[-1])


def test_everything_has_a_name_and_nothing_is_fetched(browser):
    browser.execute_script("window.redunet.exhibits.forEach((e) => e.draw())")
    unnamed = browser.execute_script(
        "return Array.from(document.querySelectorAll('button, select, input'))"
        ".filter((node) => !(node.textContent.trim() || node.labels?.length)).length"
    )
    assert unnamed == 0
    fetched = browser.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert [name for name in fetched if not name.startswith(("data:", "blob:"))] == []


def test_text_of_the_data_stays_text(browser):
    assert browser.title == "A report"
    assert HOSTILE in browser.find_element("class name", "subtitle").text
    assert browser.find_element("class name", "note").is_displayed()


def test_summary_links_to_experiments_and_aligns_numbers(browser):
    links = browser.find_elements("css selector", ".summary tbody a")
    assert [link.text for link in links] == ["Samples that move", "Points on the circle and the sphere"]
    links[1].click()
    eventually(
        lambda: (
            abs(
                browser.execute_script("return document.querySelectorAll('.experiment')[1].getBoundingClientRect().top")
            )
            < 100
        )
    )
    rows = browser.find_elements("css selector", ".summary tbody tr")
    assert [cell.text for cell in rows[2].find_elements("css selector", "td.number")] == ["–", "–", "−1.250", "3 min"]
    edges = browser.execute_script(
        "return Array.from(document.querySelectorAll('.summary td.ours .fraction'))"
        ".map((span) => span.getBoundingClientRect().left)"
    )
    assert np.ptp(edges) < 0.5


def test_print_shows_all_exhibits_in_light(browser):
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    settled(browser)
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script("return document.documentElement.dataset.theme") == "light"
    assert all(browser.execute_script("return window.redunet.exhibits.map((e) => e.drawn())"))
    browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"


def test_page_is_one_whole_file(tmp_path):
    data = {"title": "t", "subtitle": HOSTILE, "version": "0", "summary": [], "experiments": []}
    text = build_page(data)
    assert text.count("<script") == text.count("</script>") == 2
    write_page(data, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
    with pytest.raises(ValueError, match="JSON compliant"):
        write_page({**data, "summary": [{"ours": float("nan")}]}, tmp_path / "page.html")
    assert os.listdir(tmp_path) == ["page.html"]
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text


def test_array_data_holds_single_precision_in_little_endian():
    data = array_data(np.array([[1 + 2j, 3 - 4j]], dtype=">c16"))
    assert data["shape"] == [1, 2]
    assert data["dtype"] == "complex64"
    assert np.frombuffer(base64.b64decode(data["data"]), "<f4").tolist() == [1, 2, 3, -4]
    assert array_data([1, 2])["dtype"] == "float32"


def test_network_data_refuses_what_a_page_cannot_draw():
    model = ReduNetClassifier(n_layers=1, rank=1, membership="softmax").fit(np.eye(6)[:, :4] + 1, [0, 1] * 3)
    with pytest.raises(ValueError, match="cyclic axes"):
        network_data(model.network_, model.answers_, model.classes_)


def test_the_page_of_the_experiments_runs_in_a_browser(chromium, tmp_path):
    """What ``redunet reproduce`` writes: nothing on the console, the slider moves points, a shift keeps the answer."""
    from selenium.webdriver import Keys
    from typer.testing import CliRunner

    from redunet.cli.app import app

    words = ["reproduce", "gaussians-3d", "sinusoids", "digits", "--size", "toy", "--out", str(tmp_path), "--quiet"]
    assert CliRunner().invoke(app, words).exit_code == 0
    chromium.get((tmp_path / "report.html").as_uri())
    kinds = chromium.execute_script("return window.redunet.exhibits.map((e) => e.element.className)")
    assert len(kinds) == 3
    host = stage(chromium, 0)
    before = ask(chromium, 0, "positions()")
    host.find_element("css selector", "input[type=range]").send_keys(Keys.END)
    eventually(lambda: not np.allclose(ask(chromium, 0, "positions()"), before, atol=1e-3))
    for i, move in ((1, [17]), (2, [3, 5])):
        host = stage(chromium, i)
        answer, distances = host.get_attribute("data-answer"), ask(chromium, i, "distances()")
        ask(chromium, i, f"moveTo({json.dumps(move)})")
        assert host.get_attribute("data-shift") == ",".join(map(str, move))
        assert host.get_attribute("data-answer") == answer
        np.testing.assert_allclose(ask(chromium, i, "distances()"), distances, atol=1e-8)
    resize(chromium, 390)
    settled(chromium)
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= 390
    assert chromium.get_log("browser") == []
