"""The constants of a construction."""

from dataclasses import dataclass

from ..measures.measure import AnswerMeasure, Measure, MeasureOptions
from ..measures.registry import answer_measure, measure_named


@dataclass(frozen=True)
class Recipe:
    """The constants of a construction.

    Parameters
    ----------
    n_layers : int
        Layers at most.
    eps : float
        Distortion ε.
    step_size : float or None
        η; None adapts it so that no layer lowers ΔR.
    sharpness : float
        λ of the soft membership.
    relative_residual : bool
        Measure ‖C_j v‖ in units of α_j, so that it lies in [0, 1] (exact convention), or as it is (published).
    tol : float or None
        Stop when ΔR grows by less than this share of itself per natural step; None never stops.
    momentum : float or "nesterov"
        β of every layer but the first; "nesterov" lets it grow towards 1.
    membership : str
        Name of the measure that layers guess the class of a sample by.
    rank : int
        Dimension of class subspaces.
    """

    n_layers: int
    eps: float
    step_size: float | None
    sharpness: float
    relative_residual: bool
    tol: float | None
    momentum: float | str
    membership: str = "softmax"
    rank: int = 1

    @property
    def measure(self) -> type[Measure]:
        """What layers guess the class of a sample by."""
        return measure_named(self.membership)

    @property
    def answer(self) -> type[AnswerMeasure]:
        """What a classifier answers by."""
        return answer_measure(self.membership)

    @property
    def measure_options(self) -> MeasureOptions:
        """Constants that measures depend on."""
        return MeasureOptions(self.eps, self.rank, self.relative_residual)
