"""A module does what the estimator does that it was made of."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'redunet[torch]'")

from redunet.torch import module_of  # noqa: E402
from tests.storage.models import models  # noqa: E402

MODELS = {name: pair for name, pair in models().items() if hasattr(pair[0], "network_")}


def unrounded(monkeypatch):
    """Let estimators give distances as they are computed, not rounded to nine digits."""
    for place in ("measure", "regression"):
        monkeypatch.setattr(f"redunet.measures.{place}.rounded", lambda distances, kind: distances)


@pytest.mark.parametrize("name", MODELS)
def test_a_module_answers_what_the_estimator_answers(name, monkeypatch):
    unrounded(monkeypatch)
    model, samples = MODELS[name]
    tolerance = 1e-10 if model.network_.dtype == np.float64 else 1e-5
    module = module_of(model)
    with torch.no_grad():
        if hasattr(model, "predict_proba"):
            assert_allclose(module.distances(samples).numpy(), model.distances(samples), atol=tolerance)
            assert_allclose(module(samples).exp().numpy(), model.predict_proba(samples), atol=10 * tolerance)
        else:
            assert_allclose(module(samples).numpy(), model.transform(samples), atol=tolerance)
