"""Columns that number the rows are named in a note, and never left out silently."""

import numpy as np
import pytest

import redunet
from redunet.cli.files.id_columns import IdColumns

from .conftest import COLUMNS, call, write_csv


def watched(names, columns, *cuts):
    """The observer after the columns were shown to it in parts."""
    found = IdColumns(names)
    for part in np.split(np.column_stack(columns).astype(float), cuts):
        found.add(part)
    return found


def test_a_column_that_counts_is_found_whatever_blocks_it_comes_in():
    count, rng = np.arange(100), np.random.default_rng(0)
    columns = [
        count,
        count + 17,
        count - 3,
        rng.permutation(100),
        2 * count,
        count / 2,
        count + 0.5,
        np.minimum(count, 98),
    ]
    for cuts in ((), (1,), (50,), (1, 2, 3, 99), (0, 40, 40)):
        found = [name for name, _ in watched("abcdefgh", columns, *cuts).found()]
        assert found == ["a", "b", "c"]


def test_a_break_between_two_blocks_is_seen():
    column = np.concatenate([np.arange(20), np.arange(20)])
    assert not watched("a", [column], 20).found()
    assert not watched("a", [np.arange(9)]).found()  # of so few rows it may be chance
    assert watched("a", [np.arange(10)]).found()
    assert not watched("a", [np.full(20, 1e300)]).found()


@pytest.mark.parametrize("name", [
    "id", "ID", "Id", "sample_id", "Sample ID", "MouseID", "sampleId", "index", "Idx", "row", "row_number", "Row Nr",
    "nr", "No.", "#", "Unnamed: 0", "unnamed", " id "])  # fmt: skip
def test_names_that_say_so(name):
    assert [found for found, _ in watched([name], [[3, 1, 2]]).found()] == [name]


@pytest.mark.parametrize(
    "name", ["acid", "Acid", "ACID", "fluid", "width", "rows", "grow", "c1", "", "identity", "noise"]
)
def test_names_that_do_not(name):
    assert not watched([name], [[3, 1, 2]]).found()


def test_a_fit_names_the_column_and_uses_it(here, tmp_path):
    rows = [[i, *row, kind] for i, (row, kind) in enumerate(zip(here.X.tolist(), here.kinds.tolist(), strict=True))]
    table = write_csv(tmp_path / "t.csv", ["patient no", *COLUMNS, "kind"], rows)
    words = ["fit", table, "--target", "kind", "-o", tmp_path / "m.redunet"]
    done = call(*words)
    assert done.exit_code == 0
    assert done.stderr == (
        f"redunet: note: column 'patient no' of {table} looks like a number of the row (it counts up by one from row "
        f"to row), and is used like any other; if it says nothing about the class, leave it out with "
        f"--ignore 'patient no'.\n"
    )
    assert list(redunet.load(tmp_path / "m.redunet").feature_names_in_) == ["patient no", *COLUMNS]
    assert call(*words, "--ignore", "patient no").stderr == ""
    assert call(*words, "--quiet").stderr == ""
    write_csv(table, ["id", "index", *COLUMNS[1:], "kind"], rows)
    done = call(*words)
    assert "note: columns 'id', 'index' of" in done.stderr
    assert "leave out those that say nothing about the class: --ignore id --ignore index." in done.stderr
