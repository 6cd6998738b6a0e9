"""The registry of file formats: one entry for each, and all that the command line knows of it."""

from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest

from redunet.cli.command_errors import UsageError
from redunet.cli.files import open_source as registry
from redunet.cli.files.source import Block, FileFormat, ReadOptions


def test_an_ending_belongs_to_one_format_and_options_are_known():
    endings = [ending for kind in registry.FORMATS for ending in kind.endings]
    assert len(set(endings)) == len(endings)
    known = {field.name for field in fields(ReadOptions)}
    assert all(set(kind.options) <= known for kind in registry.FORMATS)


def test_a_new_format_is_one_entry(tmp_path, monkeypatch):
    def read(path, options):
        return SimpleNamespace(blocks=lambda: [Block(0, np.loadtxt(path), [])])

    kind = FileFormat("tables with spaces", (".space",), ("target",), read)
    monkeypatch.setattr(registry, "FORMATS", (*registry.FORMATS, kind))
    (tmp_path / "t.space").write_text("1 2\n3 4\n")
    source = registry.open_source(tmp_path / "t.space", ReadOptions(False, target="a"))
    np.testing.assert_array_equal(next(iter(source.blocks())).samples, [[1, 2], [3, 4]])
    with pytest.raises(UsageError, match="--ignore goes with CSV and TSV files, XLSX files, Parquet files, and"):
        registry.open_source(tmp_path / "t.space", ReadOptions(False, ignore=("b",)))
    (tmp_path / "t.other").write_text("1 2\n")
    with pytest.raises(UsageError, match=r"Known endings are .*, \.space; folders hold images"):
        registry.open_source(tmp_path / "t.other", ReadOptions(False))
