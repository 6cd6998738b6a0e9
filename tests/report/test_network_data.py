"""Networks as data of the page."""

import base64

import numpy as np
import pytest

from redunet import ReduNetClassifier
from redunet.report.network_data import array_data, network_data


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
