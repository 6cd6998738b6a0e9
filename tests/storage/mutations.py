"""Broken model files: bytes changed at random, and parts changed by somebody who knows the format.

Checksums keep most random changes out at the door. So the second kind parses the header, changes shapes, types, values
and offsets, and writes checksums that are right again.
"""

import copy
import hashlib
import json
import struct

import numpy as np

LONG = 2000
ODD_VALUES = [
    *(None, True, False, -1, 0, 1, 2, 3, 7, 2**31, 2**63, 10**30, -1.5, 0.5, 1e-300, 1e308, ""),
    *(
        "x",
        "array",
        "layers/0/expansion",
        "softmax",
        "code",
        "relu",
        "none",
        "\x1b[2J\x1b[31m",
        "<script>alert(1)</script>",
    ),
    "\ud800",
    "a" * LONG,
    *([], {}, [1], [[]], {"tuple": []}, {"tuple": [1, 2]}, {"list": [1]}, {"array": "layers/0/expansion"}),
    *({"float": "nan"}, {"float": "inf"}, {"float": "-inf"}, {"dtype": "float32"}, {"layers": None}),
    {"words": ["a", "b" * LONG], "dtype": "<U1"},
    {"words": ["a\x1b[31m", "b<b>"], "dtype": "<U1"},
    {"objects": ["a", 1]},
    {"dict": []},
    {"dict": [{"tuple": ["a", 1]}, {"tuple": [{"list": []}, 1]}]},
    {"objects": [{"float": "nan"}, "b"]},
    {"times": [1, 2], "dtype": "<M8[D]"},
    {"record": "Span", "fields": {}},
    {"record": "Span", "fields": {"basis": {"array": "model/evidence_/scores", "dtype": "<f8"}}},
    {"estimator": "Lift", "params": {}, "fitted": {}},
    {"random_state": ["MT19937", [1] * 624, 10**6, 0, 0.0]},
    {"sparse": {"data": 1, "indices": 1, "indptr": 1}, "shape": [2, 2]},
]
ODD_NUMBERS = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e-300, 1e30, 1e308, -1e308, 0.999]
DTYPES = ["<f8", "<f4", "<c16", "<c8", "<i8", "|u1", "|b1", ">f8", "<f16", "<U3", "|O", "|V8"]


def random_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    """Bits, bytes or stretches of a file changed, its end cut off or something added."""
    data = bytearray(content)
    kind = rng.integers(6)
    if kind == 0:
        return bytes(data[: rng.integers(len(data) + 1)])
    if kind == 1:
        return bytes(data) + rng.bytes(int(rng.integers(1, 200)))
    # Half of the time in the header, which is where the format is decided.
    end = len(data) if rng.integers(2) else min(len(data), 8 + int.from_bytes(data[:8], "little"))
    at = int(rng.integers(end))
    if kind == 2:
        data[at] ^= 1 << int(rng.integers(8))
    elif kind == 3:
        for _ in range(int(rng.integers(1, 20))):
            data[int(rng.integers(end))] = int(rng.integers(256))
    elif kind == 4:
        length = int(rng.integers(1, 64))
        data[at : at + length] = rng.bytes(length)
    else:
        del data[at : at + int(rng.integers(1, 64))]
    return bytes(data)


