"""Files whose checksums are right and whose content is not: refused, in little memory, before any kernel meets them."""

import json
import os
import struct

import numpy as np
import pytest

import redunet
from redunet import ModelFileError, NearestSubspaceClassifier, PolarGrid, ReduNetClassifier
from redunet.cli.inspect_command import InspectRequest, inspect

from .fuzz import SPARE_BYTES, PeakMemory
from .models import CODES, IMAGES, X, models, random
from .mutations import Parts

MODELS = models()


def altered(tmp_path, name, change):
    """The file of a model with some of its parts changed, checksums right again."""
    path = tmp_path / "model.redunet"
    model, _ = MODELS[name]
    model.save(path)
    parts = Parts(path.read_bytes())
    change(parts)
    path.write_bytes(parts.content())
    return path


def refused(path, message=".", samples=X):
    with pytest.raises(ModelFileError, match=message):
        redunet.load(path).predict(samples)


def refused_in_little_memory(path, message):
    peak = PeakMemory()
    peak.start()
    refused(path, message)
    assert peak.taken() <= SPARE_BYTES + 2 * path.stat().st_size


TABLES = ["step_size", "sharpness", "momentum", "class_share", "residual_unit", "residual_offset"]


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("table", TABLES)
def test_numbers_of_layers_that_are_not_finite_are_refused(tmp_path, table, odd):
    def change(parts):
        numbers = parts.array(f"layers/{table}")
        numbers.reshape(-1)[-1] = odd
        parts.put(f"layers/{table}", numbers)

    refused(altered(tmp_path, "codes", change), f"{table} of its layers is wrong")


@pytest.mark.parametrize("n_columns", [0, 1, 3])
@pytest.mark.parametrize("table", TABLES[3:])
def test_tables_of_layers_with_other_columns_are_refused(tmp_path, table, n_columns):
    def change(parts):
        numbers = parts.array(f"layers/{table}")
        parts.put(f"layers/{table}", np.resize(numbers, (len(numbers), n_columns)))

    # A compiled kernel reads as many numbers as there are classes, whatever the table holds.
    refused(altered(tmp_path, "layers", change))


@pytest.mark.parametrize(
    ("name", "array", "odd"),
    [
        ("signals", "model/answers_/weights", np.inf),
        ("codes", "model/answers_/unit", np.nan),
        ("codes", "model/answers_/offset", np.inf),
        ("codes", "model/answers_/weights", np.nan),
        ("signals", "model/evidence_/scores", np.nan),
        ("layers", "model/history_/coding_rate", np.inf),
        ("layers", "model/network_/lift/filters/0", 1e300),
        ("wide", "model/network_/span/basis", 1e200),
        ("signals", "model/answers_/bases", 1e200),
    ],
)
def test_numbers_of_other_parts_are_checked_too(tmp_path, name, array, odd):
    def change(parts):
        numbers = parts.array(array)
        numbers.reshape(-1)[0] = odd
        parts.put(array, numbers)

    refused(altered(tmp_path, name, change), samples=MODELS[name][1])


@pytest.mark.parametrize("odd", [np.nan, np.inf, 1e300])
def test_rings_of_numbers_that_are_no_shares_are_refused(tmp_path, odd):
    def change(parts):
        numbers = parts.array("model/_weights/data")
        numbers[3] = odd
        parts.put("model/_weights/data", numbers)

    with pytest.raises(ModelFileError, match="no shares of pixels"):
        redunet.load(altered(tmp_path, "rings", change))


@pytest.mark.parametrize("part", ["indices", "indptr"])
@pytest.mark.parametrize("odd", [-1, 0, 10**6, 2**40])
def test_a_sparse_matrix_that_points_elsewhere_is_refused(tmp_path, part, odd):
    def change(parts):
        numbers = parts.array(f"model/_weights/{part}")
        numbers[-1] = odd
        parts.put(f"model/_weights/{part}", numbers)

    path = altered(tmp_path, "rings", change)
    if part == "indices" and odd == 0:  # another pixel, but one that is there
        assert np.isfinite(redunet.load(path).transform(IMAGES[:, 0])).all()
        return
    with pytest.raises(ModelFileError, match="sparse matrix"):
        redunet.load(path)


def test_one_long_label_among_many_takes_no_memory(tmp_path):
    def change(parts):
        words = [f"{i}" for i in range(20_000)] + ["x" * 100_000]
        parts.text["model"]["fitted"]["classes_"] = {"words": words, "dtype": "<U9"}

    refused_in_little_memory(altered(tmp_path, "signals", change), "take 8 GB as text of one width; shorten")


