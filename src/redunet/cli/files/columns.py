"""Which columns of a table are samples, which one the labels."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...inputs.suggestions import did_you_mean
from ..command_errors import MOST_NAME_CHARACTERS, DataError, UsageError, listed, shortened
from .source import ReadOptions


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


def choose_columns(path: Path, header: Sequence[str], options: ReadOptions) -> Columns:
    """Features and labels among the columns of a file, or an error that names the column.

    A file can have tens of thousands of columns, so that a column is looked up by its name, never searched for.
    """
    where: dict[str, int] = {}
    for i, name in enumerate(header):
        where.setdefault(name, i)
    target = _target(path, header, where, options)
    for name in options.ignore:
        if name not in where:
            raise UsageError(_no_column(path, header, "--ignore", name))
    if target is not None and options.target in options.ignore:
        raise UsageError(f"--ignore {options.target} leaves out the labels of --target; leave out one of the two.")
    if options.names is not None:
        return _known(path, header, where, options, options.names, target)
    left_out = {options.target, *options.ignore}
    names = tuple(name for name in header if name not in left_out)
    if not names:
        raise DataError(f"{path} has no columns of numbers beside {listed(header)}; add the columns of the samples.")
    if options.shape is not None:
        _refuse_another_number(path, names, options)
    _refuse_twice(path, names)
    if options.shape is None and "" in where and "" not in left_out:
        raise DataError(
            f"{path}, row 1: column {where[''] + 1} has no name; name it, or leave it out with --ignore ''."
        )
    return Columns(names, tuple(where[name] for name in names), target, ())


def how_to_leave_out(name: str) -> str:
    """What to write on the command line so that a column is not read; a name from a file may mean more to a shell."""
    return f"leave the column out with --ignore{f' {shlex.quote(name)}' if len(name) <= MOST_NAME_CHARACTERS else ''}"


def _target(path: Path, header: Sequence[str], where: Mapping[str, int], options: ReadOptions) -> int | None:
    if not options.labelled:
        return None
    if options.target is None:
        raise UsageError(
            f"which column of {path} holds the labels? Say it with --target; the columns are {listed(header)}."
        )
    if options.target not in where:
        raise UsageError(_no_column(path, header, "--target", options.target))
    if sum(name == options.target for name in header) > 1:
        raise DataError(f"{path}, row 1: two columns are called {options.target!r}; rename one of them.")
    return where[options.target]


def _known(
    path: Path,
    header: Sequence[str],
    where: Mapping[str, int],
    options: ReadOptions,
    names: tuple[str, ...],
    target: int | None,
) -> Columns:
    """The columns that the model knows, wherever they are."""
    known = set(names)
    for option, given in (("--target", (options.target,)), ("--ignore", options.ignore)):
        for name in given:
            if name in known:
                raise UsageError(f"{option} {name}: the model was fitted on this column as a feature; it is needed.")
    missing = [name for name in names if name not in where]
    if missing:
        more = f", and {len(missing) - 1} more that the model knows," if len(missing) > 1 else ","
        raise DataError(
            f"{path}, row 1: there is no column {shortened(missing[0])}{more} which the model was fitted on; add it, "
            f"or correct its name.{did_you_mean(missing[0], header)}{_no_header(header)}"
        )
    _refuse_twice(path, [name for name in header if name in known])
    used = {*known, *options.ignore} | ({options.target} if options.target else set())
    unused = tuple(name for name in header if name not in used)
    return Columns(names, tuple(where[name] for name in names), target, unused)


def _refuse_another_number(path: Path, names: tuple[str, ...], options: ReadOptions) -> None:
    """A model that was fitted without names takes columns in their order."""
    assert options.shape is not None
    n_features = 1
    for length in options.shape:
        n_features *= length
    if len(names) != n_features:
        raise DataError(
            f"{path} has {len(names)} columns, but the model takes {n_features}, by their order, since it knows no "
            f"names; leave out others with --ignore, or fit on a file with these columns."
        )


def _refuse_twice(path: Path, names: Sequence[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError(f"{path}, row 1: {count} columns are called {shortened(name)}; rename them.")


def _no_column(path: Path, header: Sequence[str], option: str, name: str) -> str:
    guess = did_you_mean(name, header) or f" The columns are {listed(header)}."
    return f"{option} {name}: {path} has no such column.{guess}{_no_header(header)}"


def _no_header(header: Sequence[str]) -> str:
    """A hint where the first row looks like data."""
    try:
        [float(name) for name in header]
    except ValueError:
        return ""
    return " Row 1 holds only numbers; it must hold the names of the columns, or pass --no-header."
