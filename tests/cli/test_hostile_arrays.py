"""NPY and NPZ files that were altered, cut or made to harm: reported in the file's own terms, read in little memory."""

import io
import struct
import tracemalloc
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from redunet.cli.command_errors import DataError
from redunet.cli.files.stored_array import StoredArray

from .conftest import call, refused


def npy(header, content=b"", version=(1, 0)):
    """An NPY file with any header."""
    header = header.encode("latin-1" if version < (3, 0) else "utf-8")
    length = struct.pack("<H" if version == (1, 0) else "<I", len(header))
    return b"\x93NUMPY" + bytes(version) + length + header + content


def header_of(shape, descr="'<f8'", order="False"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def content_of(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "x.npy is damaged or not an NPY file: it does not begin as NPY files do; write it with numpy.save."),
        (npy(header_of("(-4, 4)"), bytes(128)), "is damaged or not an NPY file: its shape is (-4, 4); write it"),
        (npy(header_of("(-4, -4)"), bytes(128)), "its shape is (-4, -4)"),
        (npy(header_of("(4, 4"), bytes(128)), "x.npy is damaged or not an NPY file: "),
        (npy(header_of("4, 4)"), bytes(128)), "x.npy is damaged or not an NPY file: "),
        (npy(header_of("(4, '4')"), bytes(128)), "x.npy is damaged or not an NPY file: "),
        (npy(header_of("(4, 4.0)"), bytes(128)), "x.npy is damaged or not an NPY file: "),
        (npy("{[]: 1}"), "x.npy is damaged or not an NPY file: "),
        (npy("(" * 5000), "x.npy is damaged or not an NPY file: "),
        (npy("-" * 9000 + "1"), "x.npy is damaged or not an NPY file: "),
        (npy("'''"), "x.npy is damaged or not an NPY file: "),
        (npy("\0"), "x.npy is damaged or not an NPY file: "),
        (npy(header_of("(4, 4)", "'<q99999999999999999999'")), "x.npy is damaged or not an NPY file: "),
        (npy(header_of("(4, 4)"), bytes(128), (9, 1)), "its format is 9.1, and formats 1.0, 2.0"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "its header would have 4,294,967,295 bytes"),
        (npy(header_of("(4, 4)"), bytes(127)), "x.npy is cut short: its header promises shape (4, 4); get the whole"),
        (npy(header_of("(99999999999999, 4)"), bytes(128)), "is cut short: its header promises shape (99999999999999,"),
        (npy(header_of("(4, 99999999999999)", order="True")), "is cut short: its header promises shape (4, 9999999"),
        (npy(header_of("(4, 4)", "'|O'"), bytes(128)), "holds Python objects, which are not read"),
        (npy(header_of("(4, 4)", "[('a', '<f8')]"), bytes(128)), "holds records of several fields, which are not"),
        (npy(header_of("(4, 4)", "[('ä', '<f8')]"), bytes(128), (3, 0)), "holds records of several fields"),
        (npy(header_of("(4, 4)", "('<f8', (2,))"), bytes(256)), "holds records of several fields"),
        (npy(header_of("(4, 4)", "'|V8'"), bytes(128)), "x.npy holds |V8, not numbers"),
        (npy(header_of("(4, 4)", "'<U0'")), "x.npy holds <U0, not numbers"),
    ],
)  # fmt: skip
def test_an_npy_file_that_is_not_what_it_says_is_told(here, tmp_path, content, message):
    (tmp_path / "x.npy").write_bytes(content)
    refused(1, message, "predict", here.nameless, tmp_path / "x.npy")
    # the same inside of an NPZ file
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("X.npy", content)
    refused(1, message.replace("x.npy", "array 'X'"), "predict", here.nameless, tmp_path / "x.npz")


def test_every_version_of_the_npy_format_is_read(here, tmp_path):
    expected = None
    for version in ((1, 0), (2, 0), (3, 0)):
        (tmp_path / "x.npy").write_bytes(npy(header_of("(60, 4)"), here.X.tobytes(), version))
        done = call("predict", here.nameless, tmp_path / "x.npy")
        assert done.exit_code == 0, done.output
        expected = expected or done.stdout
        assert done.stdout == expected
        np.testing.assert_array_equal(np.concatenate(list(StoredArray(tmp_path / "x.npy").parts(7))), here.X)


