"""MNIST as it is, refused when it is not, and digits picked from it."""

import gzip
import shutil

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from redunet.data.images import mnist, pick_digits


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
