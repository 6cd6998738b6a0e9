"""Networks as data of the page."""

import base64
import json

import numpy as np

from redunet import ReduNetClassifier
from redunet.data.waves import sinusoids
from redunet.report.classifier_data import classifier_data, classifier_megabytes
from redunet.report.network_data import array_data, network_data


def test_array_data_holds_single_precision_in_little_endian():
    data = array_data(np.array([[1 + 2j, 3 - 4j]], dtype=">c16"))
    assert data["shape"] == [1, 2]
    assert data["dtype"] == "complex64"
    assert np.frombuffer(base64.b64decode(data["data"]), "<f4").tolist() == [1, 2, 3, -4]
    assert array_data([1, 2])["dtype"] == "float32"


def test_network_data_are_none_where_the_page_has_no_script():
    X = np.random.default_rng(0).standard_normal((12, 2, 3, 4, 5))
    model = ReduNetClassifier("translation", n_layers=0, rank=1, lift="none").fit(X, [0, 1] * 6)
    assert network_data(model.network_, model.answers_) is None


def test_a_classifier_brings_all_its_answers_and_what_they_take():
    X, y = sinusoids(20, 40, random_state=0)
    X = X + np.random.default_rng(0).standard_normal(X.shape)
    model = ReduNetClassifier("shift").fit(X, y)
    assert len(model.further_answers_) == 1
    data = classifier_data(model, double=True)
    assert [answer["weight"] for answer in data["answers"]] == [model.answer_weight_, model.further_answers_[0].weight]
    assert [answer["network"]["lift"]["kind"] for answer in data["answers"]] == ["pooled", "filters"]
    assert data["sharpness"] == model._sharpness
    size, least = len(json.dumps(data)) / 2**20, classifier_megabytes(model, double=True)
    assert 0.9 * least < size < 1.1 * least
    assert classifier_megabytes(model, double=False) == least / 2
