"""Where the files of a public data set are: a folder that is named, the cache, or OpenML, for one download."""

import gzip
import hashlib
import importlib.util
import logging
import os
import sys
import tempfile
import warnings
import zlib
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path

import numpy as np

from ..storage.atomic_write import write_atomically
from .sources import Source

# Environment variable that names a folder with data sets.
DATA_VARIABLE = "REDUNET_DATA"
logger = logging.getLogger(__name__)


class DataNotFound(OSError):  # noqa: N818  # named after what happened
    """A data set is neither in a folder that was named, nor in the cache, and cannot be downloaded."""


def find_files(
    source: Source, names: Sequence[str], data_dir: str | Path | None = None, download: bool = True
) -> list[Path]:
    """Paths of files of a data set, the first place that has all of them; downloaded where none has.

    Places are ``data_dir``, the folder that the environment variable REDUNET_DATA names, and the cache, each with a
    folder per data set; then where a package of the operating system installs it, if there is one. The content is not
    checked here; callers do so with ``check_content``.

    Parameters
    ----------
    source : Source
    names : sequence of str
        File names.
    data_dir : path, optional
    download : bool, default=True
        Whether to download what no place has, into the cache.

    Returns
    -------
    paths : list of Path

    Raises
    ------
    DataNotFound
        Where no place has the files and they cannot be downloaded; says what to do.
    """
    if data_dir is not None and not Path(data_dir).expanduser().is_dir():
        raise DataNotFound(f"data_dir={str(data_dir)!r} is not a folder; pass one that has {source.folder}/ in it.")
    cache = cache_folder()
    places = {"data_dir": data_dir, DATA_VARIABLE: os.environ.get(DATA_VARIABLE), "the cache": cache}
    folders = {why: Path(place).expanduser() / source.folder for why, place in places.items() if place}
    if source.system_folder is not None:
        folders["a package of the system"] = Path(source.system_folder)
    for folder in folders.values():
        paths = [folder / name for name in names]
        if all(path.is_file() for path in paths):
            logger.debug("%s is read from %s", source.title, folder)
            return paths
    problem, cause = "download=False", None
    if download:
        try:
            _download(source, cache / source.folder)
        except (OSError, HTTPException, ValueError, EOFError, zlib.error) as error:
            problem, cause = f"the download failed ({type(error).__name__}: {error})", error
        else:
            return [cache / source.folder / name for name in names]
    sought = "; ".join(f"{folder} ({why})" for why, folder in folders.items())
    raise DataNotFound(
        f"{source.title} is not at hand: {', '.join(names)} sought in {sought}; {problem}. Three ways to get it: "
        f"call again with a network and download=True, which keeps it in {cache}; pass data_dir=…, a folder that has "
        f"{source.folder}/ with the files; or set the environment variable {DATA_VARIABLE} to such a folder."
    ) from cause


def cache_folder() -> Path:
    """Folder for downloads: redunet in $XDG_CACHE_HOME, or in the system's folder for caches; it may not exist."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(named):  # the standard says that relative paths are ignored
        return Path(named) / "redunet"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "redunet" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "redunet"
    return Path.home() / ".cache" / "redunet"


def check_content(source: Source, path: Path, content: bytes) -> None:
    """Refuse a file whose unpacked content has another checksum than the data set."""
    found, known = hashlib.sha256(content).hexdigest(), source.sha256[path.name]
    if found != known:
        raise ValueError(
            f"{path} is damaged or not from {source.title}: the SHA-256 of its content is {found}, should be {known}. "
            f"Remove it, and it is downloaded again, or put the original in its place."
        )


def _download(source: Source, folder: Path) -> None:
    """Fetch a data set from OpenML and write its files; files with another checksum are not written."""
    from sklearn.datasets import fetch_openml

    folder.mkdir(parents=True, exist_ok=True)  # if this fails, it fails before minutes of download
    logger.info("downloading %s from OpenML, once, into %s", source.title, folder)
    # OpenML's own files are deleted afterwards. pandas reads them faster, but may not be installed.
    parser = "pandas" if importlib.util.find_spec("pandas") else "liac-arff"
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on retries, and on the name of a mouse not being a feature
        bunch = fetch_openml(
            source.openml_name,
            version=source.openml_version,
            target_column=list(source.openml_targets),
            data_home=scratch,
            as_frame=False,
            parser=parser,
        )
    contents = source.convert(np.asarray(bunch.data), np.asarray(bunch.target), list(bunch.feature_names))
    for name, content in contents.items():
        found = hashlib.sha256(content).hexdigest()
        if found != source.sha256[name]:
            raise ValueError(f"OpenML has other data: SHA-256 of {name} is {found}, should be {source.sha256[name]}")
    for name, content in contents.items():
        write_atomically(folder / name, gzip.compress(content, 6, mtime=0) if name.endswith(".gz") else content)
    logger.info("%s is in %s", source.title, folder)
