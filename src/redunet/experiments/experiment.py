"""What an experiment is given, and what it gives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..data.store import DataNotFound

Size = Literal["full", "quick", "toy"]

# The constants of the paper's released experiments: ε² = 0.1, λ = 500, unitary transform, no constant coordinate, and
# all layers built. The step and the number of layers differ from one to the other.
PUBLISHED: dict[str, Any] = {
    "eps": 0.1**0.5,
    "sharpness": 500.0,
    "convention": "published",
    "affine": False,
    "tol": None,
}


@dataclass(frozen=True)
class Setting:
    """How large, with which seed, and where the data are.

    Parameters
    ----------
    size : "full", "quick" or "toy"
        The paper's sizes, seconds, or just enough to run through.
    seed : int
    data_dir : Path, optional
    say : callable
        Told what is being done, for the progress line.
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
    """One line of a table: a quantity in the paper, as published (run here), and ours; ``whole`` if it is a count."""

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
        """A row from what was measured: as published, then ours."""
        published, ours = measured
        return cls(quantity, paper, float(published), float(ours), note, whole)


@dataclass(frozen=True)
class Figure:
    """A picture for the page, and a file of its own; ``draw`` fills an empty matplotlib figure."""

    name: str
    caption: str
    draw: Callable[[Any], None]
    width: float = 9.0
    height: float = 3.2


@dataclass(frozen=True)
class Outcome:
    """What an experiment found."""

    rows: list[Row]
    figures: list[Figure] = field(default_factory=list)
    exhibits: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Experiment:
    """One entry of the list.

    Parameters
    ----------
    name, title, text : str
        For the command line, and for the page (paragraphs separated by an empty line).
    run : callable
    needs : str, optional
        Data set that does not come along, "MNIST" or "Mice Protein".
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
        """Why it cannot run, or None; with ``download`` it is fetched if it is nowhere."""
        if self.find is None:
            return None
        try:
            self.find(data_dir, download)
        except DataNotFound as error:
            return str(error)
        return None
