"""Which classes a model file may name, and how objects of each are stored.

A class registers itself where it is defined, with a decorator; storage imports none of these classes. A file can
therefore name only what has been imported, and nothing beside what is registered here.

``@stored_record()``
    A frozen dataclass: its fields are stored, and it is made from them again.
``@stored_estimator()``
    An estimator: its parameters (``get_params``) and its fitted attributes are stored.
``@stored_attributes(name=type, ...)``
    Fitted attributes that a class, a base class too, adds to the estimators that are made of it.

Nothing that came from a file is believed: ``check_stored`` of a registered class raises a ``ModelFileError``, by
:func:`~redunet.storage.expectations.expect`, where parts do not fit together. Storage calls
``estimator.check_stored(file_bytes)``; an estimator calls those of its records, with whatever these must fit.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..numerics.arrays import Array
from .array_file import ArrayFile

Class = TypeVar("Class", bound=type)
# Values of fields by name, for each format that was the first to store them.
OlderValues = Mapping[int, Mapping[str, Any]]
# Scikit-learn sets it where samples came with names of their features.
OPTIONAL_ATTRIBUTES = ("feature_names_in_",)


@dataclass(frozen=True)
class FieldEncoding:
    """How a field is stored that takes a way of its own, such as layers that stay in the file until they are used.

    Parameters
    ----------
    kind : str
        What stands for it in the JSON: ``{kind: text}``.
    write : callable
        Given the record, gives JSON and arrays by their names in the file.
    read : callable
        Given the open file and that JSON, gives the value.
    """

    kind: str
    write: Callable[[Any], tuple[Any, dict[str, Array]]]
    read: Callable[[ArrayFile, Any], Any]


@dataclass(frozen=True)
class StoredType:
    """How objects of one class are stored.

    Parameters
    ----------
    name : str
        Name of the class in files, which stays if the class is renamed.
    made_of : type
        The class.
    encodings : mapping from name to FieldEncoding
        Of the fields that take a way of their own.
    older_values : mapping from format to values by name
        What files meant that were written before a format and lack what it stores.
    """

    name: str
    made_of: type
    encodings: Mapping[str, FieldEncoding] = field(default_factory=dict)
    older_values: OlderValues = field(default_factory=dict)

    @property
    def fields(self) -> list[str]:
        """Names of the fields of a record, in the order of the class."""
        return [one.name for one in dataclasses.fields(self.made_of)]

    @property
    def attributes(self) -> dict[str, Any]:
        """Fitted attributes of an estimator: a type or a tuple of types, by name."""
        return attributes_of(self.made_of)

    def values_before(self, file_format: int) -> dict[str, Any]:
        """Values of what files of this format do not store yet."""
        found: dict[str, Any] = {}
        for first_format in sorted(self.older_values):
            if file_format < first_format:
                found |= self.older_values[first_format]
        return found


# By their names in files.
RECORDS: dict[str, StoredType] = {}
ESTIMATORS: dict[str, StoredType] = {}
_NAMES: dict[type, str] = {}
_ATTRIBUTES: dict[type, dict[str, Any]] = {}


def stored_record(
    *,
    name: str | None = None,
    encodings: Mapping[str, FieldEncoding] | None = None,
    older_values: OlderValues | None = None,
) -> Callable[[Class], Class]:
    """Class decorator: model files may hold objects of this dataclass; see :class:`StoredType`."""
    return _registering(RECORDS, name, encodings or {}, older_values or {})


def stored_estimator(*, name: str | None = None, older_values: OlderValues | None = None) -> Callable[[Class], Class]:
    """Class decorator: model files may hold estimators of this class; see :class:`StoredType`."""
    return _registering(ESTIMATORS, name, {}, older_values or {})


def stored_attributes(**types: Any) -> Callable[[Class], Class]:
    """Class decorator: fitted attributes that this class adds, each with its type or a tuple of types.

    Those whose names start with an underscore are stored because they stand here.
    """

    def register(made_of: Class) -> Class:
        _ATTRIBUTES[made_of] = types
        return made_of

    return register


def attributes_of(made_of: type) -> dict[str, Any]:
    """Fitted attributes of a class and of its bases, with their types."""
    found: dict[str, Any] = {}
    for base in reversed(made_of.__mro__):
        found |= _ATTRIBUTES.get(base, {})
    return found


def stored_type_of(value: Any) -> StoredType | None:
    """How an object is stored; None where its class is not registered. A subclass is another class."""
    name = _NAMES.get(type(value))
    return None if name is None else (RECORDS.get(name) or ESTIMATORS[name])


def _registering(
    table: dict[str, StoredType],
    name: str | None,
    encodings: Mapping[str, FieldEncoding],
    older_values: OlderValues,
) -> Callable[[Class], Class]:
    def register(made_of: Class) -> Class:
        stored = StoredType(name or made_of.__name__, made_of, encodings, older_values)
        known = RECORDS.get(stored.name) or ESTIMATORS.get(stored.name)
        if known is not None and _place(known.made_of) != _place(made_of):  # the same place is a module read again
            raise ValueError(f"model files know {stored.name} as {known.made_of}; pass another name for {made_of}.")
        table[stored.name] = stored
        _NAMES[made_of] = stored.name
        return made_of

    return register


def _place(made_of: type) -> tuple[str, str]:
    return made_of.__module__, made_of.__qualname__
