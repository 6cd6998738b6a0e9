"""Files that are written as a whole: what a killed process leaves is removed, what is being written is not."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from redunet.storage import atomic_write
from redunet.storage.atomic_write import remove_stale_parts, renamed_into_place, try_to_write, write_atomically

WRITE = """
import os, sys, time
from pathlib import Path
from redunet.storage.atomic_write import renamed_into_place
with renamed_into_place(Path(sys.argv[1])) as file:
    file.write(b"half of it")
    file.flush()
    if sys.argv[2] == "fork" and os.fork() == 0:  # a child that outlives its parent
        sys.stdout.write(f"{os.getpid()}\\n"); sys.stdout.flush()
    elif sys.argv[2] == "alone":
        sys.stdout.write("0\\n"); sys.stdout.flush()
    time.sleep(600)
"""


def parts(folder):
    return [one.name for one in folder.iterdir() if one.name.endswith(".part")]


@pytest.mark.parametrize("kind", ["alone", "fork"])
def test_the_part_of_a_killed_process_is_removed_and_that_of_a_live_one_is_not(kind, tmp_path):
    target = tmp_path / "model"
    writer = subprocess.Popen([sys.executable, "-c", WRITE, str(target), kind], stdout=subprocess.PIPE, text=True)
    child = int(writer.stdout.readline())
    try:
        [part] = parts(tmp_path)
        write_atomically(target, b"new")
        assert parts(tmp_path) == [part]
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        assert parts(tmp_path) == [part]
        write_atomically(tmp_path / "mode", b"another target")
        write_atomically(tmp_path / "model.b", b"another target")
        assert parts(tmp_path) == [part]
        write_atomically(target, b"newer")
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()
        if child:
            os.kill(child, signal.SIGKILL)
    assert parts(tmp_path) == []
    assert target.read_bytes() == b"newer"


def test_writers_of_one_target_do_not_remove_each_others_parts(tmp_path):
    """Four threads write the same target, and none of them ever finds its part gone."""
    target, errors = tmp_path / "model", []
    contents = [bytes([i]) * 50_000 for i in range(4)]

    def write(content):
        try:
            for _ in range(60):
                write_atomically(target, content)
                assert target.read_bytes() in contents
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert os.listdir(tmp_path) == ["model"]


def test_a_part_that_was_taken_for_a_stale_one_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    opened = os.open
    taken = []

    def slow(path, *args, **options):
        fd = opened(path, *args, **options)
        if str(path).endswith(".part") and not taken:
            taken.append(path)
            remove_stale_parts(tmp_path / "model")
        return fd

    monkeypatch.setattr("redunet.storage.locked_files.os.open", slow)
    write_atomically(tmp_path / "model", b"new")
    assert len(taken) == 1
    assert (tmp_path / "model").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["model"]


def test_what_a_forked_child_has_not_flushed_never_gets_into_the_file(tmp_path):
    with renamed_into_place(tmp_path / "model") as file:
        file.write(b"begin ")
        child = os.fork()
        if child == 0:
            try:
                file.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        file.write(b"end")
    assert (tmp_path / "model").read_bytes() == b"begin end"


@pytest.mark.parametrize("error", [None, KeyError()])
def test_a_child_that_leaves_the_writing_of_its_parent_neither_renames_nor_removes(error, tmp_path):
    parent, status = os.getpid(), None
    try:
        with renamed_into_place(tmp_path / "model") as file:
            file.write(b"half")
            child = os.fork()
            if child:
                status = os.waitpid(child, 0)[1]
                assert len(os.listdir(tmp_path)) == len(parts(tmp_path)) == 1
            elif error is not None:
                raise error
        code = 0
    except KeyError:
        code = 0
    except BaseException:
        code = 1
        if os.getpid() == parent:
            raise
    finally:
        if os.getpid() != parent:
            os._exit(code)
    assert status == 0
    assert (tmp_path / "model").read_bytes() == b"half"


def test_trying_leaves_nothing(tmp_path):
    try_to_write(tmp_path / "model")
    assert os.listdir(tmp_path) == []
    with pytest.raises(OSError, match="No such file"):
        try_to_write(tmp_path / "none" / "model")


def test_where_files_cannot_be_locked_nothing_is_removed(tmp_path, monkeypatch):
    part = tmp_path / ".model.0123456789.part"
    part.write_bytes(b"of another machine, perhaps")
    with monkeypatch.context() as patched:
        patched.setattr(atomic_write, "try_lock", lambda fd: None)
        write_atomically(tmp_path / "model", b"new")
        assert part.exists()
    write_atomically(tmp_path / "model", b"new")
    assert not part.exists()


def test_the_parts_of_several_killed_writers_are_gone_after_the_next_write(tmp_path):
    target = tmp_path / "model"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITE, str(target), "alone"], stdout=subprocess.PIPE) for _ in range(3)
    ]
    for writer in writers:
        writer.stdout.readline()
    assert len(parts(tmp_path)) == 3
    for writer in writers:
        writer.kill()
        writer.wait()
        writer.stdout.close()
    write_atomically(target, b"new")
    assert parts(tmp_path) == []
