"""The header of a file of arrays: where each array lies, and the text; nothing of it is believed before it is checked.

The layout is that of safetensors: eight bytes that say how long the header is, the header as JSON, then the arrays
without gaps. The header is read from the file that is open, and not through the library, which opens a file by its
name: by then another file may have that name.
"""

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

from ..inputs.byte_sizes import readable_bytes
from .model_file_error import ModelFileError

# What the header calls our part of it.
MAGIC = "redunet"
# Types of numbers as NumPy and as safetensors call them, and what complex ones are pairs of.
KINDS = {"float32": "F32", "float64": "F64", "int64": "I64", "int32": "I32", "uint8": "U8", "bool": "BOOL"}
BYTES_PER_NUMBER = {"F32": 4, "F64": 8, "I64": 8, "I32": 4, "U8": 1, "BOOL": 1}
COMPLEX = {"complex64": "float32", "complex128": "float64"}
# The format's own limit of a header.
LONGEST_HEADER_BYTES = 100_000_000
# No array of a model has as many axes.
AXES_LIMIT = 32
# Memory that a model may take when it is opened, beside twice the size of its file.
SPARE_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Place:
    """Where an array lies and what it is made of.

    Parameters
    ----------
    kind : str
        Name of its type, such as "complex64".
    shape : tuple of int
    first, last : int
        Its bytes, counted from the end of the header.
    checksum : str
    """

    kind: str
    shape: tuple[int, ...]
    first: int
    last: int
    checksum: str


def checksum(content: bytes | memoryview) -> str:
    """Checksum of bytes: half of a SHA-256, enough to notice what changed by accident."""
    return hashlib.sha256(content).hexdigest()[:32]


def header_of(places: dict[str, Place], text: dict[str, Any]) -> bytes:
    """The header as it is written, a multiple of eight bytes long."""
    header: dict[str, Any] = {}
    for name, place in places.items():
        stored = COMPLEX.get(place.kind, place.kind)
        shape = [*place.shape, 2] if place.kind in COMPLEX else list(place.shape)
        header[name] = {"dtype": KINDS[stored], "shape": shape, "data_offsets": [place.first, place.last]}
    described = {name: [place.kind, place.checksum] for name, place in places.items()}
    content = json.dumps({"text": text, "arrays": described}, ensure_ascii=False, allow_nan=False)
    header["__metadata__"] = {MAGIC: content, "sha256": hashlib.sha256(content.encode()).hexdigest()}
    encoded = json.dumps(header, ensure_ascii=False).encode()
    return encoded + b" " * (-len(encoded) % 8)


def read_header(encoded: bytes, n_data: int) -> tuple[dict[str, Place], dict[str, Any]]:
    """Where each array lies, by name, and the text; every number is checked against the size of the file.

    Parameters
    ----------
    encoded : bytes
        The header.
    n_data : int
        Bytes that follow it.
    """
    header = _parsed(encoded, len(encoded) + n_data)
    metadata = header.pop("__metadata__", None)
    content = metadata.get(MAGIC) if isinstance(metadata, dict) else None
    if not isinstance(content, str):
        raise ModelFileError("it holds arrays, but no redunet model")
    try:
        plain = content.encode()
    except UnicodeEncodeError:
        raise ModelFileError("its text is not Unicode") from None
    if hashlib.sha256(plain).hexdigest() != metadata.get("sha256"):
        raise ModelFileError("it was altered: its header does not match its checksum")
    found = _parsed(plain, len(encoded) + n_data)
    text, described = found.get("text"), found.get("arrays")
    if not isinstance(text, dict) or not isinstance(described, dict) or set(described) != set(header):
        raise ModelFileError("it was altered: it does not hold the arrays that its header lists")
    places = {name: _place(name, header[name], described[name]) for name in header}
    _refuse_gaps(places, n_data)
    return places, text


def _parsed(encoded: bytes, n_file: int) -> dict[str, Any]:
    """JSON of a header, unless its values would take far more memory than the file."""
    # At most so many bytes for an object, a list, and any value that a comma follows.
    needed = 250 * encoded.count(b"{") + 90 * encoded.count(b"[") + 90 * encoded.count(b",") + 3 * len(encoded)
    if needed > SPARE_BYTES // 2 + 2 * n_file:
        raise ModelFileError(f"it is not a model: its header alone would take {readable_bytes(needed)} of memory")
    try:
        found = json.loads(encoded)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"it is damaged or not a model file: {str(error)[:200]}") from None
    if not isinstance(found, dict):
        raise ModelFileError("it is damaged or not a model file: its header is no object")
    return found


def _place(name: str, entry: Any, described: Any) -> Place:
    """One array of the header, checked by itself."""
    wrong = f"its header is damaged where it describes the array {name[:80]!r}"
    if not isinstance(entry, dict) or not isinstance(described, list) or len(described) != 2:
        raise ModelFileError(wrong)
    kind, expected = described
    shape, offsets = (entry.get(key) for key in ("shape", "data_offsets"))
    counts = (isinstance(one, list) and all(type(n) is int and n >= 0 for n in one) for one in (shape, offsets))
    if not all(counts) or not isinstance(kind, str) or not isinstance(expected, str):
        raise ModelFileError(wrong)
    assert shape is not None
    assert offsets is not None
    stored = KINDS.get(COMPLEX.get(kind, kind))
    if stored is None or stored != entry.get("dtype") or (kind in COMPLEX and shape[-1:] != [2]):
        raise ModelFileError(f"the array {name[:80]!r} is of {str(entry.get('dtype'))[:40]}, not of {kind[:40]}")
    if len(offsets) != 2 or len(shape) > AXES_LIMIT:
        raise ModelFileError(wrong)
    first, last = offsets
    if last - first != BYTES_PER_NUMBER[stored] * math.prod(shape):
        raise ModelFileError(wrong)
    return Place(kind, tuple(shape[:-1] if kind in COMPLEX else shape), first, last, expected)


def _refuse_gaps(places: dict[str, Place], n_data: int) -> None:
    """Arrays follow each other from the header to the end of the file: nothing overlaps and nothing is hidden."""
    at = 0
    for place in sorted(places.values(), key=lambda one: (one.first, one.last)):
        if place.first != at:
            raise ModelFileError("it is damaged: its arrays do not follow each other")
        at = place.last
    if at != n_data:
        raise ModelFileError(f"it is truncated or damaged: its arrays take {at} bytes, and {n_data} are there")
