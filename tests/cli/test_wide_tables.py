"""Work grows with the number of columns, not with its square."""

import difflib
from pathlib import Path

import numpy as np
import pytest

from redunet.cli.files.columns import choose_columns
from redunet.cli.files.source import ReadOptions
from redunet.inputs.suggestions import did_you_mean

from .conftest import COLUMNS, call


class Counted(str):
    """A name that counts how often any is compared or looked up."""

    __slots__ = ()
    n_uses = 0

    def __eq__(self, other):
        Counted.n_uses += 1
        return str.__eq__(self, other)

    def __hash__(self):
        Counted.n_uses += 1
        return str.__hash__(self)


def uses(n_columns, wanted):
    header = [Counted(f"c{i}") for i in range(n_columns)]
    Counted.n_uses = 0
    found = choose_columns(Path("t.csv"), header, wanted(header))
    assert [header[i] for i in found.positions] == list(found.names)
    return Counted.n_uses


@pytest.mark.parametrize(
    "wanted",
    [
        lambda header: ReadOptions(False, names=tuple(Counted(name) for name in reversed(header))),
        lambda header: ReadOptions(False, names=tuple(header[::2])),
        lambda header: ReadOptions(True, target=header[-1]),
        lambda header: ReadOptions(True, target=header[0], ignore=tuple(header[1:-3])),
        lambda header: ReadOptions(False, shape=(len(header),)),
    ],
    ids=["known", "some known", "fit", "ignored", "by order"],
)
def test_twice_the_columns_take_twice_the_comparisons(wanted):
    few, many = uses(300, wanted), uses(600, wanted)
    assert many < 3 * few, (few, many)  # four times where each column is searched for
    assert many < 30 * 600


def test_a_misspelt_name_is_compared_closely_with_few_and_found_among_many(monkeypatch):
    compared = []
    ratio = difflib.SequenceMatcher.quick_ratio
    monkeypatch.setattr(difflib.SequenceMatcher, "quick_ratio", lambda self: compared.append(1) or ratio(self))
    names = [f"column_number_{i:06}" for i in range(20_000)]
    assert did_you_mean("Column_numbr_012345", names) == " Did you mean 'column_number_012345'?"
    assert len(compared) < 1000
    assert did_you_mean("nothing like it", names) == ""
    assert did_you_mean("x" * 1_000_000, ["x" * 1_000_001, *names]) == ""


def test_a_parquet_file_is_described_once_however_many_columns_it_has(here, tmp_path, monkeypatch):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = dict(zip(COLUMNS, here.X.T.copy(), strict=True)) | {f"c{i}": np.ones(60) for i in range(50)}
    parquet.write_table(arrow.table(columns), tmp_path / "t.parquet")
    asked = []
    schema = parquet.ParquetFile.schema_arrow
    monkeypatch.setattr(
        parquet.ParquetFile, "schema_arrow", property(lambda self: asked.append(1) or schema.fget(self))
    )
    assert call("predict", here.model, tmp_path / "t.parquet").exit_code == 0
    assert len(asked) <= 2
