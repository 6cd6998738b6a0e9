"""NPY and NPZ files, and Parquet."""

import json
import sys
import zipfile

import numpy as np
import pytest

import redunet
from redunet.cli.files import source, stored_array

from .conftest import COLUMNS, call, refused


def test_all_ways_to_keep_labelled_arrays_give_the_same_model(here, tmp_path):
    X, codes = here.X, np.arange(60) % 3
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(X))
    np.save(tmp_path / "y.npy", codes)
    np.save(tmp_path / "both.npy", np.column_stack([X, codes]))
    np.savez(tmp_path / "d.npz", X=X, y=codes)
    np.savez_compressed(tmp_path / "packed.npz", signals=X, kinds=codes)
    ways = [
        ["x.npy", "--labels", tmp_path / "y.npy"],
        ["fortran.npy", "--labels", tmp_path / "y.npy"],
        ["both.npy", "--target", "last"],
        ["d.npz"],
        ["packed.npz", "--samples", "signals", "--target", "kinds"],
    ]
    out = tmp_path / "m.redunet"
    redunet.ReduNetClassifier(standardise="auto").fit(X, codes).save(tmp_path / "python.redunet")
    expected = (tmp_path / "python.redunet").read_bytes()
    for name, *words in ways:
        done = call("fit", tmp_path / name, "-o", out, *words)
        assert done.exit_code == 0, done.output
        assert out.read_bytes() == expected
        counted = json.loads(call("evaluate", out, tmp_path / name, *words, "--json").stdout)
        assert counted["samples"] == 60
    answers = call("predict", out, tmp_path / "x.npy").stdout
    assert answers.splitlines()[:2] == ["sample,prediction,reason", "0,0,"]
    assert call("predict", out, tmp_path / "packed.npz", "--samples", "signals").stdout == answers


def test_blocks_of_any_size_are_the_same_array(tmp_path):
    whole = np.arange(60.0).reshape(10, 3, 2)
    np.save(tmp_path / "a.npy", whole)
    np.save(tmp_path / "f.npy", np.asfortranarray(whole))
    np.savez_compressed(tmp_path / "a.npz", X=whole)
    for stored in (
        stored_array.StoredArray(tmp_path / "a.npy"),
        stored_array.StoredArray(tmp_path / "f.npy"),
        stored_array.StoredArray(tmp_path / "a.npz", "X"),
    ):
        for n_rows in (1, 3, 10, 99):
            np.testing.assert_array_equal(np.concatenate(list(stored.parts(n_rows))), whole)


def test_signals_with_channels_and_images_are_taken_as_they_are(tmp_path):
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((20, 2, 12)) + np.linspace(0, 3, 12), np.arange(20) % 2
    np.savez(tmp_path / "d.npz", X=X, y=codes)
    out = tmp_path / "m.redunet"
    words = ["--invariance", "shift", "--lift", "none", "--layers", 0]
    found = json.loads(call("fit", tmp_path / "d.npz", "-o", out, "--json", *words).stdout)
    assert found["shape"] == [2, 12]
    np.save(tmp_path / "flat.npy", X.reshape(20, -1))
    answers = call("predict", out, tmp_path / "d.npz").stdout
    assert call("predict", out, tmp_path / "flat.npy").stdout == answers
    np.save(tmp_path / "moved.npy", np.roll(X, 5, axis=-1))
    assert call("predict", out, tmp_path / "moved.npy").stdout == answers
    np.save(tmp_path / "other.npy", X[:, :, :5])
    message = "other.npy has samples of shape (2, 5), but the model takes (2, 12), or rows of 24 numbers"
    refused(1, message, "predict", out, tmp_path / "other.npy")


