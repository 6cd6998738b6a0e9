"""What the README shows is what happens."""

import re
import runpy
from pathlib import Path

import redunet

ROOT = Path(__file__).parent.parent


def test_every_python_block_of_the_readme_runs():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert len(blocks) >= 4
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), namespace)
    clf, X, y = namespace["clf"], namespace["X"], namespace["y"]
    assert clf.score(X[20:], y[20:]) == 1.0
    net = namespace["net"]
    layer = net.network_.layers[0]
    assert (layer.expansion.shape, layer.compression.shape) == ((51, 8, 8), (2, 51, 8, 8))
    assert net.network_.kernels(0).expansion.shape == (8, 8, 100)


def test_the_make_targets_of_the_readme_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(), flags=re.MULTILINE):
        assert f"\n{target}:" in makefile


def test_public_names_are_all_there_and_documented():
    for name in redunet.__all__:
        assert getattr(redunet, name).__doc__


def test_the_tables_are_those_of_the_results():
    script = runpy.run_path(str(ROOT / "benchmarks" / "tables.py"))
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert script["filled"](text) == text
    assert text.count("<!-- /") == len(script["tables"]())
