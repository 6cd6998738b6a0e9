"""Where data are found, how they come from the network once, and what is said when they do not."""

import gzip
import hashlib
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from redunet.data import images as images_module
from redunet.data import sources, store
from redunet.data.formats import idx_content, read_mice, read_mnist
from redunet.data.images import mnist
from redunet.data.sources import MICE, MNIST
from redunet.data.store import DataNotFound, cache_folder, find_files
from redunet.data.tabular import mice
from redunet.storage.atomic_write import write_atomically

rng = np.random.default_rng(0)
PIXELS = rng.integers(0, 256, (7, 784)).astype(float)
DIGITS = np.array(list("3141592"), dtype=object)


@pytest.fixture
def small_mnist(bare_machine, monkeypatch):
    """MNIST with 5 and 2 images, and a network that has it; answers with the list of downloads."""
    monkeypatch.setattr(sources, "MNIST_PARTS", {"train": 5, "t10k": 2})
    contents = MNIST.convert(PIXELS, DIGITS, [])
    small = replace(MNIST, sha256={name: hashlib.sha256(content).hexdigest() for name, content in contents.items()})
    monkeypatch.setattr(images_module, "MNIST", small)
    fetched = []

    def fetch(name, **options):
        fetched.append((name, options))
        return SimpleNamespace(data=PIXELS, target=DIGITS, feature_names=[])

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    return fetched


def put(folder, content=b"x"):
    """Folder with a mice file of this content, below it."""
    path = folder / "mice" / "Data_Cortex_Nuclear.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return path


def find_mice(data_dir=None, download=True):
    (path,) = find_files(MICE, list(MICE.sha256), data_dir, download)
    return path


def test_the_first_place_that_has_the_files_is_taken(bare_machine, tmp_path, monkeypatch):
    named, variable, cache = (tmp_path / name for name in ("named", "variable", "cache/redunet"))
    monkeypatch.setenv("REDUNET_DATA", str(variable))
    in_cache = put(cache)
    assert find_mice() == in_cache
    in_variable = put(variable)
    assert find_mice() == in_variable
    named.mkdir()
    assert find_mice(named) == in_variable  # a folder without the files is passed over
    in_named = put(named)
    assert find_mice(named) == find_mice(str(named)) == in_named
    assert find_mice() == in_variable
    assert not bare_machine  # nobody asked the network


def test_a_place_that_has_some_of_the_files_is_passed_over(bare_machine, tmp_path):
    for place, names in (("named", list(MNIST.sha256)[:1]), ("cache/redunet", list(MNIST.sha256)[:2])):
        (tmp_path / place / "mnist").mkdir(parents=True)
        for name in names:
            (tmp_path / place / "mnist" / name).touch()
    paths = find_files(MNIST, list(MNIST.sha256)[:2], tmp_path / "named")
    assert [path.parent for path in paths] == 2 * [tmp_path / "cache/redunet/mnist"]


