"""What the documentation names exists: functions and tests of the map from the paper to the code, rooms of the map."""

import ast
import importlib
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAPER = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
FINDINGS = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
# Packages without which a room cannot be imported.
NEEDED = {"dask": "distributed", "onnx": "onnx", "torch": "torch"}
SCRIPTS = sorted([*ROOT.glob("docs/*.py"), *ROOT.glob("docs/examples/*.py"), *ROOT.glob("benchmarks/*.py")])
ROOMS = {path.stem for path in (ROOT / "src" / "redunet").iterdir() if path.suffix in ("", ".py")} - {"__pycache__"}


def named_code():
    """Dotted names of code in the map from the paper, such as ``numerics.step.increment``."""
    names = re.findall(r"`([a-z_]+(?:\.\w+)+)(?:\([^`]*\)|\[[^`]*\])?`", PAPER)
    return sorted({name for name in names if name.split(".")[0] in ROOMS})


def found(name):
    """Whether a dotted name below ``redunet`` can be imported."""
    parts = ["redunet", *name.split(".")]
    for n in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:n]))
        except ImportError:
            continue
        for part in parts[n:]:
            value = getattr(value, part, None) or getattr(value, "__dataclass_fields__", {}).get(part)
        return value is not None
    return False


@pytest.mark.parametrize("name", named_code())
def test_code_that_the_paper_map_names_exists(name):
    assert found(name), f"docs/paper.md names {name}, which does not exist; write where it is now"


def test_tests_that_the_docs_name_exist():
    named = re.findall(r"((?:\w+/)*test_\w+\.py)::(test_\w+)", PAPER + FINDINGS)
    assert len(named) > 20
    missing = []
    for file, test in named:
        path = ROOT / "tests" / file.removeprefix("tests/")
        if not path.exists() or f"def {test}(" not in path.read_text(encoding="utf-8"):
            missing.append(f"{file}::{test}")
    assert not missing, f"docs name tests that do not exist: {sorted(set(missing))}"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_what_a_script_imports_exists(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "redunet":
            module = str(node.module).removeprefix("redunet").lstrip(".")
            if module in NEEDED:
                pytest.importorskip(NEEDED[module], reason=f"redunet.{module} cannot be imported without it")
            for alias in node.names:
                name = f"{module}.{alias.name}".lstrip(".")
                assert found(name), f"{path.name}:{node.lineno} imports redunet.{name}, which does not exist"


def test_contributing_has_a_line_for_every_room():
    lines = [line for line in CONTRIBUTING.splitlines() if line.startswith("| `")]
    missing = ROOMS - {"__init__"} - {room for line in lines for room in re.findall(r"^\| `(\w+)(?:/|\.py)`", line)}
    assert not missing, f"CONTRIBUTING.md has no line for {sorted(missing)}"


def test_every_example_has_a_number_of_its_own_and_the_gallery_goes_by_it():
    examples = [path.name for path in ROOT.glob("docs/examples/*.py")]
    order = runpy.run_path(str(ROOT / "docs" / "gallery_order.py"))["ByNumber"]("examples")
    numbers = [order(name)[0] for name in examples]
    assert len(set(numbers)) == len(numbers), f"two examples have the same number: {sorted(examples)}"
    assert order("plot_10_b.py") > order("plot_9_a.py")
    assert '"within_subsection_order": "gallery_order.ByNumber"' in (ROOT / "docs" / "conf.py").read_text("utf-8")
