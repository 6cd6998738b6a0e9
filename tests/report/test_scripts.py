"""Scripts of the page: all are in it, none is long, and one of them alone knows the measures by name."""

import re
from pathlib import Path

import pytest

from redunet import plot
from redunet.report import page
from redunet.report.live_network import live_network
from redunet.report.page import SCRIPTS, write_page

SCRIPT_FOLDER = Path(page.__file__).parent / "scripts"
MEASURES_SCRIPT = "network/measures.js"
LONGEST_SCRIPT, LONGEST_FUNCTION, LONGEST_LINE = 200, 40, 120  # lines, lines, characters


def script(name):
    return (SCRIPT_FOLDER / name).read_text(encoding="utf-8")


def measure_names():
    """Names in the table of measures."""
    table = re.search(r"const MEASURES = \{(.*?)\};", script(MEASURES_SCRIPT), re.DOTALL)
    return re.findall(r"^\s*(\w+):", table[1], re.MULTILINE)


def questions_about_measures(text):
    """Places in a script that tell one measure from another; lines of comments may speak of anything."""
    code = re.sub(r"^\s*(//|/?\*).*$", "", text, flags=re.MULTILINE)
    quoted = rf"""["'`](?:{"|".join(measure_names())})["'`]"""
    return re.findall(rf"{quoted}|\bMEASURES\b|instanceof \w*Measure|measure\.name", code)


def functions(name):
    """Name and length in lines of each function and method that is not inside of another."""
    start = re.compile(r"^(?:(?:async )?function\*? (\w+)|  (?:async |get )?(\w+)\(.*\) \{$)")
    lines = script(name).splitlines()
    for i, line in enumerate(lines):
        if found := start.match(line):
            indent = re.match(" *", line)[0]
            length = next(n for n, later in enumerate(lines[i:], start=1) if later == indent + "}")
            yield found[1] or found[2], length


def test_every_script_is_in_the_page():
    there = {path.relative_to(SCRIPT_FOLDER).as_posix() for path in SCRIPT_FOLDER.rglob("*.js")}
    assert set(SCRIPTS) == there
    assert len(SCRIPTS) == len(there)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_and_their_functions_are_short(name):
    lines = script(name).splitlines()
    assert len(lines) <= LONGEST_SCRIPT
    assert max(map(len, lines)) <= LONGEST_LINE
    assert [function for function, length in functions(name) if length > LONGEST_FUNCTION] == []


def test_the_script_of_measures_has_those_of_python():
    assert measure_names() == ["softmax", "subspace", "code", "relu", "regression"]


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != MEASURES_SCRIPT])
def test_no_other_script_asks_which_measure_it_has(name):
    assert questions_about_measures(script(name)) == []


def test_classes_have_the_colours_of_the_figures():
    found = re.search(r"const CLASS_COLOURS = \[(.*?)\]", script("drawing/colours.js"))
    assert re.findall(r"#\w{6}", found[1]) == [colour.lower() for colour in plot.COLOURS]


def test_questions_about_measures_are_found():
    asked = questions_about_measures(
        """
        // "code" in a comment
        if (layer.membership === "relu" || answers.kind === 'code') return measure instanceof CodeMeasure;
        """
    )
    assert asked == ['"relu"', "'code'", "instanceof CodeMeasure"]


def without_script(monkeypatch, exhibit, clf, X):
    """The exhibit of a network with a measure that Python says has no script, and with one that the page lacks."""
    classifier, tomorrow = exhibit["classifier"], {"name": "measure of tomorrow"}
    network = classifier["answers"][0]["network"]
    strange = [
        {**network, "answers": tomorrow},
        {**network, "layers": [{**layer, "measure": tomorrow} for layer in network["layers"]]},
    ]
    monkeypatch.setattr(type(clf.answers_), "page_data", lambda self: None)
    return [
        live_network(clf, X, clf.predict(X), "Move the sample."),
        *({**exhibit, "classifier": {**classifier, "answers": [{"weight": 1, "network": one}]}} for one in strange),
    ]


def test_a_measure_without_a_script_is_said_in_words(chromium, networks, monkeypatch, tmp_path):
    case = networks["waves, softmax"]
    exhibits = without_script(monkeypatch, case.exhibit("A network"), case.model, case.X)
    assert exhibits[0]["classifier"] is None
    experiment = {"name": "e", "title": "E", "text": "", "seconds": None, "rows": [], "figures": []}
    data = {"title": "t", "subtitle": None, "version": "0", "summary": []}
    write_page(data | {"experiments": [experiment | {"exhibits": exhibits}]}, tmp_path / "page.html")
    chromium.get((tmp_path / "page.html").as_uri())
    chromium.execute_script("window.redunet.exhibits.forEach((exhibit) => exhibit.draw())")
    stages = chromium.find_elements("class name", "stage")
    assert len(stages) == 3
    for stage in stages:
        assert "has no script for one of the measures" in stage.text
        assert stage.find_elements("tag name", "canvas") == []
    assert chromium.get_log("browser") == []
