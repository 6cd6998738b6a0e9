"""Arguments of the compiled layers that travel together."""

from typing import Any, NamedTuple


class LayerOnFewRows(NamedTuple):
    """A layer as the small kernel multiplies with it; all arrays are real and of the precision of the samples.

    Parameters
    ----------
    operators : array, shape (n_freqs, n_classes + 1, K, K)
        The compressions, then I + η E.
    projections : array, shape (n_freqs, n_classes, K, K), or (0, 1, 1, 1)
        What the residual of a class is the norm of, where it is not the compression.
    weights : array, shape (n_freqs,)
        Parseval weights.
    shares : array, shape (n_classes,)
        η γ_j.
    unit, offset : array, shape (n_classes,)
        The residual is ‖C_j v‖ / unit + offset, or v* C_j v / unit + offset if it is squared.
    squared : bool
    sharpness : float
        λ of the soft membership.
    """

    operators: Any
    projections: Any
    weights: Any
    shares: Any
    unit: Any
    offset: Any
    squared: bool
    sharpness: Any


class LayerOnManyRows(NamedTuple):
    """A layer as BLAS multiplies with it; all arrays are real and of the precision of the samples.

    Parameters
    ----------
    operators, weights, shares, unit, offset, squared, sharpness
        As in :class:`LayerOnFewRows`.
    spans : array, shape (n_freqs, n_classes · R, K), or (0, 1, 1)
        Rows that span the subspace of each class, where the residual is what a sample of unit norm has outside of it.
    """

    operators: Any
    spans: Any
    weights: Any
    shares: Any
    unit: Any
    offset: Any
    squared: bool
    sharpness: Any
