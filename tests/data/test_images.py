"""MNIST as it is, refused when it is not, and digits picked from it."""

import gzip
import hashlib
import shutil
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from redunet.data import images as images_module
from redunet.data.formats import idx_content
from redunet.data.images import fashion_mnist, mnist, pick_digits
from redunet.data.sources import FASHION_MNIST
from redunet.data.store import DataNotFound


def test_mnist_has_the_known_images_in_the_known_order(real_folder):
    images, digits = mnist("test", real_folder, download=False)
    assert images.shape == (10_000, 28, 28)
    assert images.dtype == np.uint8
    assert digits[:5].tolist() == [7, 2, 1, 0, 4]
    assert np.bincount(digits).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert mnist("train", real_folder, download=False)[1][:5].tolist() == [5, 0, 4, 1, 9]


def test_a_file_that_is_not_mnist_is_refused_and_named(real_folder, tmp_path):
    for path in (real_folder / "mnist").glob("t10k-*"):
        (tmp_path / "mnist").mkdir(exist_ok=True)
        shutil.copyfile(path, tmp_path / "mnist" / path.name)
    mnist("test", tmp_path, download=False)
    path = tmp_path / "mnist" / "t10k-labels-idx1-ubyte.gz"
    content = bytearray(gzip.decompress(path.read_bytes()))
    content[100] ^= 1
    path.write_bytes(gzip.compress(content))
    with pytest.raises(ValueError, match=r"t10k-labels-idx1-ubyte.gz is damaged or not from MNIST: the SHA-256"):
        mnist("test", tmp_path, download=False)


def test_the_name_of_a_part(bare_machine):
    with pytest.raises(ValueError, match=r"part must be one of 'train', 'test', got 'tset'\. Did you mean 'test'"):
        mnist("tset")


def test_picked_digits_are_distinct_images_of_their_labels():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, 200)
    images = np.arange(200)[:, None, None] * np.ones((1, 2, 2), dtype=int)
    picked, of = pick_digits(images, labels, [3, 1], 20, random_state=0)
    assert picked.shape == (40, 2, 2)
    assert_array_equal(of, np.repeat([3, 1], 20))
    rows = picked[:, 0, 0]
    assert_array_equal(labels[rows], of)
    assert len(set(rows)) == 40
    assert_array_equal(pick_digits(images, labels, [3, 1], 20, 0)[0], picked)
    assert not np.array_equal(pick_digits(images, labels, [3, 1], 20, 1)[0], picked)


@pytest.mark.parametrize(
    ("digits", "n", "message"),
    [
        ([0, 7], 2, "n=2 images of 7 were asked for, but there are 0"),
        ([0], 4, "n=4 images of 0 were asked for, but there are 3"),
        ([0, 0], 1, "digits must name each digit once"),
        ([], 1, "digits must name each digit once, and at least one"),
        ([0], 0, "n must be >= 1"),
    ],
)
def test_mistakes_are_told(digits, n, message):
    with pytest.raises(ValueError, match=message):
        pick_digits(np.zeros((6, 2, 2)), np.array([0, 0, 0, 1, 1, 1]), digits, n)


@pytest.fixture
def small_fashion(tmp_path, monkeypatch):
    """Four small files in the format of Fashion-MNIST, with their own checksums, where a system has its package."""
    rng, folder = np.random.default_rng(0), tmp_path / "package"
    folder.mkdir()
    arrays = {}
    for prefix, n in (("train", 6), ("t10k", 4)):
        arrays[f"{prefix}-images-idx3-ubyte.gz"] = rng.integers(0, 256, (n, 3, 3)).astype(np.uint8)
        arrays[f"{prefix}-labels-idx1-ubyte.gz"] = rng.integers(0, 10, n).astype(np.uint8)
    contents = {name: idx_content(array) for name, array in arrays.items()}
    for name, content in contents.items():
        (folder / name).write_bytes(gzip.compress(content))
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    small = replace(FASHION_MNIST, sha256=sums, system_folder=str(folder))
    monkeypatch.setattr(images_module, "FASHION_MNIST", small)
    return folder, arrays


def test_clothes_are_read_from_the_folder_of_the_systems_package(bare_machine, small_fashion):
    _, arrays = small_fashion
    images, kinds = fashion_mnist("test", download=False)
    assert_array_equal(images, arrays["t10k-images-idx3-ubyte.gz"])
    assert_array_equal(kinds, arrays["t10k-labels-idx1-ubyte.gz"])
    assert_array_equal(fashion_mnist("train", download=False)[0], arrays["train-images-idx3-ubyte.gz"])


def test_a_folder_that_was_named_comes_before_the_systems_package(bare_machine, small_fashion, tmp_path):
    folder, _ = small_fashion
    shutil.copytree(folder, tmp_path / "fashion-mnist")
    path = tmp_path / "fashion-mnist" / "t10k-labels-idx1-ubyte.gz"
    content = bytearray(gzip.decompress(path.read_bytes()))
    content[-1] ^= 1
    path.write_bytes(gzip.compress(content))
    with pytest.raises(ValueError, match=r"t10k-labels-idx1-ubyte\.gz is damaged or not from Fashion-MNIST"):
        fashion_mnist("test", tmp_path, download=False)


def test_clothes_that_are_nowhere_are_sought_in_all_places(bare_machine, small_fashion):
    folder, _ = small_fashion
    (folder / "t10k-images-idx3-ubyte.gz").unlink()
    with pytest.raises(DataNotFound, match=r"Fashion-MNIST is not at hand: .*package of the system"):
        fashion_mnist("test", download=False)


def test_fashion_mnist_has_the_known_images_where_it_is_at_hand():
    try:
        _, kinds = fashion_mnist("test", download=False)
    except DataNotFound:
        pytest.skip("Fashion-MNIST is not at hand")
    assert kinds[:5].tolist() == [9, 2, 1, 1, 6]
    assert np.bincount(kinds).tolist() == [1000] * 10
