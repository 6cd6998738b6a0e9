"""All measures by name. A new one is a file beside this and a line here; to run in the page, it needs a script, too."""

from .code import CodeBooks
from .measure import Measure
from .rectified import RectifiedProjections
from .regression import LabelRegression
from .residual import ResidualNorms
from .subspace import NearestSubspaces

MEASURES: dict[str, type[Measure]] = {
    measure.name: measure
    for measure in (ResidualNorms, NearestSubspaces, CodeBooks, RectifiedProjections, LabelRegression)
}
# What membership="auto" chooses from; of equally good ones the first.
AUTOMATIC = (NearestSubspaces.name, CodeBooks.name)


def measure_named(name: str) -> type[Measure]:
    """The measure that ``membership=name`` stands for."""
    return MEASURES[name]


def answer_measure(name: str) -> type[Measure]:
    """The measure that a classifier answers by whose layers guess by this one."""
    return MEASURES[MEASURES[name].answered_by]


def candidates(membership: str) -> tuple[str, ...]:
    """Names of the measures that a membership leaves to choose from: those of "auto", or the one that was given."""
    return AUTOMATIC if membership == "auto" else (membership,)
