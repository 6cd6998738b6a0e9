"""Features that are pooled over the circle, in a graph; the twin of :class:`redunet.lift.pooled_bank.PooledBank`.

Signals are brought to one scale in double precision, and responses are summed in single precision in the order of
:func:`redunet.numerics.pooling.dilated_responses`, so that the counts are those of the model.
"""

import numpy as np

from ..lift.pooled_bank import PooledBank
from ..numerics.pooling import HEAVY_TAPS, N_TAPS
from .filter_nodes import padded
from .graph_builder import Graph, Tensor

# A signal that varies by less than this share of its largest value is constant but for rounding.
CONSTANT_SHARE = 1e-9
# Powers of two, of which some are below the length of a signal; longer ones do not fit into memory.
POWERS = 2 ** np.arange(31)
# The marks of several filters are worked on as the bits of one number; single precision holds 24 of them.
FILTERS_PER_WORD = 21
N_WORDS, BITS = len(HEAVY_TAPS) // FILTERS_PER_WORD, 2 ** np.arange(FILTERS_PER_WORD)
ALL_BITS = -1


def unit_vectors(bank: PooledBank, samples: Tensor) -> Tensor:
    """Features of signals on the unit sphere, with a constant coordinate; shape (n_samples, n_features + 1).

    Parameters
    ----------
    bank : PooledBank
    samples : Tensor, shape (n_samples, n_channels_in, length)
        Of any length, where the bank takes any.
    """
    signals = padded(samples, bank.pad)
    if bank.length is None:
        length = signals.graph.node("Shape", signals, dtype=np.int64, start=2)
    else:
        length = signals.graph.whole_numbers([bank.length])
    shares = counts(bank, signals, length).cast(np.float64) / length.cast(np.float64)
    inverse = np.divide(1.0, bank.scale, out=np.zeros_like(bank.scale), where=bank.scale > 0)
    standardised = (shares.sqrt() - bank.mean) * inverse
    constant = standardised.slice(1, 0, 1) * 0.0 + bank.offset
    vectors = standardised.join(constant, axis=1)
    return (vectors / vectors.sum_of_squares(1, keepdims=True).sqrt()).cast(samples.dtype)


