"""SIGTERM: the command ends with 143 and its words, and leaves no half-written file."""

import signal
import subprocess
import sys

import pytest

from redunet.cli.termination import exit_cleanly_on_sigterm

SLOW = """
import sys, time
from redunet.storage import array_file
from redunet.cli.app import app

def write_slowly(path, text, arrays):
    with array_file.renamed_into_place(path) as file:
        file.write(b"half of it")
        file.flush()
        sys.stdout.write("writing\\n"); sys.stdout.flush()
        time.sleep(600)

import redunet.storage.model_file
redunet.storage.model_file.write_arrays = write_slowly
app()
"""


def test_a_terminated_fit_removes_its_part_file_and_says_so(here, tmp_path):
    words = ["fit", here.table, "--target", "kind", "-o", tmp_path / "m.redunet", "--layers", "0", "--quiet"]
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "writing\n"
    assert [one.suffix for one in tmp_path.iterdir()] == [".part"]
    process.terminate()
    _, printed = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "redunet: terminated; no model was written." in printed
    assert list(tmp_path.iterdir()) == []


def test_the_library_installs_no_handler():
    code = (
        "import signal, redunet, redunet.cli.app, redunet.cli.fit_command\n"
        "from redunet import ReduNet, ReduNetClassifier, load\n"
        "assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda number, frame: None])
def test_a_handler_that_is_there_stays(handler):
    before = signal.signal(signal.SIGTERM, handler)
    try:
        exit_cleanly_on_sigterm()()
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)


def test_after_a_command_the_signal_means_what_it_meant_before(here):
    from .conftest import call

    before = signal.getsignal(signal.SIGTERM)
    assert call("inspect", here.model).exit_code == 0
    assert signal.getsignal(signal.SIGTERM) is before
