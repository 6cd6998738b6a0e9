"""What the tests of data share: real files where there are some, and a machine that has none and no network."""

import os
from pathlib import Path
from urllib.error import URLError

import pytest

REAL_FOLDER = os.environ.get("REDUNET_DATA", "")  # before a test takes it away


@pytest.fixture
def real_folder():
    """The folder that REDUNET_DATA names, for tests that read real files."""
    folder = Path(REAL_FOLDER)
    if not (REAL_FOLDER and (folder / "mnist").is_dir() and (folder / "mice").is_dir()):
        pytest.skip("needs real data: set REDUNET_DATA to a folder that has mnist/ and mice/")
    return folder


@pytest.fixture
def bare_machine(tmp_path, monkeypatch):
    """No data at hand and no network; answers with the list of attempts to use it. The cache is tmp_path/cache."""
    attempts = []

    def offline(*args, **kwargs):
        attempts.append((args, kwargs))
        raise URLError("no network")

    monkeypatch.delenv("REDUNET_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    return attempts
