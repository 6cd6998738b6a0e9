"""Run experiments, store the result of each in a folder of its own, and write one page about all of them."""

import base64
import json
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import __version__
from ..report.page import write_page
from ..storage.atomic_write import write_atomically
from .all_experiments import EXPERIMENTS
from .experiment import Experiment, Figure, Setting

# Files: the result in the folder of an experiment; page and table of all experiments.
RESULT_FILE, PAGE_FILE, TABLE_FILE = "result.json", "report.html", "results.json"
# Resolution of figures, in dots per inch.
FIGURE_DPI = 110
SIZE_NAMES = {"full": "the paper's sizes", "quick": "quick sizes", "toy": "toy sizes"}


@dataclass(frozen=True)
class StoredResult:
    """Result of an experiment that is stored in its folder: its name, its time in seconds, the rows of its table."""

    name: str
    seconds: float
    rows: list[dict[str, Any]]


def run_experiment(experiment: Experiment, setting: Setting, out: Path) -> StoredResult:
    """Run an experiment and write its figures, then its result: a result that exists is complete."""
    start = time.perf_counter()
    outcome = experiment.run(setting)
    seconds = time.perf_counter() - start
    folder = out / experiment.name
    folder.mkdir(parents=True, exist_ok=True)
    figures = [draw(figure, folder) for figure in outcome.figures]
    rows = [{name: _finite(value) for name, value in asdict(row).items()} for row in outcome.rows]
    result = {
        "key": result_key(setting),
        "name": experiment.name,
        "seconds": seconds,
        "rows": rows,
        "figures": figures,
        "exhibits": outcome.exhibits,
    }
    write_atomically(folder / RESULT_FILE, json.dumps(result, ensure_ascii=False, allow_nan=False).encode())
    return StoredResult(experiment.name, seconds, rows)


def stored_result(experiment: Experiment, setting: Setting, out: Path) -> StoredResult | None:
    """Result of an earlier run with the same setting and version; None if there is none, or none that was finished."""
    result = _read_result(out / experiment.name)
    if result is None or result.get("key") != result_key(setting):
        return None
    return StoredResult(experiment.name, result["seconds"], result["rows"])


def result_key(setting: Setting) -> dict[str, Any]:
    """Version, size and seed: a stored result is used again only where all of them are the same."""
    return {"version": __version__, "size": setting.size, "seed": setting.seed}


def draw(figure: Figure, folder: Path) -> dict[str, str]:
    """Write a figure as PNG and SVG; returns its caption and file name."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(figure.width, figure.height), layout="constrained")
    figure.draw(canvas)
    for ending in ("png", "svg"):
        canvas.savefig(folder / f"{figure.name}.{ending}", dpi=FIGURE_DPI)
        canvas.set_layout_engine("none")  # the layout is finished; computing it again would take half of the time
    return {"caption": figure.caption, "file": f"{figure.name}.png"}


def write_report(out: Path) -> Path:
    """Write the page and the table of all experiments whose results a folder holds; returns the path of the page."""
    found = {name: _read_result(out / name) for name in EXPERIMENTS}
    results = {name: result for name, result in found.items() if result is not None}
    sections = [_section(EXPERIMENTS[name], result, out / name) for name, result in results.items()]
    sizes = sorted({result["key"]["size"] for result in results.values()})
    data = {
        "title": "Networks from the principle of rate reduction",
        "subtitle": "The paper's experiments, run again: " + " and ".join(SIZE_NAMES[size] for size in sizes) + ".",
        "version": __version__,
        "summary": [row for section in sections for row in summary_rows(section["rows"])],
        "experiments": sections,
    }
    table = [row for section in sections for row in section["rows"]]
    write_atomically(out / TABLE_FILE, json.dumps(table, ensure_ascii=False, indent=1).encode())
    write_page(data, out / PAGE_FILE)
    return out / PAGE_FILE


def _section(experiment: Experiment, result: dict[str, Any], folder: Path) -> dict[str, Any]:
    """One experiment as the page shows it; the first row of its table has the time that it took."""
    columns = {"experiment": experiment.name, "title": experiment.title, "seconds": None}
    rows = [columns | row for row in result["rows"]]
    if rows:
        rows[0]["seconds"] = result["seconds"]
    return {
        "name": experiment.name,
        "title": experiment.title,
        "text": experiment.text,
        "seconds": result["seconds"],
        "rows": rows,
        "figures": [_embedded_figure(folder, experiment.name, figure) for figure in result["figures"]],
        "exhibits": result["exhibits"],
    }


def summary_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows for the table at the top of the page: those that the paper has a value for, else the first one."""
    in_paper = [row for row in rows if row["paper"] is not None and not row["whole"]]
    return in_paper or rows[:1]


def _embedded_figure(folder: Path, name: str, figure: dict[str, str]) -> dict[str, Any]:
    """A figure as the page holds it: caption, picture as text, and the file that has it, too."""
    png = base64.b64encode((folder / figure["file"]).read_bytes()).decode("ascii")
    return {"caption": figure["caption"], "svg": None, "png": png, "file": f"{name}/{figure['file']}"}


def _read_result(folder: Path) -> dict[str, Any] | None:
    """The result that a folder holds; None where there is none, or none that can be read."""
    try:
        found: dict[str, Any] = json.loads((folder / RESULT_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found


def _finite(value: Any) -> Any:
    """A number as Python's float, None if it is not finite; text and truth values as they are."""
    if isinstance(value, (str, bool)) or value is None:
        return value
    return float(value) if math.isfinite(value) else None
