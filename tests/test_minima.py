"""The oldest versions that are tested are the oldest that are allowed."""

import re
import tomllib
from pathlib import Path

import pytest

HOME = Path(__file__).parent.parent
# What the tests themselves need, of the tools for developers.
OF_TESTS = {"hypothesis", "pandas", "pytest", "pytest-xdist", "safetensors"}


@pytest.mark.skipif(not (HOME / ".ci" / "minima.txt").exists(), reason="not in a clone of the repository")
def test_the_minima_that_are_tested_are_those_of_the_project():
    project = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    of_tests = [one for one in extras["dev"] if re.split(r"[>=]", one)[0] in OF_TESTS]
    allowed = {one.replace(">=", "==") for one in project["dependencies"] + extras["plot"] + extras["files"] + of_tests}
    lines = (HOME / ".ci" / "minima.txt").read_text().splitlines()
    assert {line for line in lines if line and not line.startswith("#")} == allowed
    assert all(re.fullmatch(r"[a-z-]+==[0-9.]+", one) for one in allowed)