@pytest.mark.parametrize("download", [True, False])
def test_offline_with_nothing_at_hand_the_error_says_three_ways(bare_machine, tmp_path, monkeypatch, download):
    monkeypatch.setenv("REDUNET_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataNotFound) as error:
        mice(tmp_path, download=download)
    message = str(error.value)
    assert isinstance(error.value, OSError)
    for way in ("call again with a network", "pass data_dir=", "set the environment variable REDUNET_DATA"):
        assert way in message
    for place in (tmp_path, tmp_path / "nowhere", tmp_path / "cache" / "redunet"):
        assert str(place / "mice") in message
    assert ("URLError: <urlopen error no network>" in message) == download
    assert ("download=False" in message) != download
    assert len(bare_machine) == download
    assert (error.value.__cause__ is not None) == download
    with pytest.raises(DataNotFound, match="MNIST is not at hand: t10k-images"):
        mnist("test")


def test_a_data_dir_that_is_no_folder_is_a_mistake_and_not_passed_over(bare_machine, tmp_path):
    put(tmp_path / "cache" / "redunet")
    with pytest.raises(DataNotFound, match=r"data_dir='.*typo' is not a folder; pass one that has mice/ in it"):
        mice(tmp_path / "typo")


def test_a_download_is_written_once_and_then_read_from_the_cache(small_mnist, tmp_path, caplog):
    caplog.set_level("INFO", logger="redunet.data")
    images, digits = mnist("train")
    assert_array_equal(images, PIXELS[:5].reshape(5, 28, 28))
    assert digits.tolist() == [3, 1, 4, 1, 5]
    assert "downloading MNIST from OpenML, once" in caplog.text
    folder = tmp_path / "cache" / "redunet" / "mnist"
    assert sorted(path.name for path in folder.iterdir()) == sorted(MNIST.sha256)
    images, digits = mnist("test")
    assert_array_equal(images, PIXELS[5:].reshape(2, 28, 28))
    assert digits.tolist() == [9, 2]
    mnist("train", download=False)
    ((name, options),) = small_mnist
    assert (name, options["version"], options["target_column"]) == ("mnist_784", 1, ["class"])
    assert not Path(options["data_home"]).exists()  # OpenML's own files are removed


def test_two_downloads_write_the_same_bytes(small_mnist, tmp_path):
    mnist("train")
    paths = sorted((tmp_path / "cache" / "redunet" / "mnist").iterdir())
    first = [path.read_bytes() for path in paths]
    assert {content[4:8] for content in first} == {bytes(4)}  # where gzip would have put the time
    for path in paths:
        path.unlink()
    mnist("train")
    assert [path.read_bytes() for path in paths] == first
    assert len(small_mnist) == 2


@pytest.mark.parametrize(
    ("data", "target", "message"),
    [
        (PIXELS[:6], DIGITS[:6], r"pixels have shape \(6, 784\)"),
        (PIXELS / 2, DIGITS, "pixels are not whole numbers between 0 and 255"),
        (PIXELS - 1, DIGITS, "pixels are not whole numbers between 0 and 255"),
        (np.where(PIXELS > 3, PIXELS, np.nan), DIGITS, "pixels are not whole numbers"),
        (PIXELS[::-1], DIGITS, "OpenML has other data: SHA-256 of train-images"),
        (PIXELS, DIGITS[::-1], "OpenML has other data: SHA-256 of train-labels"),
    ],
)
def test_other_data_than_the_known_are_not_written(small_mnist, tmp_path, monkeypatch, data, target, message):
    other = SimpleNamespace(data=data, target=target, feature_names=[])
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda name, **options: other)
    with pytest.raises(DataNotFound, match=message):
        mnist("train")
    assert list((tmp_path / "cache" / "redunet" / "mnist").iterdir()) == []


