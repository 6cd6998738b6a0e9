"""From an answer back to the sample: shares of the difference between two classes, added up over all answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from ..inputs.errors import Data, InputError, Option
from ..inputs.unequal_lengths import lengths_of
from ..measures.measure import AnswerMeasure
from ..network.network import InvariantLifting, LocatedLifting, Network
from ..numerics.arrays import Array
from ..numerics.attribution import frequency_shares
from ..numerics.orbit import first_positions, put_back
from ..numerics.removal import cut_out, levelled, spread_losses, stretches
from .aligned_answer import AlignedAnswer
from .explanation import Explanation
from .further_answer import distances_by
from .silent_samples import silent_rows


class Shares(NamedTuple):
    """What one answer gives to the difference between two classes of each sample.

    Parameters
    ----------
    positions : float array of the shape of the samples
    parts : float array, shape (n_samples, n_parts)
    """

    positions: Array
    parts: Array


class Answer(NamedTuple):
    """A network, what its features are measured by, how much that counts, and the number of classes."""

    network: Network
    measure: AnswerMeasure
    weight: float
    n_classes: int
    # Where it is by nearness at every shift.
    aligned: AlignedAnswer | None = None

    def differences(self, samples: Array, nearest: int, other: int) -> Array:
        """Distance to one class minus that to another, unweighted; shape (n_samples,)."""
        distances = distances_by(self.network, self.measure, samples, self.n_classes)
        return distances[:, other] - distances[:, nearest]


def explain_samples(
    answers: Sequence[Answer], samples: Array, distances: Array, classes: Array, pair: Any, feature_names: Any
) -> Explanation:
    """Why samples are nearer to one class than to another.

    Parameters
    ----------
    answers : sequence of Answer
        A sample that no filter of one of them responds to is equally far from all classes there.
    samples : array, shape (n_samples, *sample_shape)
    distances : float array, shape (n_samples, n_classes)
        The sum over all answers.
    classes : array, shape (n_classes,)
    pair : None, or two labels, or two arrays of labels
    feature_names : sequence of str, optional
        Of the columns of a table.
    """
    nearest, other = two_nearest(distances) if pair is None else read_pair(pair, classes, len(samples))
    every = np.arange(len(samples))
    difference = distances[every, other] - distances[every, nearest]
    positions, parts = np.zeros(samples.shape), []
    for answer in answers:
        found = _answer_shares(answer, samples, nearest, other)
        positions += answer.weight * found.positions
        parts.append(answer.weight * found.parts)
    constant = difference - sum(part.sum(axis=1) for part in parts)
    names = [
        f"{name} at the best shift" if answer.aligned is not None else name
        for answer in answers
        for name in _part_names(answer.network, feature_names)
    ]
    n_values = tuple(range(1, samples.ndim))
    offset = difference - np.nansum(positions, axis=n_values)
    lengths = lengths_of(samples) if samples.ndim == 3 else None
    located = positions if lengths is None else [one[:, :n] for one, n in zip(positions, lengths, strict=True)]
    return Explanation(
        classes[nearest],
        classes[other],
        distances,
        difference,
        located,
        offset,
        np.concatenate([*parts, constant[:, None]], axis=1),
        np.array([*names, "constant"]),
    )


def two_nearest(distances: Array) -> tuple[Array, Array]:
    """Numbers of the nearest and the second nearest class of each sample; of equally near ones the first."""
    nearest = distances.argmin(axis=1)
    others = distances.copy()
    others[np.arange(len(distances)), nearest] = np.inf
    return nearest, others.argmin(axis=1)


def read_pair(pair: Any, classes: Array, n_samples: int) -> tuple[Array, Array]:
    """Numbers of the two classes that were asked for, for each sample.

    Parameters
    ----------
    pair : two labels, or two arrays of labels of shape (n_samples,)
    classes : array, shape (n_classes,)
    n_samples : int
    """
    option = Option("classes")
    if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2:
        raise InputError(
            "{option} must be a pair of labels, or of arrays of one label per sample, got {value!r}; pass such as "
            "{example}.",
            option=option,
            value=pair,
            example=Option("classes", tuple(classes[:2].tolist())),
        )
    numbers = []
    for labels in pair:
        labels = np.asarray(labels)
        if labels.shape not in ((), (n_samples,)):
            raise InputError(
                "{option} has labels of shape {shape} but {data} has {n_samples} samples; pass one label, or one for "
                "each sample.",
                option=option,
                shape=labels.shape,
                data=Data("X"),
                n_samples=n_samples,
            )
        known = {label: number for number, label in enumerate(classes.tolist())}
        wanted = np.broadcast_to(labels, (n_samples,)).tolist()
        unknown = [label for label in wanted if label not in known]
        if unknown:
            raise InputError(
                "{option} has the label {label!r}, which was not seen in fit; pass two of {known}.",
                option=option,
                label=unknown[0],
                known=", ".join(map(repr, known)),
            )
        numbers.append(np.array([known[label] for label in wanted], dtype=int))
    same = np.flatnonzero(numbers[0] == numbers[1])
    if len(same):
        raise InputError(
            "{option} compares class {label!r} with itself; pass two different labels.",
            option=option,
            label=classes.tolist()[numbers[0][same[0]]],
        )
    return numbers[0], numbers[1]


def _answer_shares(answer: Answer, samples: Array, nearest: Array, other: Array) -> Shares:
    """Shares of one answer, unweighted; zeros for samples that no filter responds to."""
    network, n_parts = answer.network, len(_part_names(answer.network, None))
    found = Shares(np.where(np.isnan(samples), np.nan, 0.0), np.zeros((len(samples), n_parts)))

    def explain_some(rows: Array) -> None:
        if answer.aligned is not None:
            for some, V in network.invariant_blocks(samples[rows]):
                here = rows[some]
                weights = answer.aligned.contrast_weights(V, nearest[here], other[here], network.geometry.norm_weights)
                found.positions[here], found.parts[here] = _shares_of(network, samples[here], V, V[:, :0], weights)
            return
        for some, V, outside in network.located_blocks(samples[rows]):
            here = rows[some]
            located = _located_shares(answer, samples[here], V, outside, nearest[here], other[here])
            found.positions[here], found.parts[here] = located

    silent = silent_rows(np.arange(len(samples)), explain_some)
    found.positions[silent], found.parts[silent] = 0.0, 0.0
    return found


def _located_shares(answer: Answer, samples: Array, V: Array, outside: Array, nearest: Array, other: Array) -> Shares:
    """Shares of a few samples whose features are V, by the inner product that the measure gives."""
    network, lift, geometry = answer.network, answer.network.lift, answer.network.geometry
    weights = answer.measure.contrast(V, nearest, other).weights
    if not geometry.grid:
        products = network.sample_domain(V, outside) * network.sample_domain(weights, outside)
        values = products[:, : geometry.sample_shape[0]]  # all but the constant one
        if lift is None:
            return Shares(values, values)
        parts = cast(InvariantLifting, lift).parts_of(values)
        return Shares(_removal_shares(answer, samples, nearest, other, values.sum(axis=1)), parts)
    return _shares_of(network, samples, V, outside, weights)


def _shares_of(network: Network, samples: Array, V: Array, outside: Array, weights: Array) -> Shares:
    """Shares of samples on a circle or torus by an inner product of their features V and weights."""
    lift, geometry = network.lift, network.geometry
    of_frequency = frequency_shares(V, weights, geometry.norm_weights)
    parts = of_frequency @ (geometry.frequency_numbers[:, None] == _frequencies(network))
    features, at_features = network.sample_domain(V, outside), network.sample_domain(weights, outside)
    if lift is None:
        return Shares(put_back(features * at_features, first_positions(samples)), parts)
    return Shares(cast(LocatedLifting, lift).sample_shares(samples, features, at_features), parts)


def _removal_shares(answer: Answer, samples: Array, nearest: Array, other: Array, totals: Array) -> Array:
    """Shares of the positions of signals whose features have no places: what is lost without each stretch.

    Parameters
    ----------
    answer : Answer
    samples : array, shape (n_samples, n_channels, longest)
        With NaN after the end of shorter signals.
    nearest, other : int array, shape (n_samples,)
    totals : float array, shape (n_samples,)
        What the shares of each signal add up to.

    Returns
    -------
    float array of the shape of samples
        NaN after the end of shorter signals.
    """
    lift = cast(InvariantLifting, answer.network.lift)
    answer = answer._replace(network=replace(answer.network, lift=lift.without_padding()))
    found = np.full(samples.shape, np.nan)
    lengths = lengths_of(samples)
    for i, sample in enumerate(samples):
        signal = sample if lengths is None else sample[:, : lengths[i]]
        circle = np.pad(signal, [(0, 0), (0, lift.pad[0])])
        origin = first_positions(circle[None])
        around = stretches(circle.shape[1])
        losses = _losses(answer, circle, (around + origin) % circle.shape[1], int(nearest[i]), int(other[i]))
        shares = put_back(spread_losses(losses, around, float(totals[i]))[None], origin)[0]
        # What would go to the zeros of the padding goes evenly to all values of the sample.
        outside = shares[:, signal.shape[1] :].sum()
        found[i, :, : signal.shape[1]] = shares[:, : signal.shape[1]] + outside / signal.size
    return found


def _losses(answer: Answer, signal: Array, positions: Array, nearest: int, other: int) -> Array:
    """What is lost of the difference without each stretch; shape (n_channels, n_stretches).

    The mean of two ways to take it out: levelled in each channel by itself, and cut out of all channels, which share
    that loss evenly.
    """
    n_channels, length = signal.shape
    if positions.shape[1] >= length:  # nothing would be left
        return np.zeros((n_channels, len(positions)))
    variants = [signal, *(cut_out(signal, stretch) for stretch in positions)]
    for channel in range(n_channels):
        for stretch in positions:
            variants.append(signal.copy())
            variants[-1][channel] = levelled(signal[channel : channel + 1], stretch)[0]
    differences = answer.differences(np.stack(variants), nearest, other)
    losses = (differences[0] - differences[1:]).reshape(1 + n_channels, len(positions))
    return (losses[:1] / n_channels + losses[1:]) / 2


def _part_names(network: Network, feature_names: Any) -> list[str]:
    """Names of the parts of an answer."""
    if network.lift is not None and network.lift.is_invariant:
        return list(cast(InvariantLifting, network.lift).part_names)
    if network.geometry.grid:
        return [f"frequency {number}" for number in _frequencies(network)]
    if feature_names is not None:
        return [str(name) for name in feature_names]
    return [f"feature {number}" for number in range(network.geometry.sample_shape[0])]


def _frequencies(network: Network) -> Array:
    """The frequencies that parts are named after."""
    return np.unique(network.geometry.frequency_numbers)
