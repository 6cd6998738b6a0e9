"""Readers of the file formats of public data sets, and writers of those that are stored after a download."""

import csv
import gzip
import math
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..numerics.arrays import Array

# Columns of the mice file after the proteins, and the meaning of the letters of a class such as "t-CS-m".
MICE_SIDE_COLUMNS = ("Genotype", "Treatment", "Behavior", "class", "label")
GENOTYPES = {"c": "Control", "t": "Ts65Dn"}
TREATMENTS = {"m": "Memantine", "s": "Saline"}
BEHAVIORS = {"CS": "C/S", "SC": "S/C"}


def unpack(path: str | Path) -> bytes:
    """Content of a file, unpacked where its name ends in .gz; refuses a packed file that is cut short or damaged."""
    path = Path(path)
    content = path.read_bytes()
    if path.suffix != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except EOFError:
        raise ValueError(f"{path} is cut short: the gzip stream has no end.") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a gzip file or is damaged: {error}.") from None


def read_idx(path: str | Path) -> Array:
    """Array of bytes in an idx file (MNIST), gzipped or not; refuses a file that is cut short or of another kind."""
    content = unpack(path)
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise ValueError(f"{path} is not an idx file of unsigned bytes.")
    n_axes = content[3]
    start = 4 + 4 * n_axes
    if len(content) < start:
        raise ValueError(f"{path} is cut short: {n_axes} axes need a header of {start} bytes, it holds {len(content)}.")
    shape = tuple(np.frombuffer(content, dtype=">u4", count=n_axes, offset=4).tolist())
    n_bytes = math.prod(shape)
    if len(content) - start != n_bytes:
        raise ValueError(f"{path} should hold {n_bytes} bytes for shape {shape} but holds {len(content) - start}.")
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)


def idx_content(array: Array) -> bytes:
    """Content of the idx file of an array of bytes, which ``read_idx`` reads back."""
    if array.dtype != np.uint8:
        raise TypeError(f"an idx file of bytes holds uint8, got {array.dtype}.")
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes() + array.tobytes()


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


def read_mice(path: str | Path) -> tuple[Array, Array, Array, list[str]]:
    """Mice Protein Expression as one CSV file: MouseID, the proteins, then genotype to class.

    Returns
    -------
    X : float array, shape (n_rows, n_proteins)
        Expression levels; NaN where one is missing.
    y : array of str, shape (n_rows,)
        Classes such as "t-CS-m".
    row_id : array of str, shape (n_rows,)
        Mouse, underscore, number of the measurement.
    proteins : list of str, length n_proteins
    """
    path = Path(path)
    try:
        lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is not a CSV text file: {error}.") from None
    header = lines[0] if lines else []
    if header[:1] != ["MouseID"] or "Genotype" not in header or "class" not in header:
        raise ValueError(
            f"{path}: the first line should name the columns MouseID … Genotype … class, got {header[:3]}."
        )
    end, label = header.index("Genotype"), header.index("class")
    X = np.empty((len(lines) - 1, end - 1))
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(header):
            raise ValueError(f"{path}, line {number}: {len(line)} values, but {len(header)} columns; is it cut short?")
        try:
            X[number - 2] = [float(value) if value else np.nan for value in line[1:end]]
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}.") from None
    y, row_id = (np.array([line[column] for line in lines[1:]], dtype=str) for column in (label, 0))
    return X, y, row_id, header[1:end]


def mice_content(X: Array, y: Array, row_id: Array, proteins: Sequence[str]) -> bytes:
    """Content of the CSV file of mice, which ``read_mice`` reads back; the same bytes as the published file."""
    lines = [",".join(["MouseID", *proteins, *MICE_SIDE_COLUMNS])]
    for values, kind, name in zip(X, y, row_id, strict=True):
        try:
            genotype, behavior, treatment = str(kind).split("-")
            side = [GENOTYPES[genotype], TREATMENTS[treatment], BEHAVIORS[behavior], kind, str(int(treatment == "m"))]
        except (KeyError, ValueError):
            raise ValueError(f"row {name}: a class should look like 't-CS-m', got {kind!r}.") from None
        # The file has at most ten digits; a parser may be off in the seventeenth.
        lines.append(",".join([name, *("" if np.isnan(value) else f"{value:.12g}" for value in values), *side]))
    return ("\n".join(lines) + "\n").encode()
