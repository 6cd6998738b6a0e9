"""Run experiments, keep what each found in a folder of its own, and make one page of all of them."""

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

RESULT, PAGE, TABLE = "result.json", "report.html", "results.json"
DPI = 110


@dataclass(frozen=True)
class Kept:
    """What a folder keeps of an experiment."""

    name: str
    seconds: float
    rows: list[dict[str, Any]]


def run_experiment(experiment: Experiment, setting: Setting, out: Path) -> Kept:
    """Run an experiment and write its figures and its result; the result last, so that it is there when all is."""
    start = time.perf_counter()
    outcome = experiment.run(setting)
    seconds = time.perf_counter() - start
    folder = out / experiment.name
    folder.mkdir(parents=True, exist_ok=True)
    figures = [draw(figure, folder) for figure in outcome.figures]
    rows = [{name: _finite(value) for name, value in asdict(row).items()} for row in outcome.rows]
    result = {
        "key": key_of(setting),
        "name": experiment.name,
        "seconds": seconds,
        "rows": rows,
        "figures": figures,
        "exhibits": outcome.exhibits,
    }
    write_atomically(folder / RESULT, json.dumps(result, ensure_ascii=False, allow_nan=False).encode())
    return Kept(experiment.name, seconds, rows)


def kept(experiment: Experiment, setting: Setting, out: Path) -> Kept | None:
    """What an earlier run with the same setting and version left, if it was finished."""
    result = _result(out / experiment.name)
    if result is None or result.get("key") != key_of(setting):
        return None
    return Kept(experiment.name, result["seconds"], result["rows"])


def key_of(setting: Setting) -> dict[str, Any]:
    """What a result depends on."""
    return {"version": __version__, "size": setting.size, "seed": setting.seed}


def draw(figure: Figure, folder: Path) -> dict[str, str]:
    """Write a figure as PNG and SVG; returns its caption and file name."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(figure.width, figure.height), layout="constrained")
    figure.draw(canvas)
    for ending in ("png", "svg"):
        canvas.savefig(folder / f"{figure.name}.{ending}", dpi=DPI)
        canvas.set_layout_engine("none")  # what was laid out stays; doing it again takes half of the time
    return {"caption": figure.caption, "file": f"{figure.name}.png"}


def write_report(out: Path) -> Path:
    """The page and the table of all experiments that the folder keeps; returns the page's path."""
    summary: list[dict[str, Any]] = []
    table: list[dict[str, Any]] = []
    sections = []
    for name, experiment in EXPERIMENTS.items():
        folder = out / name
        result = _result(folder)
        if result is None:
            continue
        of_experiment = {"experiment": name, "title": experiment.title, "seconds": None}
        rows = [of_experiment | row for row in result["rows"]]
        if rows:
            rows[0]["seconds"] = result["seconds"]
        table += rows
        summary += headlines(rows)
        sections.append(
            {
                "name": name,
                "title": experiment.title,
                "text": experiment.text,
                "seconds": result["seconds"],
                "rows": rows,
                "figures": [_figure(folder, name, figure) for figure in result["figures"]],
                "exhibits": result["exhibits"],
            }
        )
    sizes = {_result(out / section["name"])["key"]["size"] for section in sections}  # type: ignore[index]
    size = {"full": "the paper's sizes", "quick": "quick sizes", "toy": "toy sizes"}
    data = {
        "title": "Networks from the principle of rate reduction",
        "subtitle": "The paper's experiments, run again: " + " and ".join(size[s] for s in sorted(sizes)) + ".",
        "version": __version__,
        "summary": summary,
        "experiments": sections,
    }
    write_atomically(out / TABLE, json.dumps(table, ensure_ascii=False, indent=1).encode())
    write_page(data, out / PAGE)
    return out / PAGE


def headlines(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows for the table at the top: what the paper has a value for, else the first one."""
    told = [row for row in rows if row["paper"] is not None and not row["whole"]]
    return told or rows[:1]


def _figure(folder: Path, name: str, figure: dict[str, str]) -> dict[str, Any]:
    png = base64.b64encode((folder / figure["file"]).read_bytes()).decode("ascii")
    return {"caption": figure["caption"], "svg": None, "png": png, "file": f"{name}/{figure['file']}"}


def _result(folder: Path) -> dict[str, Any] | None:
    """The result in a folder; None where there is none, or none that can be read."""
    try:
        found: dict[str, Any] = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found


def _finite(value: Any) -> Any:
    """Numbers as Python's; what is not finite is not there."""
    if isinstance(value, (str, bool)) or value is None:
        return value
    return float(value) if math.isfinite(value) else None
