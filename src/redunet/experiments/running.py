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
# What a figure looks like on a dark page: the colours of the page, with lines and text that stand out on them.
DARK_PAPER, DARK_INK = "#1d2024", "#e8e6e1"
DARK_STYLE: dict[Any, Any] = {
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), DARK_PAPER),
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), DARK_INK),
}
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


def draw(figure: Figure, folder: Path) -> dict[str, Any]:
    """Write a figure as PNG and SVG, and as PNG for a dark page; returns its caption and the names of its files."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    files = {"file": f"{figure.name}.png", "svg": f"{figure.name}.svg", "dark_file": f"{figure.name}-dark.png"}
    canvas = Canvas(figsize=(figure.width, figure.height), layout="constrained")
    figure.draw(canvas)
    for name in ("file", "svg"):
        canvas.savefig(folder / files[name], dpi=FIGURE_DPI)
        canvas.set_layout_engine("none")  # the layout is finished; computing it again would take half of the time
    with rc_context(DARK_STYLE):
        dark = Canvas(figsize=(figure.width, figure.height), layout="constrained")
        figure.draw(dark)
        dark.savefig(folder / files["dark_file"], dpi=FIGURE_DPI)
    return {"caption": figure.caption, "on_page": figure.on_page, **files}


def write_report(out: Path) -> Path:
    """Write the page and the table of all experiments whose results a folder holds; returns the path of the page."""
    found = {name: _read_result(out / name) for name in EXPERIMENTS}
    results = {name: result for name, result in found.items() if result is not None and _is_of_this_version(result)}
    sections = [_section(EXPERIMENTS[name], result, out / name) for name, result in results.items()]
    first = _taken_first(sections)
    sizes = sorted({result["key"]["size"] for result in results.values()})
    data = {
        "title": "Networks from the principle of rate reduction",
        "subtitle": "The paper's experiments, run again: " + " and ".join(SIZE_NAMES[size] for size in sizes) + ".",
        "version": __version__,
        "first": first,
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
        "figures": [_embedded_figure(folder, experiment.name, one) for one in result["figures"] if one["on_page"]],
        "exhibits": result["exhibits"],
    }


def _taken_first(sections: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The network that the page shows first, taken out of its section: one of images, with the most classes."""
    found = [
        (len(exhibit["classifier"]["sample_shape"]), len(exhibit["classifier"]["classes"]), -i, exhibit)
        for i, section in enumerate(sections)
        for exhibit in section["exhibits"]
        if exhibit["kind"] == "network" and exhibit["classifier"] is not None
    ]
    if not found:
        return None
    *_, number, exhibit = max(found, key=lambda one: one[:3])
    sections[-number]["exhibits"].remove(exhibit)
    return exhibit | {"experiment": sections[-number]["name"]}


def summary_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows for the table at the top of the page: those that the paper has a value for, else the first one."""
    in_paper = [row for row in rows if row["paper"] is not None and not row["whole"]]
    return in_paper or rows[:1]


def _embedded_figure(folder: Path, name: str, figure: dict[str, str]) -> dict[str, Any]:
    """A figure as the page holds it: caption, picture as text, and the file that has it, too."""
    light, dark = (_as_text(folder / figure[kind]) for kind in ("file", "dark_file"))
    found = {"caption": figure["caption"], "svg": None, "png": light, "dark_png": dark}
    return found | {"file": f"{name}/{figure['file']}"}


def _as_text(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode("ascii")


def _read_result(folder: Path) -> dict[str, Any] | None:
    """The result that a folder holds; None where there is none, or none that can be read."""
    try:
        found: dict[str, Any] = json.loads((folder / RESULT_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found


def _is_of_this_version(result: dict[str, Any]) -> bool:
    """Whether a result has what the page of this version shows of figures and networks."""
    networks = [one for one in result["exhibits"] if one["kind"] == "network"]
    return all("on_page" in one for one in result["figures"]) and all("classifier" in one for one in networks)


def _finite(value: Any) -> Any:
    """A number as Python's float, None if it is not finite; text and truth values as they are."""
    if isinstance(value, (str, bool)) or value is None:
        return value
    return float(value) if math.isfinite(value) else None
