"""The cache of compiled kernels may be missing, full or damaged: a fit goes on without."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import redunet
from redunet.fast.kernels import compilation

FIT = """
import numpy as np, redunet
X = np.random.default_rng(0).standard_normal((12, 3)); y = np.arange(12) % 2
redunet.ReduNet(n_layers=1, tol=None).fit(X, y).transform(X)
"""
ONE_KERNEL = """
import numpy as np
from redunet.fast import kernels
M = np.array([[1.0, 0.0], [2.0, 3.0]])
kernels.mirror_upper(M, 1.0, M)
assert M.tolist() == [[1.0, 2.0], [2.0, 3.0]], M
print(sum(kernels.mirror_upper.stats.cache_misses.values()))
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package without any cache."""
    source = Path(redunet.__file__).parent
    copy = tmp_path / "package" / "redunet"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture
def closed(package, tmp_path):
    """Environment in which neither the package nor the home can be written (by root neither: they are files)."""
    (package / "fast" / "kernels" / "__pycache__").write_text("")
    (tmp_path / "home").write_text("")
    (tmp_path / "tmp").mkdir()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "XDG"))}
    return environment | {
        "PYTHONPATH": str(package.parent),
        "HOME": str(tmp_path / "home"),
        "XDG_CACHE_HOME": str(tmp_path / "home" / "cache"),
        "TMPDIR": str(tmp_path / "tmp"),
    }


def run(code, environment, cwd):
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def test_where_nothing_can_be_written_kernels_are_kept_in_a_private_folder(closed, tmp_path):
    done = run(FIT, closed, tmp_path)
    [folder] = (tmp_path / "tmp").glob("redunet-kernels-*")
    assert done.stderr.count(f"compiled kernels are kept in {folder}, for neither") == 1
    assert "set NUMBA_CACHE_DIR to a folder of your choice" in done.stderr
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.rglob("*.nbc"))
    run(ONE_KERNEL, closed, tmp_path)
    assert run(ONE_KERNEL, closed, tmp_path).stdout == "0\n"  # found there


@pytest.mark.parametrize("kind", ["open to others", "a link", "a file"])
def test_a_folder_that_is_not_private_is_not_used(kind, closed, tmp_path):
    folder = tmp_path / "tmp" / f"redunet-kernels-{os.getuid()}"
    if kind == "open to others":
        folder.mkdir()
        folder.chmod(0o777)
    elif kind == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.write_text("")
    done = run(ONE_KERNEL, closed, tmp_path)
    assert done.stderr.count("there is no folder to keep compiled kernels in") == 1
    assert done.stdout == "1\n"
    assert not list(tmp_path.rglob("*.nbc"))


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", ["empty", "cut", "garbage", "one byte"])
def test_a_damaged_cache_is_compiled_again_and_replaced(ending, damage, package, tmp_path):
    environment = os.environ | {"PYTHONPATH": str(package.parent), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run(ONE_KERNEL, environment, tmp_path).stdout == "1\n"
    assert run(ONE_KERNEL, environment, tmp_path).stdout == "0\n"
    [file] = (tmp_path / "cache").rglob(f"*mirror_upper*.{ending}")
    content = file.read_bytes()
    middle = len(content) // 2
    file.write_bytes(
        {
            "empty": b"",
            "cut": content[:middle],
            "garbage": b"\x80garbage" * 20,
            "one byte": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        }[damage]
    )
    assert run(ONE_KERNEL, environment, tmp_path).stdout == "1\n"
    assert run(ONE_KERNEL, environment, tmp_path).stdout == "0\n"


def test_a_full_disk_is_told_once_and_kernels_are_compiled_all_the_same(package, tmp_path):
    environment = os.environ | {"PYTHONPATH": str(package.parent), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    full = (
        "from numba.core import caching\n"
        "def full(*args): raise OSError(28, 'No space left on device')\n"
        "caching.IndexDataCacheFile._open_for_write = full\n"
    )
    done = run(full + ONE_KERNEL + "kernels.mirror_upper(M.astype('f'), 1.0, M)\n", environment, tmp_path)
    assert done.stdout == "1\n"
    assert done.stderr.count("cannot be kept in") == 1
    assert "No space left on device" in done.stderr


def test_kernels_are_compiled_again_when_the_code_that_they_call_changes(package, tmp_path):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA")}
    environment["PYTHONPATH"] = str(package.parent)
    assert run(ONE_KERNEL, environment, tmp_path).stdout == "1\n"
    assert run(ONE_KERNEL, environment, tmp_path).stdout == "0\n"
    with open(package / "fast" / "kernels" / "lane_instructions.py", "a") as file:
        file.write("# another version\n")
    assert run(ONE_KERNEL, environment, tmp_path).stdout == "1\n"


def test_all_files_that_kernels_import_are_known():
    folder = Path(compilation.__file__).parent
    found = {name for file in folder.glob("*.py") for name in re.findall(r"^from \.\.(\w+) ", file.read_text(), re.M)}
    assert {f"{name}.py" for name in found} == set(compilation.IMPORTED_FILES)
