"""One HTML file that holds everything: text, style, scripts, data."""

import json
import os
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ..storage.atomic_write import write_atomically

# In the order of use: first the network, then what draws, then panels and exhibits, then the page that holds them.
SCRIPTS = (
    "network/arrays.js",
    "network/spectrum.js",
    "network/pooled_lift.js",
    "network/local_contrast.js",
    "network/lift_filters.js",
    "network/span.js",
    "network/measure.js",
    "network/subspace_measure.js",
    "network/measures.js",
    "network/network.js",
    "network/classifier.js",
    "drawing/elements.js",
    "drawing/colours.js",
    "drawing/resizing_canvas.js",
    "drawing/wave.js",
    "drawing/picture.js",
    "drawing/drag.js",
    "drawing/glide.js",
    "drawing/colour_scale.js",
    "drawing/chart.js",
    "drawing/history_chart.js",
    "drawing/membership_chart.js",
    "drawing/probability_bars.js",
    "live/page_classifier.js",
    "live/live_state.js",
    "live/sample_picker.js",
    "live/sample_panel.js",
    "live/answer_panel.js",
    "live/channels_panel.js",
    "live/layers_panel.js",
    "live/kernels_panel.js",
    "live/live_network.js",
    "exhibits/sphere_view.js",
    "exhibits/sphere.js",
    "exhibits/gallery.js",
    "exhibits/histogram.js",
    "exhibits/heatmap.js",
    "evaluation/accuracy.js",
    "evaluation/confusion.js",
    "evaluation/calibration.js",
    "evaluation/case_drawing.js",
    "evaluation/cases.js",
    "answers/csv_text.js",
    "answers/csv_cells.js",
    "answers/csv_columns.js",
    "answers/file_answers.js",
    "answers/answers_text.js",
    "answers/drop_exhibit.js",
    "page/result_table.js",
    "page/exhibits.js",
    "page/experiment_section.js",
    "page/theme.js",
    "page/main.js",
)


def build_page(data: dict[str, Any]) -> str:
    """HTML text of a report; it needs no other file and no network.

    Parameters
    ----------
    data : dict
        Title, summary and experiments; arrays as :func:`redunet.report.network_data.array_data` gives them.
    """
    parts = {
        "/*STYLE*/": _asset("page.css"),
        "/*DATA*/": _json(data),
        "/*SCRIPTS*/": "\n".join(_asset(f"scripts/{name}") for name in SCRIPTS),
    }
    # Cut the template first, so that nothing inside a part is taken for a place to put another.
    page = _asset("page.html")
    text = ""
    for mark, part in parts.items():
        before, page = page.split(mark)
        text += before + part
    return text + page


def write_page(data: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the page to a file, which holds either the whole page or what it held before."""
    write_atomically(Path(path), build_page(data).encode())


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _json(data: dict[str, Any]) -> str:
    """Data as text that cannot end the script element it stands in."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    return text.replace("<", "\\u003c")


def _plain(value: object) -> object:
    """NumPy's numbers, and small arrays, as Python's."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"data of a page must be dicts, lists, text and numbers, got {type(value).__name__}.")