def test_a_crash_while_writing_leaves_no_half_file(small_mnist, tmp_path, monkeypatch):
    folder = tmp_path / "cache" / "redunet" / "mnist"
    renames = []

    def crash(source, target):
        renames.append(target)
        assert not Path(target).exists()  # nothing under the final name until it is whole
        if len(renames) == 2:
            raise KeyboardInterrupt
        os.rename(source, target)

    monkeypatch.setattr(store.os, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        mnist("train")
    (path,) = folder.iterdir()  # the first file, whole, and no part of the second
    assert hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest() == images_module.MNIST.sha256[path.name]


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "a"
    write_atomically(path, b"old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"


def test_a_cache_that_cannot_be_written_is_told_before_the_download(small_mnist, tmp_path):
    (tmp_path / "cache").write_text("a file where a folder should be")
    with pytest.raises(DataNotFound, match=r"the download failed \((NotADirectory|FileExists)Error"):
        mnist("train")
    assert not small_mnist


def test_damaged_files_are_named_with_what_is_wrong(small_mnist, tmp_path):
    mnist("train")
    folder = tmp_path / "cache" / "redunet" / "mnist"
    path = folder / "train-images-idx3-ubyte.gz"
    whole = path.read_bytes()
    other = PIXELS[:5].astype(np.uint8).reshape(5, 28, 28).copy()
    other[2, 3, 4] ^= 1
    for content, message in (
        (whole[:-50], "is cut short: the gzip stream has no end"),
        (whole[:200] + bytes(8) + whole[208:], "is not a gzip file or is damaged: CRC check failed"),
        (whole[:10] + b"\x07" + whole[11:], "is not a gzip file or is damaged: .* invalid block type"),
        (b"<html>not here</html>", "is not a gzip file or is damaged"),
        (b"", "is not an idx file|is cut short"),
        (gzip.compress(idx_content(other)), "is damaged or not from MNIST: the SHA-256 .* Remove it, and it is"),
        (gzip.compress(idx_content(other)[:-1]), r"should hold 3920 bytes for shape \(5, 28, 28\) but holds 3919"),
        (gzip.compress(idx_content(other)[:10]), "is cut short: 3 axes need a header of 16 bytes, it holds 10"),
    ):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message) as error:
            mnist("train")
        assert str(path) in str(error.value)
    path.unlink()
    mnist("train")  # it was removed, and is downloaded again
    assert len(small_mnist) == 2


def test_mice_from_openml_become_the_known_file_to_the_byte(bare_machine, real_folder, tmp_path, monkeypatch):
    X, y, row_id, proteins = read_mice(real_folder / "mice" / "Data_Cortex_Nuclear.csv")
    asked = []

    def fetch(name, **options):
        asked.append((name, options["version"], options["target_column"]))
        inexact = np.nextafter(X, np.inf)  # a parser may be off in the last bit
        return SimpleNamespace(data=inexact, target=np.column_stack([y, row_id]).astype(object), feature_names=proteins)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    assert_array_equal(mice()[0], X)
    assert asked == [("miceprotein", 4, ["class", "MouseID"])]
    written = tmp_path / "cache" / "redunet" / "mice" / "Data_Cortex_Nuclear.csv"
    assert hashlib.sha256(written.read_bytes()).hexdigest() == MICE.sha256[written.name]
    _, kinds, mouse = mice(download=False)
    assert_array_equal(kinds, y)
    assert mouse[-1] == row_id[-1].split("_")[0]


def test_mnist_as_one_table_becomes_the_known_files(real_folder):
    parts = [read_mnist(real_folder / "mnist", part) for part in ("train", "t10k")]
    pixels, digits = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    contents = MNIST.convert(pixels.reshape(-1, 784), digits.astype(str).astype(object), [])
    assert {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()} == MNIST.sha256


def test_damaged_mice_are_named_with_what_is_wrong(bare_machine, real_folder, tmp_path):
    text = (real_folder / "mice" / "Data_Cortex_Nuclear.csv").read_text()
    path = put(tmp_path, text.encode())
    mice(tmp_path)
    lines = text.splitlines(keepends=True)
    for content, message in (
        ("".join(lines[:1001]), "holds 1000 measurements of 77 proteins, should be 1080 of 77; is it cut short"),
        (text[:-40], r"line 1081: \d+ values, but 83 columns; is it cut short"),
        (text.replace("0.503643884", "0.5o3643884"), "line 2: could not convert string to float: '0.5o3643884'"),
        (text.replace("0.503643884", "0.503643885"), "is damaged or not from Mice Protein Expression: the SHA-256"),
        (text[5:], "the first line should name the columns MouseID"),
        ("", "the first line should name the columns MouseID"),
    ):
        path.write_text(content)
        with pytest.raises(ValueError, match=message) as error:
            mice(tmp_path)
        assert str(path) in str(error.value)
    path.write_bytes(b"MouseID\xff\xfe")
    with pytest.raises(ValueError, match="is not a CSV text file"):
        mice(tmp_path)


@pytest.mark.parametrize(
    ("platform", "below_home"),
    [("linux", ".cache/redunet"), ("darwin", "Library/Caches/redunet"), ("win32", "AppData/Local/redunet/Cache")],
)
def test_the_cache_is_where_the_system_keeps_caches(monkeypatch, tmp_path, platform, below_home):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    for unset in ("", "relative/is/ignored"):
        monkeypatch.setenv("XDG_CACHE_HOME", unset)
        assert cache_folder() == tmp_path / below_home
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert cache_folder() == tmp_path / "elsewhere" / "redunet"
    assert not (tmp_path / "elsewhere").exists()  # asking makes no folder


def test_nothing_is_left_in_the_temporary_folder(small_mnist, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    mnist("train")
    assert list((tmp_path / "scratch").iterdir()) == []