def test_labels_that_could_not_be_loaded_are_not_saved(tmp_path):
    names = np.array(["a", "b" * 5_000_000])[CODES]
    model = ReduNetClassifier("shift", lift=random(), n_layers=0).fit(X, names)
    with pytest.raises(ValueError, match="as text of one width"):
        model.save(tmp_path / "m.redunet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("pool", [1.0, 1e7])
def test_a_small_file_cannot_ask_for_any_amount_of_padding(tmp_path, pool):
    def change(parts):
        fitted = parts.text["model"]["fitted"]
        for bank in (fitted["lift_"]["fitted"]["bank_"], fitted["network_"]["fields"]["lift"]):
            bank["fields"] |= {"pad": {"tuple": [10**8]}, "grid": {"tuple": [24 + 10**8]}, "pool": pool}
        geometry = fitted["network_"]["fields"]["geometry"]["fields"]
        geometry["sample_shape"]["tuple"][1] = 2 * int(np.ceil((24 + 10**8) / (2 * pool)) - 1) + 1

    refused_in_little_memory(altered(tmp_path, "signals", change), "one sample would take .* [MGT]B in the lift")


@pytest.mark.parametrize("values", [b"[]," * 500_000, b'{"a":1},' * 200_000, b"1.5," * 700_000])
def test_a_header_cannot_ask_for_many_times_its_size(tmp_path, values):
    path = tmp_path / "model.redunet"
    header = b'{"__metadata__": {"redunet": "{}", "sha256": ""}, "x": [' + values + b"0]}"
    path.write_bytes(struct.pack("<Q", len(header)) + header)
    refused_in_little_memory(path, "its header alone would take|cannot be opened")


def test_a_file_nested_deeper_than_python_goes_is_refused(tmp_path):
    path = tmp_path / "model.redunet"
    header = b"[" * 100_000
    path.write_bytes(struct.pack("<Q", len(header)) + header)
    refused(path, "damaged or not a model file")


def test_a_random_state_beyond_its_end_is_refused(tmp_path):
    lift = redunet.Lift("random", 3, 5, random_state=np.random.RandomState(3)).fit(X)
    path = tmp_path / "model.redunet"
    lift.save(path)
    parts = Parts(path.read_bytes())
    parts.text["model"]["params"]["random_state"]["random_state"][2] = 10**6
    path.write_bytes(parts.content())
    with pytest.raises(ModelFileError, match="random state"):
        redunet.load(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [("n_layers", "many"), ("eps", -1.0), ("random_state", "x"), ("rank", 0), ("lift", 3), ("verbose", "yes")],
)
def test_parameters_that_a_fit_would_refuse_are_refused(tmp_path, key, value):
    path = altered(tmp_path, "signals", lambda parts: parts.text["model"]["params"].update({key: value}))
    refused(path, "parameters of the model are wrong")


def test_inspect_shows_no_control_characters_of_a_file(tmp_path, capsys):
    def change(parts):
        parts.text["version"] = "0\x1b[2J"
        fitted = parts.text["model"]["fitted"]
        fitted["classes_"] = {"words": ["a\x1b[31m", "b\x9b2J"], "dtype": "<U9"}
        names = [f"t{i}\x1b]0;title\x07" for i in range(24)]
        fitted["feature_names_in_"] = {"objects": names}

    path = altered(tmp_path, "signals", change)
    for as_json in (False, True):
        assert inspect(InspectRequest(path, as_json=as_json)) == 0
        said = capsys.readouterr()
        assert "t0" in said.out
        assert all(letter.isprintable() or letter == "\n" for letter in said.out + said.err)
    assert json.loads(said.out)["columns"][0] == "t0\x1b]0;title\x07"  # data stay what they are, in JSON's own way


def test_a_file_that_lies_about_its_length_is_refused(tmp_path):
    path = tmp_path / "m.redunet"
    MODELS["signals"][0].save(path)
    os.truncate(path, path.stat().st_size + 2**33)  # a hole of 8 GB, which takes no room on the disk
    refused_in_little_memory(path, "truncated or damaged")


def test_rings_of_a_file_are_those_of_its_parameters(tmp_path):
    path = tmp_path / "m.redunet"
    PolarGrid(2, 8).fit(IMAGES[:, 0]).save(path)
    parts = Parts(path.read_bytes())
    parts.text["model"]["params"]["n_angles"] = 4
    path.write_bytes(parts.content())
    with pytest.raises(ModelFileError, match="rings do not fit"):
        redunet.load(path)


def test_a_small_file_cannot_ask_for_any_number_of_frequencies(tmp_path):
    path = tmp_path / "m.redunet"
    NearestSubspaceClassifier(1, invariance="shift").fit(np.stack([X, X**2], axis=1), CODES).save(path)
    parts = Parts(path.read_bytes())
    fitted, shape = parts.text["model"]["fitted"], {"tuple": [2, 10**9]}
    fitted |= {"sample_shape_": shape, "n_features_in_": 2 * 10**9}
    fitted["network_"]["fields"]["geometry"]["fields"]["sample_shape"] = shape
    path.write_bytes(parts.content())
    refused_in_little_memory(path, "the weights of the frequencies do not fit")


def test_a_long_name_of_no_class_is_not_repeated_at_length(tmp_path):
    path = altered(tmp_path, "lift", lambda parts: parts.text["model"].update(estimator="x" * 10_000))
    with pytest.raises(ModelFileError, match="which is none of Lift") as error:
        redunet.load(path)
    assert len(str(error.value)) < 300