@pytest.mark.parametrize(
    ("code", "array", "words", "message"),
    [
        (2, np.ones((4, 2)), [], "x.npy? Say it with --labels labels.npy, or with --target last for the last column"),
        (2, np.ones((4, 2)), ["--target", "last", "--labels", "y.npy"], "last column; one of the two."),
        (2, np.ones((4, 2)), ["--target", "y"], "--target y: an NPY file has no names; pass --target last"),
        (1, np.ones((4, 2, 3)), ["--target", "last"], "has shape (4, 2, 3), and --target last needs a table"),
        (1, np.ones(4), ["--labels", "y.npy"], "x.npy has shape (4,); samples need (n_samples, n_features)"),
        (1, np.ones((4, 0)), ["--labels", "y.npy"], "x.npy has shape (4, 0); samples need"),
        (1, np.full((4, 2), "a"), ["--labels", "y.npy"], "x.npy holds <U1, not numbers; convert it to float64."),
        (1, np.ones((4, 2), complex), ["--labels", "y.npy"], "x.npy holds complex128, not numbers"),
        (1, np.ones((3, 2)), ["--labels", "y.npy"], "y.npy has shape (4,), but"),
        (1, np.array([[1, 2], [3, np.nan]] * 2), ["--labels", "y.npy"], "x.npy, [1, 1]: nan is no value; fill it in"),
        (1, np.array([[1, 2], [3, -np.inf]] * 2), ["--labels", "y.npy"], "x.npy, [1, 1]: -inf is not finite"),
        (1, np.array([[1, 2.5], [3, 1.0]] * 2), ["--target", "last"], "sample 0 (counting from 0): the label is 2.5"),
        (1, np.ones((4, 2)), ["--labels", "z.npy"], "z.npy holds complex128, which are no labels; save text"),
        (1, np.ones((0, 2)), ["--target", "last"], "last column: there are no samples; add some."),
        (2, np.ones((4, 2)), ["--ignore", "a"], "--ignore goes with CSV and TSV files, XLSX files, Parquet files, and"),
    ],
)  # fmt: skip
def test_a_wrong_array_is_told(tmp_path, monkeypatch, code, array, words, message):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", array)
    np.save("y.npy", [0, 0, 1, 1])
    np.save("z.npy", np.ones(4, complex))
    refused(code, message, "fit", "x.npy", "-o", "m.redunet", *words)


@pytest.mark.parametrize("labels", [np.array([2**63 + 5, 1], np.uint64), np.array([1e300, 1.0]), np.array([-1, 2**62])])
def test_labels_that_are_large_numbers_are_told_apart_and_found_again(here, tmp_path, labels):
    np.savez(tmp_path / "d.npz", X=here.X, y=labels[np.arange(60) % 3 % 2])
    out = tmp_path / "m.redunet"
    done = call("fit", tmp_path / "d.npz", "-o", out, "--json")
    assert done.exit_code == 0, done.output
    expected = {str(int(label)) for label in labels.tolist()}
    assert set(json.loads(done.stdout)["classes"]) == expected
    assert {str(label) for label in redunet.load(out).classes_.tolist()} == expected
    assert redunet.load(out).classes_.dtype.kind in "iU"
    found = json.loads(call("evaluate", out, tmp_path / "d.npz", "--json").stdout)
    assert sorted(found["class_samples"]) == [20, 40]


def test_damaged_array_files_are_told(tmp_path):
    words = ["--labels", tmp_path / "y.npy", "-o", tmp_path / "m.redunet"]
    np.save(tmp_path / "y.npy", [0, 1] * 20)
    np.save(tmp_path / "x.npy", np.ones((40, 30)))
    content = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(content[:-9])
    refused(1, "x.npy is cut short: its header promises shape (40, 30); get", "fit", tmp_path / "x.npy", *words)
    (tmp_path / "x.npy").write_bytes(b"not an array")
    refused(1, "x.npy is damaged or not an NPY file: ", "fit", tmp_path / "x.npy", *words)
    np.save(tmp_path / "x.npy", np.array([[{}]], dtype=object))
    refused(1, "x.npy holds Python objects, which are not read; save numbers", "fit", tmp_path / "x.npy", *words)
    words = ["-o", tmp_path / "m.redunet"]
    np.savez(tmp_path / "d.npz", A=np.ones((4, 2)), labels=[0, 0, 1, 1])
    done = refused(2, "has no array 'X'; say which one with --samples.", "fit", tmp_path / "d.npz", *words)
    assert "The arrays are 'A', 'labels'." in done.stderr
    done = refused(2, "has no array 'label'; say which one with --target. Did you mean 'labels'?", "fit",
                   tmp_path / "d.npz", "--samples", "A", "--target", "label", *words)  # fmt: skip
    np.savez_compressed(tmp_path / "d.npz", X=np.random.default_rng(0).standard_normal((400, 2)), y=np.arange(400) % 2)
    content = bytearray((tmp_path / "d.npz").read_bytes())
    content[2000:2100] = bytes(100)
    (tmp_path / "d.npz").write_bytes(content)
    refused(1, "d.npz is damaged or not an NPZ file: ", "fit", tmp_path / "d.npz", *words)
    (tmp_path / "d.npz").write_bytes(b"not a zip file")
    refused(1, "d.npz is damaged or not an NPZ file: File is not a zip file; write it with numpy.savez.", "fit",
            tmp_path / "d.npz", *words)  # fmt: skip
    with zipfile.ZipFile(tmp_path / "d.npz", "w") as packed:
        packed.writestr("X.npy", b"junk")
        packed.writestr("y.npy", b"junk")
    refused(1, "array 'X' is damaged or not an NPY file", "fit", tmp_path / "d.npz", *words)


