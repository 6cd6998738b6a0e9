"""All measures by name. A new one is a file beside this and a line here; to run in the page, it needs a script, too."""

from .code import CodeBooks
from .measure import AnswerMeasure, Measure
from .rectified import RectifiedProjections
from .regression import LabelRegression
from .residual import ResidualNorms
from .subspace import NearestSubspaces

MEASURES: dict[str, type[Measure]] = {
    measure.name: measure
    for measure in (ResidualNorms, NearestSubspaces, CodeBooks, RectifiedProjections, LabelRegression)
}
ANSWERS = {name: measure for name, measure in MEASURES.items() if issubclass(measure, AnswerMeasure)}
# What membership="auto" chooses from; of equally good ones the first. Pooled features are many, each of which tells a
# little, and a regression on the labels adds them up.
AUTOMATIC = (NearestSubspaces.name, CodeBooks.name)
AUTOMATIC_FOR_POOLED = (LabelRegression.name,)
# A regression on features of a kernel is kernel ridge regression, which bends as class subspaces do.
AUTOMATIC_FOR_KERNELS = (*AUTOMATIC, LabelRegression.name)


def measure_named(name: str) -> type[Measure]:
    """The measure that ``membership=name`` stands for."""
    return MEASURES[name]


def answer_measure(name: str) -> type[AnswerMeasure]:
    """The measure that a classifier answers by whose layers guess by this one."""
    return ANSWERS[MEASURES[name].answered_by]


def candidates(membership: str, *, pooled: bool = False, kernel: bool = False) -> tuple[str, ...]:
    """Names of the measures that a membership leaves to choose from: those of "auto", or the one that was given.

    ``pooled`` says whether samples are features that were pooled over the circle, ``kernel`` whether they are features
    of a kernel that is not linear, with a constant coordinate.
    """
    if membership != "auto":
        return (membership,)
    if kernel:
        return AUTOMATIC_FOR_KERNELS
    return AUTOMATIC_FOR_POOLED if pooled else AUTOMATIC


def goes_with_pooled(membership: str) -> bool:
    """Whether pooled features are the usual ones for a membership: it is what they are measured by, or left open."""
    return set(candidates(membership, pooled=True)) <= set(AUTOMATIC_FOR_POOLED)