def counts(bank: PooledBank, signals: Tensor, length: Tensor) -> Tensor:
    """What is counted of padded signals, in the order of the features; int64, shape (n_samples, n_features).

    It is done one signal after the other, for bounded memory.

    Parameters
    ----------
    bank : PooledBank
    signals : Tensor, shape (n_samples, n_channels_in, length)
    length : Tensor, int64, shape (1,)
    """
    n_channels, n_views = bank.thresholds.shape[:2]
    seen = views(signals, n_channels, n_views)

    def one_signal(inside: Graph, row: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        return [], [counts_of_views(bank, seen.take(row, 0), length)]

    n_samples = signals.graph.node("Shape", signals, dtype=np.int64, end=1).reshape()
    (found,) = signals.graph.loop(n_samples, one_signal)
    return found


def counts_of_views(bank: PooledBank, seen: Tensor, length: Tensor) -> Tensor:
    """What is counted of the views of one signal, float32 (n_channels · n_views, length); int64 (n_features,)."""
    n_channels, n_views, n_dilations, n_filters, n_thresholds = bank.thresholds.shape
    graph = seen.graph
    thresholds = graph.constant(bank.thresholds.reshape(-1, n_filters, n_thresholds), np.float32)
    dilations = graph.whole_numbers(np.tile(bank.dilations, n_channels * n_views))
    view_numbers = graph.whole_numbers(np.repeat(np.arange(n_channels * n_views), n_dilations))
    n_rounds = n_channels * n_views * n_dilations

    def one_round(inside: Graph, number: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        """One view of the signal, at one dilation."""
        response = dilated_responses(seen.take(view_numbers.take(number, 0), 0), dilations.take(number, 0), length)
        levels = thresholds.take(number, 0).unsqueeze(2)
        above = marked_above(response, levels)
        # A position and the next one are both above a level if the lower of the two is; else a run ends between them.
        both = marked_above(response.at_most(rolled(response, inside.whole_numbers([1]))), levels)
        n_above = above.sum(-1)
        return [], [n_above.cast(np.int64), (n_above - both.sum(-1)).cast(np.int64), in_words(above, n_thresholds)]

    n_above, n_runs, words = graph.loop(n_rounds, one_round)
    has_gap = length > n_above
    longest = has_gap.where(longest_runs(words, length, n_rounds, n_thresholds), length)
    found = [one.unsqueeze(-1) for one in (n_above, longest, n_runs)]  # (n_rounds, n_filters, n_thresholds, 1)
    return found[0].join(*found[1:], axis=-1).reshape(-1)


def views(signals: Tensor, n_channels: int, n_views: int) -> Tensor:
    """Signals, and their circular differences, of mean 0 and mean square 1.

    Float32, shape (n_samples, n_channels · n_views, length); the difference of a channel comes after the channel.
    """
    before = signals.slice(2, -1).join(signals.slice(2, 0, -1), axis=2)
    wanted = [standardised(one).unsqueeze(2) for one in (signals, signals - before)[:n_views]]
    return wanted[0].join(*wanted[1:], axis=2).reshape(0, n_channels * n_views, -1)


def standardised(signals: Tensor) -> Tensor:
    """Signals (n, n_channels, length) of mean 0 and mean square 1, or 0 if they are constant; float32."""
    signals = signals.cast(np.float64)
    peaks = signals.abs().max(2, keepdims=True)  # first, for squares of it may be too large or too small
    signals = signals / (peaks > 0.0).where(peaks, 1.0)
    rest = signals - signals.mean(2, keepdims=True)
    deviation = (rest * rest).mean(2, keepdims=True).sqrt()
    varies = deviation > CONSTANT_SHARE
    return varies.where(rest / varies.where(deviation, 1.0), 0.0).cast(np.float32)


def dilated_responses(signal: Tensor, dilation: Tensor, length: Tensor) -> Tensor:
    """Responses of all filters at all positions; shape (n_filters, length).

    Parameters
    ----------
    signal : Tensor, float32, shape (length,)
    dilation : Tensor, int64
    length : Tensor, int64, shape (1,)
    """
    graph = length.graph
    positions = graph.node("Range", graph.whole_numbers(0), length.reshape(), graph.whole_numbers(1))
    offsets = dilation * (np.arange(N_TAPS) - N_TAPS // 2)[:, None]
    taps = signal.take((offsets + positions) % length, axis=0)  # (N_TAPS, length)
    everywhere = -taps.slice(0, 0, 1)
    for k in range(1, N_TAPS):
        everywhere = everywhere - taps.slice(0, k, k + 1)
    tripled = taps * 3.0
    a, b, c = (tripled.take(heavy, axis=0) for heavy in HEAVY_TAPS.T)
    return ((everywhere + a) + b) + c


def marked_above(response: Tensor, levels: Tensor) -> Tensor:
    """Ones where responses are above levels, else zeros; float32, shape (n_filters, n_thresholds, length).

    Parameters
    ----------
    response : Tensor, shape (n_filters, length)
    levels : Tensor, shape (n_filters, n_thresholds, 1)
    """
    return (response.unsqueeze(1) > levels).cast(np.float32)


def in_words(above: Tensor, n_thresholds: int) -> Tensor:
    """Marks of several filters as the bits of one number; int32, shape (n_words · n_thresholds, length).

    Parameters
    ----------
    above : Tensor, float32, shape (n_filters, n_thresholds, length)
        Of zeros and ones.
    n_thresholds : int
    """
    words = BITS[None] @ above.reshape(N_WORDS, FILTERS_PER_WORD, -1)
    return words.reshape(N_WORDS * n_thresholds, -1).cast(np.int32)


def longest_runs(words: Tensor, length: Tensor, n_rounds: int, n_thresholds: int) -> Tensor:
    """Length of the longest run of marks around each circle that has a gap, by doubling.

    Where a run of 2ᵏ marks begins is known from where runs of half that length begin. The longest run is put together
    of such runs, from the largest power of two down: one of 2ᵏ marks, followed by what was found before.

    Parameters
    ----------
    words : Tensor, int32, shape (n_rounds, n_words · n_thresholds, length)
        Marks of several filters as bits.
    length : Tensor, int64, shape (1,)
    n_rounds, n_thresholds : int

    Returns
    -------
    Tensor, int64, shape (n_rounds, n_filters, n_thresholds)
    """
    graph = words.graph
    powers = graph.whole_numbers(POWERS)
    n_powers = (length.at_least(2) > POWERS).cast(np.int64).sum(0)  # those below the length, but one at least

    def double(inside: Graph, k: Tensor, begins: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        return [begins & rolled(begins, powers.take(k, 0).reshape(1))], [begins]

    _, begins_of_power = graph.loop(n_powers, double, words)

    def lengthen(inside: Graph, number: Tensor, begins: Tensor, known: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        k = n_powers - 1 - number
        power = powers.take(k, 0)
        longer = begins_of_power.take(k, 0) & rolled(begins, power.reshape(1))
        found = anywhere(longer, n_powers)
        bits = ((found & BITS) > 0).cast(np.int64)  # (n_rounds, n_words · n_thresholds, FILTERS_PER_WORD)
        return [(longer & found) | (begins & ~found), known + bits * power], []

    nothing = graph.whole_numbers(np.zeros((1, 1, FILTERS_PER_WORD)))
    _, lengths = graph.loop(n_powers, lengthen, words | ALL_BITS, nothing)
    by_filter = lengths.reshape(n_rounds, N_WORDS, n_thresholds, FILTERS_PER_WORD).transpose(0, 1, 3, 2)
    return by_filter.reshape(n_rounds, len(HEAVY_TAPS), n_thresholds)


def anywhere(words: Tensor, n_folds: Tensor) -> Tensor:
    """Bits that are set somewhere along the last axis, which is folded to length 1."""

    def fold(inside: Graph, number: Tensor, rest: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        length = inside.node("Shape", rest, dtype=np.int64, start=-1)
        half = (length + 1) / 2
        return [rest.slice(-1, 0, half) | rest.slice(-1, length - half)], []

    (folded,) = words.graph.loop(n_folds, fold, words)
    return folded


def rolled(values: Tensor, steps: Tensor) -> Tensor:
    """What stands so many steps further on around the last axis; steps are at most its length, of shape (1,)."""
    return values.slice(-1, steps).join(values.slice(-1, 0, steps), axis=-1)
