"""``redunet report``: a page about a model and the samples of a file."""

import gzip
import json

import numpy as np

from .conftest import COLUMNS, call, plants, refused, write_csv


def page_data(path):
    """What a page holds."""
    text = path.read_text(encoding="utf-8")
    start = text.index('id="data">') + len('id="data">')
    return json.loads(text[start : text.index("</script>", start)])


def section(data, name):
    return next(one for one in data["experiments"] if one["name"] == name)


def test_a_page_says_what_evaluate_says(here, tmp_path):
    page = tmp_path / "page.html"
    assert call("report", here.model, here.table, "--target", "kind", "--out", page, "--quiet").exit_code == 0
    data = page_data(page)
    found = json.loads(call("evaluate", here.model, here.table, "--target", "kind", "--json").stdout)
    shares = section(data, "accuracy")["exhibits"][0]["shares"]
    assert shares[0]["value"] == found["accuracy"]
    confusion = section(data, "confusion")["exhibits"][0]
    assert confusion["classes"] == found["classes"]
    assert confusion["counts"] == found["confusion"]
    assert section(data, "file")["exhibits"][0]["columns"] == COLUMNS
    assert section(data, "cases")["exhibits"][-1]["cases"][0]["place"].startswith("row ")


def test_without_labels_the_page_shows_samples_only(here, tmp_path):
    X, _ = plants(12, seed=1)
    data = write_csv(tmp_path / "new.csv", COLUMNS, X.tolist())
    page = tmp_path / "page.html"
    done = call("report", here.model, data, "-o", page)
    assert done.exit_code == 0
    assert done.stdout.startswith(f"page  {page} (")
    names = [one["name"] for one in page_data(page)["experiments"]]
    assert names == ["cases", "file", "research"]


def test_arrays_with_labels_make_a_page_too(here, tmp_path):
    np.savez(tmp_path / "waves.npz", X=here.signals, y=here.codes)
    page = tmp_path / "page.html"
    assert call("report", here.waves, tmp_path / "waves.npz", "-o", page, "--quiet").exit_code == 0
    assert [one["name"] for one in page_data(page)["experiments"]][:2] == ["accuracy", "confusion"]


def test_mistakes_are_reported_and_no_page_is_written(here, tmp_path):
    page = tmp_path / "page.html"
    given = ("report", here.model, here.table, "--target", "kind")
    refused(2, "--max-megabytes must be > 0, got 0", *given, "-o", page, "--max-megabytes", "0")
    refused(2, "has no such column", *given[:-1], "kid", "-o", page)
    refused(2, "would replace", *given, "-o", here.table)
    other = write_csv(tmp_path / "other.csv", [*COLUMNS, "kind"], [[1, 2, 3, 4, "yew"]])
    refused(
        1,
        "row 2: the label 'yew' is not among the classes",
        "report",
        here.model,
        other,
        "--target",
        "kind",
        "-o",
        page,
    )
    empty = write_csv(tmp_path / "empty.csv", [*COLUMNS, "kind"], [])
    refused(1, "no samples to show", "report", here.model, empty, "--target", "kind", "-o", page)
    zeros = write_csv(tmp_path / "zeros.csv", [f"t{i}" for i in range(24)], [np.arange(24.0).tolist(), [0.0] * 24])
    refused(1, "row 3: all numbers are zero", "report", here.waves, zeros, "-o", page)
    assert not page.exists()


def test_files_without_names_packed_files_and_sheets_make_a_page_with_and_without_labels(here, tmp_path):
    bare = here.table.read_text().split("\n", 1)[1]
    (tmp_path / "bare.csv").write_text(bare)
    page = tmp_path / "page.html"
    words = ["report", here.model, tmp_path / "bare.csv", "-o", page, "--quiet"]
    assert call(*words, "--no-header", "--target", "c5").exit_code == 0
    assert section(page_data(page), "accuracy")["exhibits"][0]["shares"][0]["value"] > 0.9
    assert call(*words, "--no-header", "--ignore", "c5").exit_code == 0
    assert "accuracy" not in [one["name"] for one in page_data(page)["experiments"]]
    with gzip.open(tmp_path / "t.csv.gz", "wt") as file:
        file.write(here.table.read_text())
    assert call("report", here.model, tmp_path / "t.csv.gz", "-o", page, "--quiet").exit_code == 0
    assert "accuracy" not in [one["name"] for one in page_data(page)["experiments"]]


def test_the_estimate_is_that_of_the_model_with_its_layers(here, tmp_path):
    out, page = tmp_path / "m.redunet", tmp_path / "page.html"
    assert call("fit", here.table, "--target", "kind", "--layers", 2, "-o", out).exit_code == 0
    assert call("report", out, here.table, "--target", "kind", "-o", page).exit_code == 0
    names = [share["name"] for share in section(page_data(page), "accuracy")["exhibits"][0]["shares"]]
    assert names == ["on the samples given"]  # nobody measured what two layers do
    assert call("report", here.model, here.table, "--target", "kind", "-o", page).exit_code == 0
    estimate = section(page_data(page), "accuracy")["exhibits"][0]["shares"][1]
    assert estimate["note"] == "60 training samples, each left out of its class"


def test_signals_with_and_without_labels_make_a_page(here, tmp_path):
    page = tmp_path / "page.html"
    for label, names in ((":{}", ["accuracy", "confusion"]), ("", [])):
        lines = [
            ",".join(map(str, row)) + label.format(code) for row, code in zip(here.signals, here.codes, strict=True)
        ]
        (tmp_path / "w.ts").write_text("@data\n" + "\n".join(lines))
        done = call("report", here.waves, tmp_path / "w.ts", "-o", page, "--quiet")
        assert done.exit_code == 0, done.output
        found = [one["name"] for one in page_data(page)["experiments"]]
        assert [name for name in found if name in ("accuracy", "confusion")] == names
