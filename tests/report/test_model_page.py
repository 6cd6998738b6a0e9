"""A page about a model of one's own."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from redunet import Lift, NearestSubspaceClassifier, ReduNetClassifier
from redunet.data.waves import sinusoids
from redunet.inputs.errors import InputError


def data_of(path):
    text = path.read_text(encoding="utf-8")
    start = text.index('id="data">') + len('id="data">')
    return json.loads(text[start : text.index("</script>", start)])


@pytest.fixture(scope="module")
def clf():
    X, y = sinusoids(20, 32, random_state=0)
    names = np.array(["sine", "square"])[y]
    return ReduNetClassifier("shift", lift=Lift("random", 4, 7, random_state=0), n_layers=2).fit(X, names)


def exhibits_of(path):
    """Sections of a page by name, and the kinds of their exhibits."""
    page = data_of(path)
    sections = {section["name"]: section for section in page["experiments"]}
    return page, sections, {name: [one["kind"] for one in section["exhibits"]] for name, section in sections.items()}


def test_a_page_holds_the_classifier_the_samples_and_what_it_answers(clf, tmp_path):
    X, y = sinusoids(10, 32, random_state=1)
    names = np.array(["sine", "square"])[y]
    clf.report(tmp_path / "page.html", X, names)
    page, sections, kinds = exhibits_of(tmp_path / "page.html")
    assert kinds == {
        "accuracy": ["accuracy"],
        "confusion": ["confusion"],
        "calibration": ["calibration"],
        "cases": ["cases", "cases"],
        "moving": ["drag"],
        "file": ["drop"],
        "research": ["network", "heatmap"],
    }
    shares = sections["accuracy"]["exhibits"][0]["shares"]
    assert [share["value"] for share in shares] == [clf.score(X, names)]  # no samples were held out for two layers
    live = sections["moving"]["exhibits"][0]
    assert {sample["label"] for sample in live["samples"]} == {"sine", "square"}
    assert [answer["answer"] for answer in live["expected"]] == [0] * 6 + [1] * 6
    assert page["classifier"]["classes"] == ["sine", "square"]
    assert "signals of 32 values of 2 classes apart (sine, square), judged by 40 of" in page["subtitle"]
    assert "the same at every circular shift" in page["subtitle"]
    rows = {row["quantity"]: row["ours"] for row in sections["research"]["rows"]}
    assert rows["layers"] == 2
    assert rows["ΔR after the last layer (nats)"] == clf.history_.rate_reduction[-1]


def test_a_page_without_samples_or_labels_or_of_vectors_describes_the_model(clf, tmp_path):
    clf.report(str(tmp_path / "bare.html"))
    assert exhibits_of(tmp_path / "bare.html")[2] == {"file": ["drop"], "research": []}
    X, y = load_iris(return_X_y=True, as_frame=True)
    iris = NearestSubspaceClassifier().fit(X, y)
    iris.report(tmp_path / "iris.html", X, y)
    _, sections, kinds = exhibits_of(tmp_path / "iris.html")
    assert "moving" not in kinds
    assert kinds["research"] == ["heatmap"]
    assert sections["file"]["exhibits"][0]["columns"] == list(X.columns)
    assert iris.feature_names_in_.tolist() == list(X.columns)
    iris.report(tmp_path / "iris.html", X)
    assert exhibits_of(tmp_path / "iris.html")[2] == {"cases": ["cases"], "file": ["drop"], "research": []}


def test_the_worst_mistakes_and_the_least_sure_answers_come_first(clf, tmp_path):
    X, y = sinusoids(10, 32, random_state=1)
    X = X + 2 * np.random.default_rng(0).standard_normal(X.shape)
    names = np.array(["sine", "square"])[y]
    clf.report(tmp_path / "page.html", X, names)
    mistakes, unsure = (one["cases"] for one in exhibits_of(tmp_path / "page.html")[1]["cases"]["exhibits"])
    shares, answers = clf.predict_proba(X), clf.predict(X)
    wrong = answers != names
    assert len(mistakes) == min(6, wrong.sum()) > 2
    confidence = [max(case["probabilities"]) for case in mistakes]
    assert confidence == sorted(confidence, reverse=True)
    assert confidence[0] == shares[wrong].max()
    assert all(case["answer"] != case["label"] for case in mistakes)
    margins = [abs(case["probabilities"][0] - case["probabilities"][1]) for case in unsure]
    assert margins == sorted(margins)
    assert margins[0] == np.abs(shares[:, 0] - shares[:, 1]).min()


def test_samples_are_drawn_without_an_explanation_where_it_is_refused(clf, tmp_path, monkeypatch):
    def refuse(X):
        raise InputError("no explanation for these.")

    X, _ = sinusoids(3, 32, random_state=1)
    monkeypatch.setattr(type(clf), "explain", lambda self, X: refuse(X), raising=False)
    clf.report(tmp_path / "page.html", X)
    [unsure] = exhibits_of(tmp_path / "page.html")[1]["cases"]["exhibits"]
    assert [case["positions"] for case in unsure["cases"]] == [None] * 6


def test_signals_of_unequal_lengths_are_shown_but_not_moved(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = [
        np.sin(np.linspace(0, 6.28 * (1 + j), n)) + rng.standard_normal(n)
        for j, n in zip(y, rng.integers(30, 60, 40), strict=True)
    ]
    clf = ReduNetClassifier("shift").fit(X, y)
    clf.report(tmp_path / "page.html", X, y)
    _, sections, kinds = exhibits_of(tmp_path / "page.html")
    assert "moving" not in kinds
    assert kinds["file"] == ["drop"]
    assert sections["accuracy"]["exhibits"][0]["shares"][0]["value"] == clf.score(X, y)
    for case in sections["cases"]["exhibits"][-1]["cases"]:
        assert case["values"]["shape"] == [1, len(X[int(case["place"].removeprefix("sample "))])]


def test_mistakes_are_told_before_anything_is_written(clf, tmp_path):
    X, _ = sinusoids(2, 32, random_state=1)
    target = tmp_path / "page.html"
    with pytest.raises(ValueError, match="y was given without X"):
        clf.report(target, y=["sine"])
    with pytest.raises(ValueError, match="'saw', which is not among the training classes"):
        clf.report(target, X, ["saw"] * 4)
    with pytest.raises(ValueError, match="expecting 32 features"):
        clf.report(target, X[:, :5])
    with pytest.raises(ValueError, match="max_megabytes must be > 0"):
        clf.report(target, X, max_megabytes=0)
    with pytest.raises(NotFittedError):
        ReduNetClassifier("shift").report(target)
    assert not target.exists()
