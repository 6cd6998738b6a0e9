"""The literal algorithm is the paper's, and the benchmark says what it measured."""

import json

import numpy as np
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from redunet import ReduNet
from redunet.bench import speed
from redunet.bench.literal import literal_redunet
from redunet.cli.app import app
from tests.reference.algorithm1 import features_and_rates


def test_the_literal_algorithm_is_algorithm_1():
    X, y = speed.synthetic((2, 3, 4), 10, 2)
    X = X.astype(float)
    features, layers, objective = literal_redunet(np.moveaxis(X, 0, -1), y, eps=0.4, eta=0.3, lam=5.0, n_layers=2)
    expected, rates = features_and_rates(X, y, eps=0.4, eta=0.3, lam=5.0, n_layers=2)
    assert_allclose(np.moveaxis(features, -1, 0), expected, atol=1e-6)  # samples are single-precision unit vectors
    assert_allclose(objective, rates[1:], rtol=1e-10)
    net = ReduNet("translation", n_layers=2, eps=0.4, step_size=0.3, sharpness=5.0, convention="published").fit(X, y)
    assert_allclose(net.history_.rate_reduction[1:], objective, rtol=1e-5)
    assert len(layers) == 2


def test_bench_prints_a_table_and_json(monkeypatch):
    small = {"rotation": ((3, 12), 40), "translation": ((2, 4, 4), 30)}
    monkeypatch.setattr(speed, "paper_data", lambda kind: (*speed.synthetic(*small[kind], 2), "toy"))
    monkeypatch.setattr(speed, "N_PAPER_LAYERS", 20)
    monkeypatch.setattr(
        speed, "_cost", lambda size, images, wide=False: float(np.prod(list(size.values()))) * (1 + wide)
    )
    shown = CliRunner().invoke(app, ["bench", "--quick", "--repeats", "1"])
    assert shown.exit_code == 0, shown.output
    for word in ("rotation, per layer", "× literal", "peak memory", "exponent of cost"):
        assert word in shown.output
    report = CliRunner().invoke(app, ["bench", "--quick", "--repeats", "2", "--json"])
    lines = json.loads(report.stdout)
    exponents = {line["setting"]: line["value"] for line in lines if line["what"] == "exponent of cost"}
    assert exponents == {"m": 1.0, "T": 1.0, "H·W": 1.0, "C": 1.0, "k": 1.0, "L": 1.0}
    assert all(line["low"] <= line["value"] <= line["high"] for line in lines)
