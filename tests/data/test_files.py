"""Readers of public file formats: correct files are read, broken ones are refused with the reason."""

import gzip

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from redunet.data.formats import read_idx, read_mnist, read_ts


def idx(array):
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes() + array.tobytes()


def test_idx_round_trip(tmp_path):
    images = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    (tmp_path / "a").write_bytes(idx(images))
    assert_array_equal(read_idx(tmp_path / "a"), images)
    for part, array in (("images-idx3", images), ("labels-idx1", np.array([7, 1], dtype=np.uint8))):
        (tmp_path / f"t10k-{part}-ubyte.gz").write_bytes(gzip.compress(idx(array)))
    X, y = read_mnist(tmp_path, "t10k")
    assert_array_equal(X, images)
    assert y.tolist() == [7, 1]


def test_broken_idx(tmp_path):
    images = idx(np.zeros((2, 4, 3), dtype=np.uint8))
    for content, message in ((images[:-1], "should hold 24 bytes .* holds 23"), (b"hello", "not an idx file")):
        (tmp_path / "a").write_bytes(content)
        with pytest.raises(ValueError, match=message):
            read_idx(tmp_path / "a")


def test_ts(tmp_path):
    file = tmp_path / "a.ts"
    file.write_text("#about\n@data\n1,2,3:up\n\n3,2,1:down\n")
    X, y = read_ts(file)
    assert_array_equal(X, [[1, 2, 3], [3, 2, 1]])
    assert y.tolist() == ["up", "down"]
    for content, message in (
        ("1,x,3:up", "line 1: expected numbers, a colon and a label"),
        ("1,2:up\n1,2,3:up", "line 2: 3 values, but the first signal has 2"),
        ("@data\n", "holds no signals"),
    ):
        file.write_text(content)
        with pytest.raises(ValueError, match=message):
            read_ts(file)