class WithoutPandas:
    """A finder to which pandas is not installed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError("no pandas")


def test_parquet_without_pyarrow_is_told_with_the_line_that_helps(here, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    message = "Parquet files need pyarrow, which is not installed; run: pip install pyarrow"
    refused(1, message, "predict", here.model, tmp_path / "t.parquet")
    # and text tables need neither it nor pandas
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    monkeypatch.setattr(sys, "meta_path", [WithoutPandas, *sys.meta_path])
    assert call("predict", here.model, here.table).exit_code == 0


def parquet(path, **columns):
    arrow, writer = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    writer.write_table(arrow.table(columns), path)
    return path


def test_parquet_gives_the_model_and_answers_of_the_same_csv(here, tmp_path, monkeypatch):
    columns = dict(zip(COLUMNS, here.X.T.copy(), strict=True))
    index = np.arange(60)
    data = parquet(tmp_path / "t.parquet", kind=here.kinds.tolist(), **columns, __index_level_0__=index)
    out = tmp_path / "m.redunet"
    assert call("fit", data, "--target", "kind", "-o", out).exit_code == 0
    assert out.read_bytes() == here.model.read_bytes()
    monkeypatch.setattr(source, "BLOCK_ROWS", 7)
    ours = call("predict", out, data, "--quiet").stdout.splitlines()
    theirs = call("predict", here.model, here.table, "--quiet").stdout.splitlines()
    assert [line.split(",")[1] for line in ours] == [line.split(",")[1] for line in theirs]
    assert ours[1].startswith("0,")
    assert "'kind'; they are ignored" in call("predict", out, data).stderr
    assert json.loads(call("evaluate", out, data, "--target", "kind", "--json").stdout)["samples"] == 60


def test_mistakes_in_parquet_are_told_with_row_and_column(here, tmp_path):
    columns = dict(zip(COLUMNS, here.X.T.copy(), strict=True))
    words = ["--target", "kind", "-o", tmp_path / "m.redunet"]
    kinds = here.kinds.tolist()
    data = parquet(tmp_path / "t.parquet", **(columns | {"width": kinds}), kind=kinds)
    refused(1, "column 'width' holds string, not numbers; convert it, or leave the column out with --ignore width.",
            "fit", data, *words)  # fmt: skip
    refused(1, "column 'width' holds string, not numbers; convert it.", "predict", here.model, data)
    gap = [None if i == 7 else float(i) for i in range(60)]
    data = parquet(tmp_path / "t.parquet", **(columns | {"width": gap}), kind=kinds)
    refused(1, "t.parquet, row 7 (counting from 0), column 'width': empty; fill it in", "fit", data, *words)
    data = parquet(tmp_path / "t.parquet", **columns, kind=[None, *kinds[1:]])
    refused(1, "t.parquet, row 0 (counting from 0), column 'kind': empty; fill it in", "fit", data, *words)
    columns["depth"][9] = np.inf
    data = parquet(tmp_path / "t.parquet", **columns, kind=kinds)
    refused(1, "row 9 (counting from 0), column 'depth': inf is not finite", "fit", data, *words)
    content = bytearray(data.read_bytes())
    data.write_bytes(content[:-20])
    refused(1, "t.parquet is damaged or not a Parquet file: ", "fit", data, *words)
    content[4:200] = bytes(196)
    data.write_bytes(content)
    refused(1, "t.parquet is damaged after row 0: ", "fit", data, *words)
