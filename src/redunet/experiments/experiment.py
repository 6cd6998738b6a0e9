"""An experiment: its entry in the list, the setting it runs with, and the rows and figures it returns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..data.store import DataNotFound

Size = Literal["full", "quick", "toy"]


@dataclass(frozen=True)
class Setting:
    """How large an experiment is, with which seed, and where its data are.

    Parameters
    ----------
    size : "full", "quick" or "toy"
        The paper's sizes, sizes that take seconds, or just enough to run through.
    seed : int
    data_dir : Path, optional
    say : callable
        Called with a few words about what is being done, for the progress line.
    """

    size: Size = "full"
    seed: int = 0
    data_dir: Path | None = None
    say: Callable[[str], None] = lambda _: None

    def pick(self, full: int, quick: int, toy: int) -> int:
        """The number for this size."""
        return {"full": full, "quick": quick, "toy": toy}[self.size]


@dataclass(frozen=True)
class Row:
    """One line of a table: a quantity in the paper, as published (run here), and ours.

    Parameters
    ----------
    quantity : str
    paper : float, optional
        Value that the paper reports.
    published : float, optional
        Value of the paper's constants, run by this code.
    ours : float, optional
        Value of this package's defaults.
    note : str, optional
    whole : bool
        Whether the quantity is a count, shown without decimals.
    """

    quantity: str
    paper: float | None = None
    published: float | None = None
    ours: float | None = None
    note: str | None = None
    whole: bool = False

    @classmethod
    def of(
        cls,
        quantity: str,
        paper: float | None,
        measured: Sequence[float],
        note: str | None = None,
        *,
        whole: bool = False,
    ) -> "Row":
        """A row from two measured values: as published, then ours."""
        published, ours = measured
        return cls(quantity, paper, float(published), float(ours), note, whole)


@dataclass(frozen=True)
class Figure:
    """A picture for the page and for a file of its own; ``draw`` fills an empty matplotlib figure.

    Width and height are in inches. What the page shows by charts of its own need not be ``on_page``, too.
    """

    name: str
    caption: str
    draw: Callable[[Any], None]
    width: float = 9.0
    height: float = 3.2
    on_page: bool = True


@dataclass(frozen=True)
class Outcome:
    """What an experiment returns: rows of its table, figures, and data that the page shows interactively."""

    rows: list[Row]
    figures: list[Figure] = field(default_factory=list)
    exhibits: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Experiment:
    """One entry of the list of experiments.

    Parameters
    ----------
    name, title, text : str
        For the command line, and for the page (paragraphs separated by an empty line).
    run : callable
    needs : str, optional
        Data set that has to be downloaded, "MNIST" or "Mice Protein".
    find : callable, optional
        Finds that data set, or raises DataNotFound; called before any work.
    """

    name: str
    title: str
    text: str
    run: Callable[[Setting], Outcome]
    needs: str | None = None
    find: Callable[[Path | None, bool], object] | None = None

    def missing(self, data_dir: Path | None, download: bool) -> str | None:
        """Why the experiment cannot run, or None if it can; with ``download``, missing data are fetched first."""
        if self.find is None:
            return None
        try:
            self.find(data_dir, download)
        except DataNotFound as error:
            return str(error)
        return None
