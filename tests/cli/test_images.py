"""Folders of images."""

import io
import json
import sys
from contextlib import suppress

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import redunet
from redunet.cli import fit_command
from redunet.cli.command_errors import DataError
from redunet.cli.files import image_folder
from redunet.cli.files.csv_rows import CsvRows
from redunet.cli.files.image_folder import ImageFolder
from redunet.cli.files.source import ReadOptions, known_total
from redunet.cli.progress_bar import ProgressBar

from .conftest import call, refused, write_csv

Image = pytest.importorskip("PIL.Image")


def picture(path, seed, bar="rows", size=(12, 10), mode="L"):
    """Noise with bright rows or columns; size is width × height."""
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 60, size[::-1])
    pixels[(2 + seed % 3, 6), :] += 150 * (bar == "rows")
    pixels[:, (3 + seed % 3, 8)] += 150 * (bar == "columns")
    path.parent.mkdir(exist_ok=True, parents=True)
    if mode == "RGB":
        pixels = np.stack([pixels, pixels // 2, pixels // 3], axis=-1)
    Image.fromarray(pixels.astype(np.uint8)).save(path)
    return path


@pytest.fixture
def bars(tmp_path):
    """Two classes of six images, of several formats."""
    folder = tmp_path / "bars"
    for i, ending in enumerate(["png", "jpg", "pgm", "PNG", "jpeg", "png"]):
        for bar in ("columns", "rows"):
            picture(folder / bar / f"{i}.{ending}", i, bar)
    (folder / "rows" / ".hidden").write_text("")
    return folder


def test_a_folder_is_fitted_predicted_and_evaluated(bars, tmp_path):
    out = tmp_path / "m.redunet"
    words = ["--lift", "random", "--channels", 6, "--kernel", 5, "--layers", 0]
    found = json.loads(call("fit", bars, "-o", out, "--json", *words).stdout)
    assert found["shape"] == [1, 10, 12]
    assert found["invariance"] == "translation"
    assert found["classes"] == {"columns": 6, "rows": 6}
    lines = call("predict", out, bars).stdout.splitlines()
    assert lines[0] == "file,prediction,reason"
    assert lines[1] == "columns/0.png,columns,"
    assert json.loads(call("evaluate", out, bars, "--json").stdout)["accuracy"] > 0.9
    # images without labels may lie in the folder itself
    picture(tmp_path / "new" / "a.png", 9)
    assert call("predict", out, tmp_path / "new").stdout == "file,prediction,reason\na.png,rows,\n"
    # the same in Python
    source = ImageFolder(bars, ReadOptions(True))
    [block] = source.blocks()
    assert_array_equal(block.samples[0, 0], np.asarray(Image.open(bars / "columns" / "0.png"), float))
    model = redunet.load(out)
    assert [line.split(",")[1] for line in lines[1:]] == model.predict(block.samples).tolist()


def test_colours_are_kept_if_wanted_and_the_model_remembers(tmp_path):
    for i in range(6):
        for bar in ("columns", "rows"):
            picture(tmp_path / "c" / bar / f"{i}.png", i, bar, mode="RGB")
    words = ["--lift", "random", "--channels", 4, "--kernel", 3, "--layers", 0, "--json"]
    for colour, channels in (([], 1), (["--colour"], 3)):
        out = tmp_path / "m.redunet"
        found = json.loads(call("fit", tmp_path / "c", "-o", out, *words, *colour).stdout)
        assert found["shape"] == [channels, 10, 12]
        done = call("predict", out, tmp_path / "c")
        assert done.exit_code == 0, done.output


def test_images_in_colour_get_filters_unless_none_are_wanted(tmp_path):
    words = ["-o", tmp_path / "m.redunet", "--colour", "--json"]
    for i in range(8):
        bar = ("columns", "rows")[i % 2]
        picture(tmp_path / "c" / bar / f"{i}.png", i, bar, size=(40, 40), mode="RGB")
    for more, filters in (((), "patches"), (("--lift", "auto"), "patches"), (("--lift", "none"), None)):
        found = json.loads(call("fit", tmp_path / "c", *words, *more).stdout)
        assert found["shape"] == [3, 40, 40]
        assert (found["lift"] and found["lift"]["filters"]) == filters
    shown = call("fit", tmp_path / "c", "-o", tmp_path / "m.redunet", "--colour").stdout
    assert "patches, 48 channels, kernel 9, contrast 4, relu, pool 2.5" in shown


def test_colours_that_become_grey_are_noted(bars, tmp_path):
    words = ["--lift", "random", "--channels", 4, "--kernel", 3, "--layers", 0, "-o", tmp_path / "m.redunet"]
    assert "colours" not in call("fit", bars, *words).stderr
    Image.open(bars / "rows" / "0.png").convert("RGB").save(bars / "rows" / "0.png")  # three equal channels say no more
    assert "colours" not in call("fit", bars, *words).stderr
    coloured = picture(bars / "rows" / "0.png", 0, mode="RGB")
    note = f"{coloured} has colours, and images are read as grey; pass --colour to keep three channels."
    assert note in call("fit", bars, *words).stderr
    assert note in call("cluster", bars, "--clusters", 2, "-o", tmp_path / "c.csv").stderr
    assert "colours" not in call("fit", bars, *words, "--quiet").stderr
    assert "colours" not in call("fit", bars, *words, "--colour").stderr


def test_grey_images_among_those_in_colour_have_three_equal_channels(tmp_path):
    grey = picture(tmp_path / "c" / "a" / "0.png", 0)
    clear = picture(tmp_path / "c" / "a" / "1.png", 1, mode="RGB")
    pixels = np.asarray(Image.open(clear))
    opacity = np.arange(120, dtype=np.uint8).reshape(10, 12, 1)
    Image.fromarray(np.concatenate([pixels, opacity], axis=-1)).save(clear)
    [block] = ImageFolder(tmp_path / "c", ReadOptions(False, colour=True)).blocks()
    assert_array_equal(block.samples[0], np.repeat(np.asarray(Image.open(grey), float)[None], 3, axis=0))
    assert_array_equal(block.samples[1], pixels.transpose(2, 0, 1))  # without the opacity


def test_reading_many_images_says_how_many_of_all_are_read(bars, tmp_path, monkeypatch):
    counts = []
    monkeypatch.setattr(image_folder, "FILES_PER_BLOCK", 5)
    monkeypatch.setattr(ProgressBar, "count", lambda self, n, what, total=None: counts.append((n, what, total)))
    out = tmp_path / "m.redunet"
    expected = [(n, "samples", 12) for n in (5, 10, 12)]
    for words in (
        ("fit", bars, "-o", out, "--lift", "random", "--channels", 4, "--kernel", 3, "--layers", 0),
        ("predict", out, bars, "-o", tmp_path / "answers.csv"),
        ("evaluate", out, bars),
        ("cluster", bars, "--clusters", 2, "-o", tmp_path / "clusters.csv"),
    ):
        counts.clear()
        done = call(*words)
        assert done.exit_code == 0, done.output
        assert counts == expected, words[0]


def test_a_text_table_whose_rows_are_not_counted_has_no_total(tmp_path):
    table = write_csv(tmp_path / "t.csv", ["a"], [[1], [2]])
    assert known_total(CsvRows(table, ReadOptions(False))) is None


def test_images_without_invariance_are_rows_of_pixels(bars, tmp_path):
    out = tmp_path / "m.redunet"
    found = json.loads(call("fit", bars, "-o", out, "--invariance", "none", "--json").stdout)
    assert found["shape"] == [120]
    assert json.loads(call("evaluate", out, bars, "--json").stdout)["samples"] == 12


def test_sixteen_bits_are_not_cut_to_eight(tmp_path):
    deep = np.arange(120, dtype=np.uint16).reshape(10, 12) * 500
    (tmp_path / "d" / "a").mkdir(parents=True)
    Image.fromarray(deep).save(tmp_path / "d" / "a" / "0.png")
    for colour, channels in ((False, 1), (True, 3)):
        [block] = ImageFolder(tmp_path / "d", ReadOptions(False, colour=colour)).blocks()
        assert block.samples.shape == (1, channels, 10, 12)
        assert_array_equal(block.samples[0, -1], deep)


def test_mistakes_in_a_folder_are_told_with_the_file(bars, tmp_path, monkeypatch):
    monkeypatch.setattr(fit_command.ReduNetClassifier, "fit", None)
    words = ["fit", bars, "-o", tmp_path / "m.redunet"]
    refused(2, "--target goes with", *words, "--target", "kind")
    done = refused(2, "its sub-folders are the labels; leave it out.", *words, "--target", "kind")
    refused(2, "--invariance shift, which takes CHANNELS,LENGTH.", *words, "--invariance", "shift")
    refused(2, "would replace", "fit", bars, "-o", bars)
    odd = picture(bars / "rows" / "9.png", 9, size=(10, 12))
    done = refused(1, f"{odd} is 10 × 12 pixels, but {bars / 'columns' / '0.png'} is 12 × 10; scale or crop", *words)
    odd.write_bytes(b"no image")
    done = refused(1, f"{odd} cannot be read as an image: ", *words)
    assert "of a format other than PNG, JPEG and PGM (or PPM); convert or remove it." in done.stderr
    picture(odd, 9)
    odd.write_bytes(odd.read_bytes()[:-40])
    refused(1, f"{odd} cannot be read as an image: ", *words)
    odd.unlink()
    stray = picture(bars / "stray.png", 9)
    refused(1, f"{stray} is in no sub-folder, so its class is not known; move it into one.", *words)
    stray.unlink()
    (bars / "empty").mkdir()
    refused(1, f"{bars / 'empty'} holds no images (.png, .jpg, .jpeg, .pgm); put some there, or remove it.", *words)
    (bars / "empty").rmdir()
    (tmp_path / "bare").mkdir()
    words = ["fit", tmp_path / "bare", "-o", tmp_path / "m.redunet"]
    refused(1, "bare is a folder without sub-folders; there must be one for each class, with its images.", *words)


def test_other_files_are_noted(bars, tmp_path):
    (bars / "rows" / "notes.txt").write_text("words")
    words = ["--lift", "random", "--channels", 4, "--kernel", 3, "--layers", 0]
    done = call("fit", bars, "-o", tmp_path / "m.redunet", *words)
    assert f"has files that are no images: 1 (first: {bars / 'rows' / 'notes.txt'}); they are left out." in done.stderr
    assert not call("fit", bars, "-o", tmp_path / "m.redunet", *words, "--quiet").stderr


def test_images_that_the_model_does_not_take_are_told(bars, here, tmp_path):
    (tmp_path / "none").mkdir()
    refused(
        1,
        "none is a folder without images (.png, .jpg, .jpeg, .pgm); put them there",
        "predict",
        here.model,
        tmp_path / "none",
    )
    out = tmp_path / "m.redunet"
    words = ["--lift", "random", "--channels", 4, "--kernel", 3, "--layers", 0]
    assert call("fit", bars, "-o", out, *words).exit_code == 0
    new = picture(tmp_path / "new" / "a.png", 9, size=(9, 9))
    message = f"{new} is 9 × 9 pixels, but the model takes images of 12 × 10 pixels; scale or crop the images."
    refused(1, message, "predict", out, tmp_path / "new")
    message = "but the model takes samples of shape (4,); scale or crop"
    refused(1, message, "predict", here.model, tmp_path / "new")


def test_without_pillow_the_line_that_helps_is_told(bars, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    message = "images need pillow, which is not installed; run: pip install pillow"
    refused(1, message, "fit", bars, "-o", tmp_path / "m.redunet")


EPS = b"""%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 12 10
%%EndComments
showpage
%%EOF
"""


def saved_as(image, kind):
    file = io.BytesIO()
    image.save(file, kind)
    return file.getvalue()


def test_only_the_formats_of_the_endings_are_opened(tmp_path, monkeypatch):
    """Pillow would start Ghostscript for an EPS file, whatever the file is called."""
    plugin = pytest.importorskip("PIL.EpsImagePlugin")
    monkeypatch.setattr(plugin, "Ghostscript", lambda *words, **options: pytest.fail("Ghostscript was started"))
    grey = Image.new("L", (12, 10))
    (tmp_path / "a").mkdir()
    for content in (EPS, *(saved_as(grey, kind) for kind in ("GIF", "BMP", "TIFF", "TGA"))):
        (tmp_path / "a" / "x.png").write_bytes(content)
        with pytest.raises(DataError, match=r"x\.png cannot be read as an image: .* than PNG, JPEG and PGM \(or PPM\)"):
            ImageFolder(tmp_path, ReadOptions(False))
    for kind in ("PNG", "JPEG", "PPM"):
        (tmp_path / "a" / "x.png").write_bytes(saved_as(grey, kind))
        assert ImageFolder(tmp_path, ReadOptions(False)).size == (12, 10)


def test_images_with_bytes_changed_are_read_or_told(tmp_path):
    rng = np.random.default_rng(0)
    picture(tmp_path / "a" / "x.png", 0)
    path = tmp_path / "a" / "x.png"
    image = Image.open(path).copy()
    for kind in ("PNG", "JPEG", "PPM"):
        content = saved_as(image, kind)
        for at in rng.choice(len(content), 60):
            changed = bytearray(content)
            changed[at] = rng.integers(256)
            path.write_bytes(changed)
            with suppress(DataError):
                list(ImageFolder(tmp_path, ReadOptions(False)).blocks())


def test_one_image_is_predicted_by_its_own_name(bars, tmp_path):
    out = tmp_path / "m.redunet"
    words = ["--lift", "random", "--channels", 6, "--kernel", 5, "--layers", 0]
    assert call("fit", bars, "-o", out, *words).exit_code == 0
    image = picture(tmp_path / "new" / "one.PNG", 9)
    assert call("predict", out, image).stdout == "file,prediction,reason\none.PNG,rows,\n"
    assert call("predict", out, image.parent).stdout == "file,prediction,reason\none.PNG,rows,\n"
    message = (
        "one.PNG is one image, whose class is not known; pass a folder with one sub-folder of images for each class."
    )
    refused(2, message, "evaluate", out, image)
    refused(2, message, "fit", image, "-o", tmp_path / "other.redunet")
    other = picture(tmp_path / "other.png", 9, size=(9, 9))
    refused(1, "other.png is 9 × 9 pixels, but the model takes images of 12 × 10", "predict", out, other)
    (tmp_path / "wrong.png").write_bytes(b"no image")
    refused(1, "wrong.png cannot be read as an image: it is none", "predict", out, tmp_path / "wrong.png")
