"""A page about a model of one's own."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from redunet import Lift, ReduNetClassifier
from redunet.data.waves import sinusoids


def data_of(path):
    text = path.read_text(encoding="utf-8")
    start = text.index('id="data">') + len('id="data">')
    return json.loads(text[start : text.index("</script>", start)])


@pytest.fixture(scope="module")
def clf():
    X, y = sinusoids(20, 32, random_state=0)
    names = np.array(["sine", "square"])[y]
    return ReduNetClassifier("shift", lift=Lift("random", 4, 7, random_state=0), n_layers=2).fit(X, names)


def test_a_page_holds_the_network_the_samples_and_what_it_answers(clf, tmp_path):
    X, y = sinusoids(10, 32, random_state=1)
    names = np.array(["sine", "square"])[y]
    clf.report(tmp_path / "page.html", X, names)
    page = data_of(tmp_path / "page.html")
    rows = {row["quantity"]: row["ours"] for row in page["summary"]}
    assert rows["accuracy on the samples given"] == clf.score(X, names)
    assert rows["accuracy expected of new samples"] == clf.loo_score_
    live, heat = page["experiments"][0]["exhibits"]
    assert live["kind"] == "network"
    assert {sample["label"] for sample in live["samples"]} == {"sine", "square"}
    assert [answer["answer"] for answer in live["expected"]] == [0] * 6 + [1] * 6
    assert heat["kind"] == "heatmap"


def test_a_page_without_samples_or_of_vectors_describes_the_model(clf, tmp_path):
    clf.report(str(tmp_path / "bare.html"))
    assert data_of(tmp_path / "bare.html")["experiments"][0]["exhibits"] == []
    X, y = load_iris(return_X_y=True)
    ReduNetClassifier().fit(X, y).report(tmp_path / "iris.html", X, y)
    page = data_of(tmp_path / "iris.html")
    assert [exhibit["kind"] for exhibit in page["experiments"][0]["exhibits"]] == ["heatmap"]


def test_mistakes_are_told_before_anything_is_written(clf, tmp_path):
    X, _ = sinusoids(2, 32, random_state=1)
    target = tmp_path / "page.html"
    with pytest.raises(ValueError, match="y was given without X"):
        clf.report(target, y=["sine"])
    with pytest.raises(ValueError, match="'saw', which is not among the training classes"):
        clf.report(target, X, ["saw"] * 4)
    with pytest.raises(ValueError, match="expecting 32 features"):
        clf.report(target, X[:, :5])
    with pytest.raises(NotFittedError):
        ReduNetClassifier("shift").report(target)
    assert not target.exists()
