"""The registry of what a model file may hold: classes register themselves, and storage imports none of them."""

from dataclasses import dataclass

import numpy as np
import pytest

from redunet import Lift, ModelFileError
from redunet.estimators.loading import LOADABLE
from redunet.storage import stored_types
from redunet.storage.array_file import ArrayFile, write_arrays
from redunet.storage.decoding import Decoder
from redunet.storage.encoding import Encoder, encode
from redunet.storage.expectations import expect
from redunet.storage.stored_types import (
    ESTIMATORS,
    RECORDS,
    FieldEncoding,
    attributes_of,
    stored_attributes,
    stored_record,
    stored_type_of,
)

from .models import X, models, random


def names_in(value):
    """Names of the classes in the text of a file."""
    if isinstance(value, list):
        return {name for one in value for name in names_in(one)}
    if not isinstance(value, dict):
        return set()
    own = {value[key] for key in ("record", "estimator") if isinstance(value.get(key), str)}
    return own | {name for one in value.values() for name in names_in(one)}


def test_the_models_of_these_tests_hold_every_class_that_is_registered():
    found = set()
    for model, _ in models().values():
        found |= names_in(Encoder().encode(model, "model"))
    assert found == set(RECORDS) | set(ESTIMATORS)


def test_every_class_can_check_what_came_from_a_file():
    for stored in [*RECORDS.values(), *ESTIMATORS.values()]:
        assert callable(getattr(stored.made_of, "check_stored", None)), stored.name


def test_what_can_be_loaded_is_what_is_registered():
    assert {stored.made_of for stored in ESTIMATORS.values()} == set(LOADABLE)


def test_names_in_files_stay_when_classes_are_renamed():
    assert set(RECORDS) == {
        *("Network", "Geometry", "Span", "FilterBank", "History", "Evidence", "NearestSubspaces", "CodeBooks"),
        *("LabelRegression", "PooledBank", "FurtherAnswer", "GatheredMoments", "Reservoir", "Standardiser"),
        *("AddedFile", "TrainingHistory", "ClusterCodes", "ReducedSpace", "KernelMap", "AlignedAnswer", "AlignedView"),
        *("PeakBank", "RingBank"),
    }
    learners = {"ReduNet", "ReduNetClassifier", "NearestSubspaceClassifier", "RateReductionClustering"}
    assert set(ESTIMATORS) == learners | {"Lift", "PeakLift", "PolarGrid", "PooledLift", "RingLift"}


def test_attributes_are_those_of_a_class_and_its_bases():
    @stored_attributes(a_=int, b_=int)
    class Base:
        pass

    @stored_attributes(b_=(float, str), _c=tuple)
    class Derived(Base):
        pass

    assert attributes_of(Derived) == {"a_": int, "b_": (float, str), "_c": tuple}
    assert attributes_of(Base) == {"a_": int, "b_": int}


# --- a class of one's own ---------------------------------------------------------------------------------------------


@pytest.fixture
def registry():
    """The registry, left as it was before a test."""
    tables = (RECORDS, ESTIMATORS, stored_types._NAMES)
    before = [dict(table) for table in tables]
    yield
    for table, entries in zip(tables, before, strict=True):
        table.clear()
        table.update(entries)


def written_and_read(value, path, file_format=2):
    text, arrays = encode({"value": value}, "test")
    write_arrays(path, {"found": text}, arrays)
    file = ArrayFile(path)
    return Decoder(file, file_format).decode(file.text["found"]["value"])


@pytest.mark.usefixtures("registry")
def test_a_record_is_registered_by_one_line(tmp_path):
    @stored_record(name="Mean", older_values={2: {"weight": 1.0}, 3: {"unit": "nat"}})
    @dataclass(frozen=True)
    class RenamedMean:
        value: np.ndarray
        weight: float
        unit: str = "bit"

    mean = RenamedMean(np.arange(3.0), 2.0)
    assert stored_type_of(mean).name == "Mean"
    found = written_and_read(mean, tmp_path / "file")
    assert isinstance(found, RenamedMean)
    assert (found.value.tolist(), found.weight, found.unit) == ([0.0, 1.0, 2.0], 2.0, "bit")
    stored = RECORDS["Mean"]
    assert stored.values_before(1) == {"weight": 1.0, "unit": "nat"}
    assert stored.values_before(2) == {"unit": "nat"}
    assert stored.values_before(3) == {}


@pytest.mark.usefixtures("registry")
def test_a_name_belongs_to_one_class():
    with pytest.raises(ValueError, match=r"model files know Span as .*; pass another name"):

        @stored_record(name="Span")
        @dataclass(frozen=True)
        class AnotherSpan:
            basis: int


@pytest.mark.usefixtures("registry")
def test_a_field_may_have_an_encoding_of_its_own(tmp_path):
    encoding = FieldEncoding(
        "reversed",
        lambda record: ({"n": len(record.numbers)}, {"own": record.numbers[::-1].copy()}),
        lambda file, _: file.array("own"),
    )

    @stored_record(encodings={"numbers": encoding})
    @dataclass(frozen=True)
    class Sequence:
        numbers: np.ndarray

    text, arrays = encode({"value": Sequence(np.arange(3.0))}, "test")
    assert text["value"] == {"record": "Sequence", "fields": {"numbers": {"reversed": {"n": 3}}}}
    assert list(arrays) == ["own"]
    assert written_and_read(Sequence(np.arange(3.0)), tmp_path / "file").numbers.tolist() == [2.0, 1.0, 0.0]
    text["value"]["fields"]["numbers"] = {"tuple": []}
    write_arrays(tmp_path / "other", {"found": text}, arrays)
    file = ArrayFile(tmp_path / "other")
    with pytest.raises(ModelFileError, match="something else where reversed belong"):
        Decoder(file, 2).decode(file.text["found"]["value"])


def test_a_subclass_is_another_class(tmp_path):
    class OwnLift(Lift):
        pass

    with pytest.raises(TypeError, match="is of type OwnLift, which no model file holds; use pickle"):
        OwnLift("random", 3, 5, random_state=0).fit(X).save(tmp_path / "m")


def test_an_attribute_that_could_not_be_loaded_is_not_saved(tmp_path):
    lift = random(3).fit(X)
    lift.note_ = "of a user"
    with pytest.raises(TypeError, match="note_ is no attribute of Lift that a model file holds"):
        lift.save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_what_does_not_fit_is_a_fault_of_the_file():
    expect(True, "never read")
    with pytest.raises(ModelFileError, match=r"the parts of the model do not fit together: a reason\."):
        expect(False, "a reason")


def test_a_dict_comes_back_with_keys_of_any_type_that_labels_have(tmp_path):
    weights = {0: 1, "b": 2.5, 1.5: 3, True: np.float64(4), ("a", 1): [5]}
    found = written_and_read(weights, tmp_path / "file")
    assert found == weights
    assert list(map(type, found)) == [int, str, float, bool, tuple]