class Parts:
    """A model file taken apart: header, text, and the bytes of each array.

    Parameters
    ----------
    content : bytes
        A file that is whole.
    """

    def __init__(self, content: bytes) -> None:
        length = struct.unpack("<Q", content[:8])[0]
        self.header = json.loads(content[8 : 8 + length])
        metadata = self.header.pop("__metadata__")
        inside = json.loads(metadata["redunet"])
        self.text, self.described = inside["text"], inside["arrays"]
        self.data = {}
        for name, entry in self.header.items():
            first, last = entry["data_offsets"]
            self.data[name] = content[8 + length + first : 8 + length + last]

    def array(self, name):
        """Numbers of an array, those of a complex one in pairs."""
        kind = {"F32": "<f4", "F64": "<f8", "I64": "<i8", "I32": "<i4", "U8": "u1", "BOOL": "?"}
        entry = self.header[name]
        return np.frombuffer(self.data[name], kind[entry["dtype"]]).reshape(entry["shape"]).copy()

    def put(self, name, array):
        """Another array under this name; the kind that the text says stays."""
        kind = {"<f4": "F32", "<f8": "F64", "<i8": "I64", "<i4": "I32", "|u1": "U8", "|b1": "BOOL"}
        self.data[name] = array.tobytes()
        self.header[name] = {"dtype": kind[array.dtype.str], "shape": list(array.shape), "data_offsets": [0, 0]}

    def content(self, rng=None, spoil=False) -> bytes:
        """The file, with checksums that are right; spoiled, one offset, shape or type of the header is not."""
        header, at = copy.deepcopy(self.header), 0
        for name in list(header):
            header[name]["data_offsets"] = [at, at + len(self.data[name])]
            at += len(self.data[name])
        described = {
            name: [self.described[name][0], hashlib.sha256(self.data[name]).hexdigest()[:32]]
            for name in self.described
            if name in self.data
        }
        if spoil and header:
            entry = header[list(header)[int(rng.integers(len(header)))]]
            key = ["dtype", "shape", "data_offsets"][int(rng.integers(3))]
            if key == "dtype":
                entry[key] = ["F32", "F64", "I64", "BF16", "", 3, None][int(rng.integers(7))]
            elif entry[key]:
                entry[key][int(rng.integers(len(entry[key])))] = [-1, 0, 1, 2**40, 2**63, 1.5, "1", None][
                    int(rng.integers(8))
                ]
        inside = json.dumps({"text": self.text, "arrays": described})
        header["__metadata__"] = {"redunet": inside, "sha256": hashlib.sha256(_utf8(inside)).hexdigest()}
        encoded = _utf8(json.dumps(header))
        return struct.pack("<Q", len(encoded)) + encoded + b"".join(self.data[name] for name in self.header)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def changed_parts(parts: Parts, rng: np.random.Generator) -> bytes:
    """One or two changes that a sender who knows the format could make."""
    parts = copy.deepcopy(parts)
    for _ in range(1 + int(rng.integers(5)) // 3):  # one change most often, so that others do not hide it
        kind = int(rng.integers(10))
        if kind < 4:
            _change_text(parts.text, rng)
        elif kind < 7 and parts.data:
            _change_array(parts, rng)
        elif kind == 7:
            _change_lift_together(parts.text, rng)
        elif kind == 8 and parts.data:
            _change_layer_columns(parts, rng)
        elif parts.data:
            _swap_arrays(parts, rng)
    return parts.content(rng, spoil=bool(rng.integers(8) == 0))


def _change_text(text, rng):
    found = places(text)
    if not found:
        return
    holder, key = found[int(rng.integers(len(found)))]
    value = holder[key]
    kind = int(rng.integers(8))
    if kind == 0 and isinstance(holder, dict):
        del holder[key]
    elif kind == 1 and isinstance(value, list) and value:
        holder[key] = value[:-1] if rng.integers(2) else value + value[-1:]
    elif kind == 2 and isinstance(value, list) and value:
        holder[key] = value * 50
    elif kind < 5 and isinstance(value, (int, float)) and not isinstance(value, bool):
        holder[key] = [value + 1, value - 1, -value, 2 * value, value * 10**6, float(value)][int(rng.integers(6))]
    elif kind == 5 and key == "dtype":
        holder[key] = DTYPES[int(rng.integers(len(DTYPES)))]
    elif kind == 6:
        other, other_key = found[int(rng.integers(len(found)))]
        holder[key] = copy.deepcopy(other[other_key])
    else:
        holder[key] = copy.deepcopy(ODD_VALUES[int(rng.integers(len(ODD_VALUES)))])


def _change_array(parts, rng):
    """Another shape, another type, or values that are no numbers."""
    name = list(parts.data)[int(rng.integers(len(parts.data)))]
    array = parts.array(name)
    kind = int(rng.integers(8))
    if kind == 0 and array.ndim:
        axis = int(rng.integers(array.ndim))
        array = array.take(range(max(0, array.shape[axis] - 1)), axis=axis)
    elif kind == 1 and array.ndim and array.size:
        axis = int(rng.integers(array.ndim))
        array = np.concatenate([array, array.take([0], axis=axis)], axis=axis)
    elif kind == 2:
        array = array[None]
    elif kind == 3:
        array = array.reshape(-1)
    elif kind == 4:
        with np.errstate(all="ignore"):
            array = array.astype(["<f4", "<f8", "<i8", "u1", "?"][int(rng.integers(5))])
        stored = {"<f4": "float32", "<f8": "float64", "<i8": "int64", "|u1": "uint8", "|b1": "bool"}
        parts.described[name] = [stored[array.dtype.str], ""]
    elif kind == 5:
        del parts.data[name], parts.header[name], parts.described[name]
        return
    elif array.size:
        flat = array.reshape(-1)
        with np.errstate(all="ignore"):
            odd = np.array(ODD_NUMBERS)[int(rng.integers(len(ODD_NUMBERS)))]
            if array.dtype.kind != "f":
                odd = [-1, 0, 2**31 - 1, 2**62][int(rng.integers(4))] % 2**63
                odd = np.array(odd).astype(array.dtype)
            if rng.integers(4):
                flat[int(rng.integers(flat.size))] = odd
            else:
                flat[:] = odd
    parts.put(name, np.ascontiguousarray(array))


def _change_lift_together(text, rng):
    """Padding and pooling changed in every place, so that they still fit together."""
    zeros, pool = int(10 ** rng.uniform(0, 9)), float(10 ** rng.uniform(0, 8))

    def change(value):
        if isinstance(value, dict):
            if value.get("record") == "FilterBank":
                fields = value["fields"]
                before = list(fields["pad"]["tuple"])
                grid = [n - b + zeros for n, b in zip(fields["grid"]["tuple"], before, strict=True)]
                fields["pad"]["tuple"] = [zeros] * len(before)
                fields["grid"]["tuple"] = grid
                if rng.integers(2):
                    fields["pool"] = pool
            for one in value.values():
                change(one)
        elif isinstance(value, list):
            for one in value:
                change(one)

    try:
        change(text)
    except (KeyError, TypeError, ValueError, AttributeError):
        return  # an earlier change took a part away


def _change_layer_columns(parts, rng):
    """One of the tables of all layers with more or fewer columns than the others."""
    names = [name for name in parts.data if name.startswith("layers/") and name.count("/") == 1]
    if not names:
        return
    name = names[int(rng.integers(len(names)))]
    table = parts.array(name)
    if table.ndim == 2:
        width = int(rng.integers(0, 6))
        parts.put(name, np.ascontiguousarray(np.resize(table, (len(table), width))))
    elif table.size and table.dtype.kind == "f":
        table.reshape(-1)[int(rng.integers(table.size))] = ODD_NUMBERS[int(rng.integers(len(ODD_NUMBERS)))]
        parts.put(name, table)


def _swap_arrays(parts, rng):
    first, second = (list(parts.data)[int(rng.integers(len(parts.data)))] for _ in range(2))
    for table in (parts.data, parts.header, parts.described):
        table[first], table[second] = table[second], table[first]


def places(value, found=None):
    """Every place in a JSON value that can be changed: its holder, and the key there."""
    found = [] if found is None else found
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        found.append((value, key))
        places(value[key], found)
    return found
