"""How kernels are compiled, and where they are stored: a cache on disk that can be missing, full or damaged."""

import contextlib
import hashlib
import os
import pickle
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock

# Sums may be reordered and multiplications fused, for speed; NaN and infinity keep their meaning.
FLAGS = ("contract", "reassoc", "nsz")
# Files beside this folder that kernels import constants from.
IMPORTED_FILES = ("image_lanes.py", "sample_lanes.py")
_said: set[str] = set()


def compiled(function: Any) -> Any:
    """A function compiled when it is first called, for each type of its arguments."""
    return _compiled(function, set(FLAGS))


def compiled_exactly(function: Any) -> Any:
    """A function compiled when it is first called that rounds as it is written: no sum reordered, no product fused."""
    return _compiled(function, False)


def _compiled(function: Any, fastmath: set[str] | bool) -> Any:
    kernel = numba.njit(nogil=True, error_model="numpy", fastmath=fastmath)(function)
    cache = _cache_of(function)
    if cache is not None:
        kernel._cache = cache
    return kernel


class CheckedFiles(IndexDataCacheFile):
    """numba's files with a checksum behind each: machine code that was damaged must not be executed."""

    def _dump(self, obj: Any) -> bytes:
        content = super()._dump(obj)
        return content + hashlib.sha256(content).digest()  # what follows a pickle is not read by it

    def _load_index(self) -> Any:
        with contextlib.suppress(FileNotFoundError), open(self._index_path, "rb") as file:
            if pickle.load(file) == self._version:
                _refuse_damaged(file.read())
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _refuse_damaged(Path(self._data_path(name)).read_bytes())
        return super()._load_data(name)


def _refuse_damaged(content: bytes) -> None:
    if hashlib.sha256(content[:-32]).digest() != content[-32:]:
        raise ValueError("a file of the cache is damaged, or of another version.")


class KernelCache(FunctionCache):
    """numba's cache, from which what cannot be read is compiled again, and into which not everything must fit."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file.__class__ = CheckedFiles
        self._cache_file._source_stamp = (self._cache_file._source_stamp, _digest_of_sources())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code for a signature; None where there is none that can be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # cut short, or not what numba wrote: unpickling such a file can raise anything
            self._remove()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code; the next process compiles it again where that is not possible."""
        try:
            super().save_overload(sig, data)
        except Exception as error:
            if not isinstance(error, OSError):  # an index that cannot be read
                self._remove()
            _say_once(f"redunet: compiled kernels cannot be kept in {self.cache_path}: {error}; each process compiles.")

    def _remove(self) -> None:
        """Remove the index of this function, so that the next process finds none instead of a damaged one."""
        with contextlib.suppress(OSError):
            os.unlink(self._cache_file._index_path)


@cache
def _digest_of_sources() -> str:
    """Of the code of all kernels: numba looks at the file of a function alone, not at those of what it calls."""
    folder, digest = Path(__file__).parent, hashlib.sha256()
    for file in (*sorted(folder.glob("*.py")), *(folder.parent / name for name in IMPORTED_FILES)):
        digest.update(file.read_bytes() if file.exists() else b"")
    return digest.hexdigest()


def _cache_of(function: Any) -> KernelCache | None:
    """A cache for a function: where numba would have it, else in a private folder, else none."""
    try:
        return KernelCache(function)
    except RuntimeError:  # numba found no folder that can be written
        pass
    folder = _private_folder()
    if folder is None:
        _say_once(
            "redunet: there is no folder to keep compiled kernels in, so each process compiles them again; set "
            "NUMBA_CACHE_DIR to a folder that you can write to."
        )
        return None
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        cache = KernelCache(function)
    except RuntimeError:
        return None
    finally:
        numba.config.CACHE_DIR = before
    _say_once(
        f"redunet: compiled kernels are kept in {folder}, for neither the folder of the package nor that of the user "
        f"can be written; set NUMBA_CACHE_DIR to a folder of your choice."
    )
    return cache


def _private_folder() -> Path | None:
    """A folder for temporary files that this user alone can write to, since what is in it is executed; None if none."""
    if not hasattr(os, "getuid"):
        return None
    user = os.getuid()
    folder = Path(tempfile.gettempdir()) / f"redunet-kernels-{user}"
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = os.lstat(folder)
    except OSError:
        return None
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == user and stat.S_IMODE(found.st_mode) == 0o700
    return folder if ours else None


def _say_once(text: str) -> None:
    if text not in _said:
        _said.add(text)
        sys.stderr.write(text + "\n")


if hasattr(os, "register_at_fork"):
    # A child forked while another thread compiles would have half of the compiler's work, and wait for its lock.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )
