"""The page about a model of one's own, in a browser: what it shows, and that it answers files as the command line."""

import csv
import re
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import precision_score, recall_score

from redunet import Lift, ReduNetClassifier, load
from redunet.report.model_page import write_model_page

from .own_models import MARKUP, blobs, noisy_waves, own_model, write_table
from .page_driver import eventually, resize, settled

SHIFT = ("--invariance", "shift")
# With filters of their own images are answered in one way, which the page can do.
IMAGES = ("--invariance", "translation", "--shape", "1,8,8", "--lift", "patches", "--kernel", "3")


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Models of several kinds by name, each made when it is first asked for."""
    folder = tmp_path_factory.mktemp("own")
    digits, kinds = load_digits(return_X_y=True)
    table, codes = blobs(3, 160, spread=3.0)
    waves = noisy_waves(120, 60, 1.0)
    layered = ("--lift", "random", "--channels", "5", "--kernel", "7", "--layers", "3")
    recipes = {
        "table": lambda: own_model(folder, "table", table, np.array(MARKUP)[codes]),
        "signals": lambda: own_model(folder, "signals", *waves, *SHIFT),
        "layers": lambda: own_model(folder, "layers", *waves, *SHIFT, *layered),
        "margin": lambda: own_model(folder, "margin", *waves, *SHIFT, *layered, "--pad", "9", "--pool", "2"),
        "images": lambda: own_model(folder, "images", digits[:300], kinds[:300], *IMAGES),
        "wide": lambda: own_model(folder, "wide", *noisy_waves(80, 300, 0.6)),
        "two": lambda: own_model(folder, "two", *blobs(2, 120, spread=6.0)),
        "sixty": lambda: own_model(folder, "sixty", *blobs(60, 480, 12, spread=2.5), n_new=180),
    }
    return cache(lambda name: recipes[name]())


@pytest.fixture
def opened(chromium, own):
    """Opens the page of a model; whatever a test does, nothing may be written to the console."""

    def open_page(name, *, dark=False, width=1200):
        resize(chromium, width)
        look = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [look]})
        model = own(name)
        chromium.get(model.page.as_uri())
        return model

    yield open_page
    assert chromium.get_log("browser") == []


def exhibit(driver, kind, number=0):
    """The element of the exhibit of a kind, drawn."""
    return driver.execute_script(
        "const found = window.redunet.exhibits.filter(({ kind }) => kind === arguments[0])[arguments[1]];"
        "found.draw(); found.element.scrollIntoView({ block: 'center', behavior: 'instant' }); return found.element",
        kind,
        number,
    )


def answer_file(driver, path):
    """Choose a file in the page; returns the exhibit once it is done with it."""
    host = exhibit(driver, "drop")
    driver.execute_script("delete arguments[0].dataset.state", host)
    host.find_element("css selector", "input[type=file]").send_keys(str(path))
    eventually(lambda: host.get_attribute("data-state") in ("done", "refused"), 60)
    return host


def refusal(driver, path):
    """What the page says about a file that it refuses."""
    host = answer_file(driver, path)
    assert host.get_attribute("data-state") == "refused"
    assert host.find_elements("css selector", ".download") == []
    return host.find_element("class name", "warning").text


def answers_of(driver):
    """Text of the file that the page offers."""
    return driver.execute_script("return window.redunet.exhibits.find(({ kind }) => kind === 'drop').answersText()")


@pytest.mark.parametrize("name", ["table", "signals", "layers", "margin", "images", "wide", "two", "sixty"])
def test_a_file_is_answered_as_by_the_command_line(chromium, opened, name):
    model = opened(name)
    host = answer_file(chromium, model.data)
    assert host.get_attribute("data-state") == "done", host.text
    ours = list(csv.reader(answers_of(chromium).splitlines()))
    theirs = list(csv.reader(model.predicted.read_text(encoding="utf-8").splitlines()))
    assert [row[:2] for row in ours] == [row[:2] for row in theirs]
    assert ours[0] == theirs[0]
    shares = [np.array([row[2:-1] for row in rows[1:]], dtype=float) for rows in (ours, theirs)]
    np.testing.assert_allclose(*shares, atol=1e-5)
    assert len(np.unique(shares[1])) > 10
    assert "columns that the model does not use: 'kind'; they are ignored" in host.text


def test_the_models_above_are_of_many_kinds(own):
    signals, layers, wide = (load(own(name).model) for name in ("signals", "layers", "wide"))
    assert len(signals.further_answers_) == 1
    assert signals.network_.lift.is_invariant
    assert len(layers.network_.layers) == 3
    assert wide.network_.span is not None


def test_counts_of_the_page_are_those_of_python(chromium, opened):
    model = opened("signals")
    bank = load(model.model).network_.lift
    steps = np.round(2 * model.X) / 2  # of few values, so that many responses are equal to each other and to thresholds
    for signal in [*model.X[:3], *steps[:3], np.ones(60), np.eye(60)[7]]:
        counts, _ = bank.counts(signal.reshape(1, 1, -1))
        seen = chromium.execute_script(
            "const exhibit = window.redunet.exhibits.find(({ kind }) => kind === 'drag');"
            "const { lift } = exhibit.draw().network;"
            "return Array.from(lift.counts(Float64Array.from(arguments[0]), arguments[0].length))",
            signal.tolist(),
        )
        np.testing.assert_array_equal(seen, counts[0])


def test_a_dropped_file_is_downloaded_with_its_answers(chromium, opened, tmp_path):
    model = opened("table")
    chromium.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    chromium.execute_script(
        "const data = new DataTransfer(); data.items.add(new File([arguments[0]], 'mine.csv'));"
        "document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))",
        model.data.read_text(encoding="utf-8"),
    )
    eventually(lambda: chromium.find_elements("class name", "download"))
    chromium.execute_script("arguments[0].click()", chromium.find_element("class name", "download"))
    eventually(lambda: (tmp_path / "mine-answers.csv").exists())
    assert (tmp_path / "mine-answers.csv").read_bytes() == model.predicted.read_bytes()


def test_columns_are_found_by_name_and_quoted_fields_are_read(chromium, opened, tmp_path):
    model = opened("table")
    header, *rows = list(csv.reader(model.data.read_text(encoding="utf-8").splitlines()))
    turned = tmp_path / "turned.csv"
    with open(turned, "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
        writer.writerow(['a "note", or\ntwo', *header[::-1]])
        writer.writerows([['x"y,\nz', *row[::-1]] for row in rows])
        file.write("\r\n\r\n")
    assert answer_file(chromium, turned).get_attribute("data-state") == "done"
    expected = model.predicted.read_text(encoding="utf-8")
    assert answers_of(chromium) == expected


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace("value 3", "valve 3"), "no column 'value 3', which the model was fitted on; add it"),
        (lambda text: re.sub(r"\n[^,]*,", "\n", text, count=1), "row 2: 6 fields, but row 1 names 7 columns"),
        (lambda text: text.replace("\n", "\n\n", 1), "row 2: the row is empty; remove it, or fill it in."),
        (lambda text: text.replace(",", ";"), "the file seems to be separated by ';'"),
        (lambda text: text.replace("value 2", "value 1"), "there is no column 'value 2'"),
        (lambda text: text.replace("kind", "value 1"), "2 columns are called 'value 1'; rename them"),
        (lambda text: text.replace("\n", '\n"', 1), "a quoted field is not closed"),
        (lambda text: "", "is empty; its first row must hold the names of the columns"),
    ],
)  # fmt: skip
def test_mistakes_in_a_file_are_said_as_by_the_command_line(chromium, opened, tmp_path, change, words):
    from ..cli.conftest import call

    model = opened("two")
    wrong = tmp_path / "wrong.csv"
    wrong.write_text(change(model.data.read_text(encoding="utf-8").replace("\r\n", "\n")), encoding="utf-8")
    said = refusal(chromium, wrong)
    done = call("predict", model.model, wrong)
    assert done.exit_code != 0
    theirs = " ".join(done.stderr.split()).replace(str(wrong), "wrong.csv")
    assert words in said
    assert words in theirs
    # The same first part, up to the remedy, which may name options of the command line.
    assert said.split(";")[0].split(" (")[0] in theirs


def test_a_file_without_names_is_refused_in_the_page_which_has_no_option_for_it(chromium, opened, tmp_path):
    from ..cli.conftest import call

    model = opened("two")
    wrong = tmp_path / "wrong.csv"
    wrong.write_text(model.data.read_text(encoding="utf-8").split("\n", 1)[1], encoding="utf-8")
    assert "Row 1 holds only numbers; it must hold the names of the columns." in refusal(chromium, wrong)
    done = call("predict", model.model, wrong)
    assert done.exit_code == 2
    assert "only numbers, so that the names of the columns seem to be missing" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("n/a", "'n/a' is no value; fill it in, or remove the row"),
        ("", "empty cell; fill it in, or remove the row"),
        ('"1,5"', "write decimals with a point: 1.5"),
        ("1_000", "'1_000' is not a number; correct it"),
        ("-inf", "-inf is not finite; correct it"),
        ("1e301", "scale the column"),
    ],
)
def test_rows_without_an_answer_say_why_as_by_the_command_line(chromium, opened, tmp_path, cell, reason):
    from ..cli.conftest import call

    model = opened("two")
    wrong, predicted = tmp_path / "wrong.csv", tmp_path / "answers.csv"
    text = model.data.read_text(encoding="utf-8").replace("\r\n", "\n")
    wrong.write_text(re.sub(r"\n[^,]*,", f"\n{cell},", text, count=2), encoding="utf-8")
    host = answer_file(chromium, wrong)
    assert host.get_attribute("data-state") == "done"
    assert call("predict", model.model, wrong, "--probabilities", "--out", predicted).exit_code == 3
    assert answers_of(chromium) == predicted.read_text(encoding="utf-8")
    said = host.find_element("css selector", ".file-answers .warning").text
    assert said.startswith("2 of ")
    assert "samples have no answer. The first is row 2: column 'value 1'" in said
    assert reason in said
    assert "no answer: column 'value 1': " in host.find_element("css selector", "tbody").text


def test_other_files_are_refused_in_words(chromium, opened, tmp_path):
    opened("two")
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    assert "save it as CSV" in refusal(chromium, tmp_path / "a.xlsx")
    (tmp_path / "b.csv").write_bytes(b"value 1,value 2\n\xff\xfe,2\n")
    assert "is not UTF-8 text" in refusal(chromium, tmp_path / "b.csv")
    opened("layers")
    zeros = write_table(tmp_path / "zeros.csv", np.zeros((2, 60)))
    text = answer_file(chromium, zeros).find_element("css selector", ".file-answers .warning").text
    assert text == "2 of 2 samples have no answer. The first is row 2: it is all zero, which has no direction."


def test_a_large_file_is_answered_in_steps_with_progress(chromium, opened, tmp_path):
    model = opened("signals")
    many = write_table(tmp_path / "many.csv", np.tile(model.X, (25, 1)))
    host = exhibit(chromium, "drop")
    chromium.execute_script(
        "window.seen = []; const bar = arguments[0].querySelector('progress');"
        "new MutationObserver(() => window.seen.push(bar.value)).observe(bar, { attributes: true })",
        host,
    )
    answer_file(chromium, many)
    assert len(answers_of(chromium).splitlines()) == 1001
    seen = chromium.execute_script("return window.seen")
    assert len(set(seen)) > 3
    assert sorted(seen[:-1]) == seen[:-1]


def confusion_cells(host):
    """What is written in the cells, read in one call of the browser: a matrix of 60 classes has many."""
    return host.parent.execute_script(
        "return [...arguments[0].querySelectorAll('tbody tr')].map("
        "(row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText))",
        host,
    )


@pytest.mark.parametrize("name", ["two", "table", "sixty"])
def test_the_confusion_matrix_counts_recall_and_precision(chromium, opened, name):
    model = opened(name)
    host = exhibit(chromium, "confusion")
    classes, answers = load(model.model).classes_.astype(str), np.array(predictions(model))
    truth = model.labels.astype(str)
    cells = confusion_cells(host)
    for j, one in enumerate(classes):
        expected = [int(((truth == one) & (answers == other)).sum()) for other in classes]
        assert [0 if text == "·" else int(text) for text in cells[j][:-2]] == expected
        assert cells[j][-2] == str((truth == one).sum())
    recall = recall_score(truth, answers, labels=classes, average=None, zero_division=np.nan)
    precision = precision_score(truth, answers, labels=classes, average=None, zero_division=np.nan)
    written = [cell.text for cell in host.find_elements("css selector", "tfoot td")][: len(classes)]
    assert [row[-1] for row in cells] == ["–" if np.isnan(one) else f"{one:.2f}" for one in recall]
    assert written == ["–" if np.isnan(one) else f"{one:.2f}" for one in precision]


def predictions(model):
    with open(model.predicted, newline="", encoding="utf-8") as file:
        return [row["prediction"] for row in csv.DictReader(file)]


def test_mistakes_are_marked_wrong_and_the_longest_bar_wins(chromium, opened):
    model = opened("sixty")
    host = exhibit(chromium, "cases")
    cards = host.find_elements("class name", "case")
    wrong = int((np.array(predictions(model)) != model.labels.astype(str)).sum())
    assert wrong >= 6
    assert len(cards) == 6
    for card in cards:
        assert card.find_element("class name", "mark").text == "WRONG"
        words = re.fullmatch(r"WRONG answer (\d+), it is (\d+)", card.find_element("class name", "case-answer").text)
        names = [node.text for node in card.find_elements("css selector", ".probabilities .name")]
        assert words[1] != words[2]
        assert words[2] in names
        widths = [node.size["width"] for node in card.find_elements("class name", "bar")]
        assert names[int(np.argmax(widths))] == words[1] == card.find_element("css selector", ".nearest .name").text
    assert "row " in cards[0].find_element("tag name", "h4").text


def test_accuracy_and_calibration_say_what_python_says(chromium, opened):
    model = opened("sixty")
    share = float((np.array(predictions(model)) == model.labels.astype(str)).mean())
    text = exhibit(chromium, "accuracy").text
    assert f"{100 * share:.1f} % on the samples given" in text
    assert f"{100 * load(model.model).loo_score_:.1f} % estimate of the fit" in text
    host = exhibit(chromium, "calibration")
    counts = [int(node.text) for node in host.find_elements("css selector", "text.count")]
    assert sum(counts) == len(model.labels)


@pytest.mark.parametrize("name", ["signals", "images"])
def test_dragging_a_sample_keeps_its_answer(chromium, opened, name):
    from selenium.webdriver import ActionChains

    opened(name)
    host = exhibit(chromium, "drag")
    settled(chromium)
    answer = host.get_attribute("data-answer")
    canvas = host.find_element("css selector", "canvas.draggable")
    ActionChains(chromium, duration=50).click_and_hold(canvas).move_by_offset(40, 0).release().perform()
    settled(chromium)
    assert set(host.get_attribute("data-shift").split(",")) != {"0"}
    assert host.get_attribute("data-answer") == answer
    assert "the same at all" in host.find_element("class name", "answer").text
    widths = [node.size["width"] for node in host.find_elements("css selector", ".probabilities .bar")]
    names = [node.text for node in host.find_elements("css selector", ".probabilities .name")]
    assert names[int(np.argmax(widths))] == answer


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["table", "signals", "images", "two", "sixty"])
def test_a_narrow_page_never_scrolls_sideways_in_any_look(chromium, opened, name, dark):
    model = opened(name, dark=dark, width=390)
    chromium.execute_script(
        "document.querySelectorAll('details').forEach((one) => (one.open = true));"
        "window.redunet.exhibits.forEach((one) => one.draw())"
    )
    answer_file(chromium, model.data)
    settled(chromium)
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= 390
    clipped = chromium.execute_script(
        "return Array.from(document.querySelectorAll('main *')).filter((node) =>"
        " !node.closest('.table') && node.getBoundingClientRect().right > 391).map((node) => node.outerHTML)"
    )
    assert clipped == []
    light_paper = (
        chromium.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(250, 249, 246)"
    )
    assert light_paper is not dark


def test_labels_made_of_markup_are_text(chromium, opened):
    model = opened("table")
    chromium.execute_script("window.redunet.exhibits.forEach((one) => one.draw())")
    answer_file(chromium, model.data)
    assert chromium.title == "A classifier and its answers"
    assert chromium.find_elements("css selector", "main b, main img") == []
    names = [node.text for node in exhibit(chromium, "confusion").find_elements("css selector", "tbody .class-name")]
    assert sorted(names) == sorted(MARKUP)


class Explained(ReduNetClassifier):
    """A stand-in for a classifier that explains its answers: what is positive speaks for them, the rest against."""

    def explain(self, X):
        """Positions, and the two nearest classes."""
        order = np.argsort(self.distances(X), axis=1)
        return SimpleNamespace(positions=np.asarray(X), nearest=self.classes_[order[:, 0]],
                               other=self.classes_[order[:, 1]], difference=None)  # fmt: skip


def test_an_explanation_is_drawn_onto_the_sample(chromium, tmp_path):
    X, y = blobs(3, 90)
    clf = Explained(n_layers=0).fit(X, y)
    write_model_page(clf, tmp_path / "page.html", X, clf.classes_[y], columns=[f"x{i}" for i in range(6)])
    chromium.get((tmp_path / "page.html").as_uri())
    card = exhibit(chromium, "cases", 1).find_element("class name", "case")
    assert re.search(r"orange speaks for \d, blue for \d", card.text)
    rows = card.find_elements("css selector", ".features li")
    values = [float(row.find_element("class name", "value").text.replace("−", "-")) for row in rows]
    assert list(np.abs(values)) == sorted(np.abs(values), reverse=True)
    for row, value in zip(rows, values, strict=True):
        assert bool(row.find_elements("class name", "against")) == (value < 0)


@pytest.mark.parametrize("shape", [(1, 24), (2, 24), (1, 6, 5)])
def test_an_explanation_changes_the_drawing_of_signals_and_images(chromium, tmp_path, shape):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, *shape)), np.arange(20) % 2
    invariance = "shift" if len(shape) == 2 else "translation"
    pixels = []
    for kind in (ReduNetClassifier, Explained):
        clf = kind(invariance, lift=Lift("random", 8, 5, random_state=0), n_layers=0).fit(X, y)
        write_model_page(clf, tmp_path / "page.html", X, y)
        chromium.get((tmp_path / "page.html").as_uri())
        host = exhibit(chromium, "cases", 1)
        settled(chromium)
        pixels.append(chromium.execute_script("return arguments[0].querySelector('canvas').toDataURL()", host))
    assert pixels[0] != pixels[1]


def test_a_model_that_is_too_large_is_described(chromium, own, tmp_path):
    from .own_models import call

    model = own("signals")
    small = tmp_path / "small.html"
    call("report", model.model, model.data, "--target", "kind", "--out", small, "--max-megabytes", "0.01", "--quiet")
    assert small.stat().st_size < model.page.stat().st_size / 3
    chromium.get(small.as_uri())
    kinds = chromium.execute_script("return window.redunet.exhibits.map(({ kind }) => kind)")
    assert "drop" not in kinds
    assert "confusion" in kinds
    text = chromium.find_element("id", "file").text
    assert "a page holds at most 0.01 MB" in text
    assert "redunet predict model.redunet data.csv" in text
    assert chromium.get_log("browser") == []


def test_researchers_find_rates_and_layers_folded_away(chromium, opened):
    opened("layers")
    section = chromium.find_element("id", "research")
    assert not section.find_element("tag name", "table").is_displayed()
    section.find_element("tag name", "summary").click()
    assert "ΔR after the last layer" in section.text
    host = exhibit(chromium, "network")
    eventually(lambda: "convolution kernels" in host.text)
