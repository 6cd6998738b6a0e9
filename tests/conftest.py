"""Settings of all tests."""

import os

import pytest
from hypothesis import settings

# scikit-learn skips its check of array API input without it. SciPy reads it when it is first imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# The same examples everywhere: a failure on one machine is a failure on all.
settings.register_profile("redunet", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("redunet")


@pytest.fixture(params=["few rows", "many rows, products stored", "many rows, products computed again"])
def way(request, monkeypatch):
    """Every way through a compiled layer, forced on small problems."""
    if request.param != "few rows":
        monkeypatch.setattr("redunet.fast.tiles.FEW_ROWS", 0)
    if request.param.endswith("again"):
        monkeypatch.setattr("redunet.fast.tiles.STORED_PRODUCTS_BYTES", 0)
    return request.param