@pytest.mark.parametrize("descr", ["'<U0'", "'<U999999'", "'|S4000000'"])
def test_labels_are_short_names(here, tmp_path, descr):
    np.save(tmp_path / "x.npy", here.X[:4])
    itemsize = np.dtype(descr.strip("'")).itemsize
    (tmp_path / "y.npy").write_bytes(npy(header_of("(4,)", descr), bytes(4 * itemsize)))
    message = f"y.npy holds labels of {itemsize:,} bytes each; labels are short names"
    words = ["--labels", tmp_path / "y.npy", "-o", tmp_path / "m.redunet"]
    refused(1, message, "fit", tmp_path / "x.npy", *words)


def packed_with(path, method, array):
    with zipfile.ZipFile(path, "w", method) as packed:
        packed.writestr("X.npy", content_of(array))


def altered(path, local, central, change):
    """Change the 2 or 4 bytes at a place of the local and of the central header of the first member."""
    content = bytearray(path.read_bytes())
    start = content.index(b"PK\x01\x02")
    for at in (local, start + central):
        content[at : at + len(change)] = change
    path.write_bytes(content)


def test_unusual_packings_of_npz_files_are_told(here, tmp_path):
    path = tmp_path / "x.npz"
    words = ["predict", here.nameless, path]
    for method, name in ((zipfile.ZIP_LZMA, "LZMA"), (zipfile.ZIP_BZIP2, "BZIP2")):
        packed_with(path, method, here.X)
        refused(
            1, f"x.npz, array 'X' is packed with {name}, which is not read; write the file with numpy.savez", *words
        )
        content = bytearray(path.read_bytes())
        content[150:180] = bytes(30)
        path.write_bytes(content)
        refused(1, f"x.npz, array 'X' is packed with {name}", *words)
    packed_with(path, zipfile.ZIP_DEFLATED, here.X)
    altered(path, 8, 10, struct.pack("<H", 97))
    refused(1, "x.npz, array 'X' is packed with another method, which is not read", *words)
    packed_with(path, zipfile.ZIP_DEFLATED, here.X)
    altered(path, 6, 8, struct.pack("<H", 1))
    refused(1, "x.npz, array 'X' is encrypted; write the file with numpy.savez, without a password.", *words)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_member_that_promises_more_than_the_file_can_hold_is_refused_before_it_is_read(here, tmp_path, method):
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w", method) as packed:
        packed.writestr("X.npy", npy(header_of("(100000000, 4)"), bytes(128)))
    altered(path, 22, 24, struct.pack("<I", 3_200_000_128))
    message = "x.npz, array 'X' is damaged: it promises 3,200,000,128 bytes, more than the file can hold"
    refused(1, message, "predict", here.nameless, path)


def test_a_header_that_unpacks_to_gigabytes_is_not_unpacked(here, tmp_path):
    n_bytes = 64_000_000
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("X.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", n_bytes) + bytes(n_bytes))
    tracemalloc.start()
    try:
        refused(1, "its header would have 64,000,000 bytes", "predict", here.nameless, tmp_path / "x.npz")
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()


def test_npz_files_with_any_byte_changed_are_read_or_told(here, tmp_path):
    """Where the change does not matter they are read; no other error than ours gets out."""
    path = tmp_path / "x.npz"
    packed_with(path, zipfile.ZIP_DEFLATED, here.X[:2])
    content = path.read_bytes()
    for at in range(len(content)):
        for value in (0, 255, content[at] ^ 1):
            path.write_bytes(content[:at] + bytes([value]) + content[at + 1 :])
            with suppress(DataError):
                list(StoredArray(path, "X").parts(3))


def test_a_file_that_shrinks_between_two_looks_is_told(here, tmp_path):
    np.save(tmp_path / "x.npy", here.X)
    array = StoredArray(tmp_path / "x.npy")
    np.save(tmp_path / "x.npy", here.X[:5])
    with pytest.raises(DataError, match=r"x\.npy was changed while it was read; start again when it is complete\."):
        list(array.parts(3))
