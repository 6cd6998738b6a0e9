"""Readers of the file formats that public data sets come in."""

import gzip
from pathlib import Path

import numpy as np

from ..numerics.arrays import Array


def read_idx(path: str | Path) -> Array:
    """Array of bytes in an idx file (MNIST), gzipped or not; refuses a file that is cut short or of another kind."""
    path = Path(path)
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise ValueError(f"{path} is not an idx file of unsigned bytes.")
    n_axes = content[3]
    shape = tuple(np.frombuffer(content, dtype=">u4", count=n_axes, offset=4).tolist()) if n_axes else ()
    start = 4 + 4 * n_axes
    if len(content) - start != int(np.prod(shape)):
        raise ValueError(
            f"{path} should hold {int(np.prod(shape))} bytes for shape {shape} but holds {len(content) - start}."
        )
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)


def read_ts(path: str | Path) -> tuple[Array, Array]:
    """Signals and labels in a ``.ts`` file of the UCR archive: one channel, equal lengths.

    Returns
    -------
    X : float array, shape (n_samples, length)
    y : array of str, shape (n_samples,)
    """
    path = Path(path)
    signals, labels = [], []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if not line.strip() or line[0] in "#@":
            continue
        values, _, label = line.rpartition(":")
        try:
            signals.append([float(value) for value in values.split(",")])
        except ValueError:
            raise ValueError(
                f"{path}, line {number}: expected numbers, a colon and a label; read {line[:40]!r}."
            ) from None
        if len(signals[-1]) != len(signals[0]):
            raise ValueError(
                f"{path}, line {number}: {len(signals[-1])} values, but the first signal has {len(signals[0])}; "
                f"signals must have equal lengths."
            )
        labels.append(label.strip())
    if not signals:
        raise ValueError(f"{path} holds no signals.")
    return np.array(signals), np.array(labels)


def read_mnist(folder: str | Path, part: str) -> tuple[Array, Array]:
    """Images (n, 28, 28) of bytes and digits (n,) of MNIST; part is "train" or "t10k"."""
    folder = Path(folder)
    images, digits = (read_idx(folder / f"{part}-{kind}-ubyte.gz") for kind in ("images-idx3", "labels-idx1"))
    return images, digits.astype(np.int64)
