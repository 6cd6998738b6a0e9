"""Only ordinary files and folders are read: what would wait for ever, or is not there, is reported."""

import os
import socket
import subprocess
import sys

import numpy as np
import pytest

from .conftest import call, refused

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")

# Each command in turn, in a process of its own, since a command that waits would wait for ever.
CODE = """
import sys
from typer.testing import CliRunner
from redunet.cli.app import app
folder, model, array = sys.argv[1:]
pipe = folder + "/pipe"
for words in (
    ["predict", model, pipe + ".csv"],
    ["predict", model, pipe + ".npy"],
    ["predict", model, pipe + ".npz"],
    ["predict", model, pipe + ".parquet"],
    ["fit", pipe + ".csv", "--target", "a", "-o", folder + "/m"],
    ["fit", array, "--labels", pipe + ".npy", "-o", folder + "/m"],
    ["predict", pipe + ".csv", array],
    ["inspect", pipe + ".csv"],
):
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1, (words, done.output)
    assert "is a pipe, not a " in done.stderr, (words, done.output)
    assert "only ordinary files are read, so save it in one first." in done.stderr
"""


def test_no_command_waits_for_a_pipe(here, tmp_path):
    for ending in ("csv", "npy", "npz", "parquet"):
        os.mkfifo(tmp_path / f"pipe.{ending}")
    np.save(tmp_path / "x.npy", here.X)
    words = [sys.executable, "-c", CODE, tmp_path, here.model, tmp_path / "x.npy"]
    done = subprocess.run(words, timeout=120, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_devices_and_sockets_are_told(here, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s.csv")
        refused(1, "s.csv is a socket, not a file or folder; only ordinary files are read", "predict", here.model,
                "s.csv")  # fmt: skip
        refused(1, "s.csv is a socket, not a model file", "inspect", "s.csv")
    words = ["--target", "kind", "--delimiter", ",", "-o", tmp_path / "m.redunet"]
    refused(1, "/dev/zero is a device, not a file or folder", "fit", "/dev/zero", *words)
    refused(1, "/dev/zero is a device, not a model file", "predict", "/dev/zero", here.table)
    np.save("x.npy", here.X)
    refused(
        1, "/dev/zero is a device, not a file of labels", "fit", "x.npy", "--labels", "/dev/zero", "-o", "m.redunet"
    )
    refused(1, f"{tmp_path} is a folder, not a file of labels", "fit", "x.npy", "--labels", tmp_path, "-o", "m.redunet")


def test_a_link_to_nothing_is_told_with_where_it_leads(here, tmp_path):
    (tmp_path / "link.csv").symlink_to(tmp_path / "gone.csv")
    done = refused(2, f"link.csv is a link to {tmp_path / 'gone.csv'}, where there is nothing; correct the link.",
                   "predict", here.model, tmp_path / "link.csv")  # fmt: skip
    assert "Did you mean" not in done.stderr
    refused(2, "link.csv is a link to", "inspect", tmp_path / "link.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    refused(1, "loop.csv cannot be read: Too many levels of symbolic links.", "predict", here.model,
            tmp_path / "loop.csv")  # fmt: skip
    words = ["--target", "kind", "-o"]
    refused(1, "loop.csv cannot be read: Too many levels", "fit", tmp_path / "loop.csv", *words, tmp_path / "m.redunet")
    refused(2, "loop.csv is not an ordinary file; pass another name.", "fit", here.table, *words, tmp_path / "loop.csv")
    (tmp_path / "good.csv").symlink_to(here.table)
    assert call("predict", here.model, tmp_path / "good.csv").exit_code == 0


@pytest.mark.parametrize("name", ["x" * 300 + ".csv", "file.csv/x.csv"])
def test_a_path_that_cannot_be_is_told(here, tmp_path, name):
    (tmp_path / "file.csv").write_text("a")
    for words in (["predict", here.model, tmp_path / name], ["inspect", tmp_path / name]):
        done = call(*words)
        assert done.exit_code in (1, 2), done.output
        assert "cannot be read: File name too long." in done.stderr or "there is no " in done.stderr
        assert "Traceback" not in done.output


def test_a_model_cannot_be_written_to_a_name_that_is_too_long(here, tmp_path):
    message = "cannot be written: File name too long; pass another name."
    refused(2, message, "fit", here.table, "--target", "kind", "-o", tmp_path / ("x" * 300))
    refused(2, message, "predict", here.model, here.table, "-o", tmp_path / ("x" * 300))


def test_what_may_not_be_read_is_told(here, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "t.csv").chmod(0)
    refused(1, "t.csv cannot be read: Permission denied.", "predict", here.model, tmp_path / "t.csv")
    refused(1, "t.csv cannot be read: Permission denied.", "inspect", tmp_path / "t.csv")
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed").chmod(0)
    refused(1, "cannot be read: Permission denied.", "predict", here.model, tmp_path / "closed" / "t.csv")
    refused(1, "cannot be read: Permission denied.", "predict", here.model, tmp_path / "closed")


def test_a_folder_with_the_ending_of_a_file_is_called_a_folder(here, tmp_path):
    (tmp_path / "x.csv").mkdir()
    refused(1, "x.csv is a folder without images", "predict", here.model, tmp_path / "x.csv")
    refused(1, "x.csv is a folder without sub-folders", "fit", tmp_path / "x.csv", "-o", tmp_path / "m.redunet")
