"""Which columns of a table are samples, which one the labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .mistakes import WrongData, WrongWords, did_you_mean, listed
from .source import Wanted


@dataclass(frozen=True)
class Columns:
    """Columns by their position in the file.

    Parameters
    ----------
    names : tuple of str
        Of the features, in the order that the model takes them.
    positions : tuple of int
        Where each is.
    target : int, optional
        Where the labels are.
    unused : tuple of str
        Columns that nobody asked to leave out, and that are not used.
    """

    names: tuple[str, ...]
    positions: tuple[int, ...]
    target: int | None
    unused: tuple[str, ...]


def choose_columns(path: Path, header: Sequence[str], wanted: Wanted) -> Columns:
    """Features and labels among the columns of a file, or an error that names the column."""
    target = _target(path, header, wanted)
    for name in wanted.ignore:
        if name not in header:
            raise WrongWords(_no_column(path, header, "--ignore", name))
    if target is not None and wanted.target in wanted.ignore:
        raise WrongWords(f"--ignore {wanted.target} leaves out the labels of --target; leave out one of the two.")
    if wanted.names is not None:
        return _known(path, header, wanted, wanted.names, target)
    names = tuple(name for name in header if name != wanted.target and name not in wanted.ignore)
    if not names:
        raise WrongData(f"{path} has no columns of numbers beside {listed(header)}; add the columns of the samples.")
    if wanted.shape is not None:
        _refuse_another_number(path, names, wanted)
        return Columns(names, tuple(header.index(name) for name in names), target, ())
    _refuse_twice(path, names)
    if "" in names:
        raise WrongData(
            f"{path}, row 1: column {header.index('') + 1} has no name; name it, or leave it out with --ignore ''."
        )
    return Columns(names, tuple(header.index(name) for name in names), target, ())


def _target(path: Path, header: Sequence[str], wanted: Wanted) -> int | None:
    if not wanted.labelled:
        return None
    if wanted.target is None:
        raise WrongWords(
            f"which column of {path} holds the labels? Say it with --target; the columns are {listed(header)}."
        )
    if wanted.target not in header:
        raise WrongWords(_no_column(path, header, "--target", wanted.target))
    if list(header).count(wanted.target) > 1:
        raise WrongData(f"{path}, row 1: two columns are called {wanted.target!r}; rename one of them.")
    return list(header).index(wanted.target)


def _known(path: Path, header: Sequence[str], wanted: Wanted, names: tuple[str, ...], target: int | None) -> Columns:
    """The columns that the model knows, wherever they are."""
    for option, given in (("--target", (wanted.target,)), ("--ignore", wanted.ignore)):
        for name in given:
            if name in names:
                raise WrongWords(f"{option} {name}: the model was fitted on this column as a feature; it is needed.")
    missing = [name for name in names if name not in header]
    if missing:
        more = f", and {len(missing) - 1} more that the model knows," if len(missing) > 1 else ","
        raise WrongData(
            f"{path}, row 1: there is no column {missing[0]!r}{more} which the model was fitted on; add it, or correct "
            f"its name.{did_you_mean(missing[0], header)}{_no_header(header)}"
        )
    _refuse_twice(path, [name for name in header if name in set(names)])
    used = {*names, *wanted.ignore} | ({wanted.target} if wanted.target else set())
    unused = tuple(name for name in header if name not in used)
    where = {name: i for i, name in enumerate(header)}
    return Columns(names, tuple(where[name] for name in names), target, unused)


def _refuse_another_number(path: Path, names: tuple[str, ...], wanted: Wanted) -> None:
    """A model that was fitted without names takes columns in their order."""
    assert wanted.shape is not None
    n_features = 1
    for length in wanted.shape:
        n_features *= length
    if len(names) != n_features:
        raise WrongData(
            f"{path} has {len(names)} columns, but the model takes {n_features}, by their order, since it knows no "
            f"names; leave out others with --ignore, or fit on a file with these columns."
        )
    _refuse_twice(path, names)


def _refuse_twice(path: Path, names: Sequence[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise WrongData(f"{path}, row 1: {count} columns are called {name!r}; rename them.")


def _no_column(path: Path, header: Sequence[str], option: str, name: str) -> str:
    guess = did_you_mean(name, header) or f" The columns are {listed(header)}."
    return f"{option} {name}: {path} has no such column.{guess}{_no_header(header)}"


def _no_header(header: Sequence[str]) -> str:
    """A hint where the first row looks like data."""
    try:
        [float(name) for name in header]
    except ValueError:
        return ""
    return " Row 1 holds only numbers; it must hold the names of the columns."
