"""Saving and loading, for users."""

import os
from pathlib import Path
from typing import Any


def load(path: str | os.PathLike[str]) -> Any:
    """A fitted estimator from a model file, whoever sent it: loading runs no code that the file could bring along.

    Opening is quick whatever the size of the file: layers are read one at a time when samples pass them, and every
    part is checked when it is read.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    The estimator that was saved.

    Raises
    ------
    ModelFileError
        Where the file is truncated, altered, of an unknown format, or of parts that do not fit together.
    """
    from .model_file import load_model

    return load_model(Path(path))


class Saving:
    """What estimators have to be kept in a file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a model file, which :func:`redunet.load` reads.

        One file, without pickle: arrays in the safetensors format, everything else as JSON, a checksum for each part.
        It is written beside its place and renamed, so that a crash leaves what was there before.

        Parameters
        ----------
        path : str or path
            Such as "model.redunet".
        """
        from .model_file import save_model

        save_model(self, Path(path))
