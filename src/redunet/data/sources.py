"""The public data sets that can be downloaded: files, checksums, and how OpenML's arrays become the files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from .formats import idx_content, mice_content


@dataclass(frozen=True)
class Source:
    """A public data set.

    Parameters
    ----------
    title : str
        What to call it in a message.
    folder : str
        Name of its folder below a data folder.
    sha256 : mapping of str to str
        SHA-256 of each file; of its unpacked content where the name ends in .gz.
    openml_name, openml_version : str, int
    openml_targets : sequence of str
        Columns of OpenML that are not features.
    convert : function of (data, targets, feature_names)
        Content of every file, unpacked, by name; raises ValueError where the arrays are not what they should be.
    system_folder : str, optional
        Where a package of an operating system installs the files.
    """

    title: str
    folder: str
    sha256: Mapping[str, str]
    openml_name: str
    openml_version: int
    openml_targets: Sequence[str]
    convert: Callable[[Array, Array, Sequence[str]], dict[str, bytes]]
    system_folder: str | None = None


# Number of images in each part, in the order in which OpenML has them.
MNIST_PARTS = {"train": 60_000, "t10k": 10_000}


def mnist_files(data: Array, targets: Array, feature_names: Sequence[str]) -> dict[str, bytes]:
    """The four idx files from rows of pixels (n, 784) and labels (n,); the training part comes first."""
    n_images = sum(MNIST_PARTS.values())
    if data.shape != (n_images, 784) or targets.size != n_images:
        raise ValueError(f"pixels have shape {data.shape} and digits {targets.shape}, expected {n_images} × 784")
    if not (((data >= 0) & (data <= 255)).all() and np.array_equal(data.astype(np.uint8), data)):
        raise ValueError("pixels are not whole numbers between 0 and 255")
    pixels, digits = data.astype(np.uint8), targets.reshape(-1).astype(np.uint8)
    contents, start = {}, 0
    for part, size in MNIST_PARTS.items():
        rows = slice(start, start + size)
        contents[f"{part}-images-idx3-ubyte.gz"] = idx_content(pixels[rows].reshape(size, 28, 28))
        contents[f"{part}-labels-idx1-ubyte.gz"] = idx_content(digits[rows])
        start += size
    return contents


def mice_files(data: Array, targets: Array, feature_names: Sequence[str]) -> dict[str, bytes]:
    """The CSV file from expression levels (1080, 77), and class and MouseID of each row (1080, 2)."""
    if data.shape != (1080, 77) or targets.shape != (1080, 2):
        raise ValueError(f"levels have shape {data.shape} and targets {targets.shape}, expected (1080, 77), (1080, 2)")
    kinds, row_id = targets.T
    return {"Data_Cortex_Nuclear.csv": mice_content(data.astype(np.float64), kinds, row_id, feature_names)}


MNIST = Source(
    title="MNIST",
    folder="mnist",
    sha256={
        "train-images-idx3-ubyte.gz": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        "train-labels-idx1-ubyte.gz": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        "t10k-images-idx3-ubyte.gz": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        "t10k-labels-idx1-ubyte.gz": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    },
    openml_name="mnist_784",
    openml_version=1,
    openml_targets=("class",),
    convert=mnist_files,
)

# The same format and the same numbers of images as MNIST; the Debian package is dataset-fashion-mnist.
FASHION_MNIST = Source(
    title="Fashion-MNIST",
    folder="fashion-mnist",
    sha256={
        "train-images-idx3-ubyte.gz": "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        "train-labels-idx1-ubyte.gz": "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
        "t10k-images-idx3-ubyte.gz": "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
        "t10k-labels-idx1-ubyte.gz": "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
    },
    openml_name="Fashion-MNIST",
    openml_version=1,
    openml_targets=("class",),
    convert=mnist_files,
    system_folder="/usr/share/datasets/fashion-mnist",
)

MICE = Source(
    title="Mice Protein Expression",
    folder="mice",
    sha256={"Data_Cortex_Nuclear.csv": "1b2add8a3723390ce37782abe305d764378725803a37c8f34d228ac22e43c604"},
    openml_name="miceprotein",
    openml_version=4,
    openml_targets=("class", "MouseID"),
    convert=mice_files,
)
