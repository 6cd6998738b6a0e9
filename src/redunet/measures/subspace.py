"""The distance to a class subspace, per frequency: a measure that no shift can change."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..fast.cached import cached_property
from ..fast.row_layout import KernelMeasure, RowLayout
from ..fast.sample_lanes import SampleLanes, aligned_copy, aligned_empty
from ..fast.threads import run_parts
from ..inputs.errors import InputError, Option
from ..numerics.arrays import Array, single_of
from ..numerics.spectrum import squared_norms
from ..numerics.subspaces import energy_outside, principal_subspaces
from ..storage.expectations import expect, expect_at_most_one
from ..storage.stored_types import stored_record
from .class_moments import ClassMoments, FeatureSpace
from .left_out import Choices, ClassView, LeftOut, LeftOutSamples
from .measure import (
    AnswerMeasure,
    Contrast,
    MeasureOptions,
    applied_by_class,
    expect_measure,
    numbers_of_classes,
    rounded,
)

# Frequencies that a core works on at a time, always the same ones.
FREQUENCIES_PER_PART = 32
# Energy outside of a subspace below which it is measured by itself, not as a difference.
SMALL_ENERGY = 1e-4
# Energy outside of a subspace below which single precision is not enough for a difference.
SMALL_IN_SINGLE = 1e-3
# Energy outside of a subspace below which a form in single precision is not enough: it is wrong by 1e-8 of all energy,
# which such a distance would show in the sixth digit.
SMALL_IN_FORMS = 3e-5
# Subspaces of at least this share of all channels are measured by what is outside of them.
LARGE_RANK_SHARE = 1 / 3
# Time of a product of numbers in a form, beside that of one with a direction, whose energies are the less precise the
# smaller the distance is; products that each pair of channels takes for so many forms.
FORM_TIME, PAIR_TIME, FORMS_TOGETHER = 0.8, 2, 10
# Ranks to choose from.
RANK_CHOICES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
# A direction that only one sample reached into has no energy left without it: less than this share of it remains, the
# rounding errors of double precision, in which moments are summed whatever the precision of the samples.
ROUNDING_FLOOR = 1e-10


@stored_record()
@dataclass(frozen=True, eq=False)
class NearestSubspaces(AnswerMeasure):
    """A subspace for each class at each frequency.

    Parameters
    ----------
    bases : array, shape (n_classes, n_freqs, n_channels, rank)
        Orthonormal columns; columns of zeros where a class has fewer directions.
    weights : float array, shape (n_freqs,)
        Parseval weights.
    """

    bases: Array
    weights: Array

    name = answered_by = "subspace"
    reads_eigenvectors = needs_directions = True
    stored_arrays = ("subspaces",)
    option_symbol = "rank"

    @classmethod
    def of_moments(cls, moments: ClassMoments, options: MeasureOptions, kind: np.dtype | None = None) -> Self:
        """Subspaces of the strongest directions of the class moments, without those that are rounding errors."""
        bases = []
        for j in range(len(moments.M)):
            values, vectors = moments.eigensystem(j)
            bases.append(principal_subspaces(values[None], vectors[None], options.rank, moments.rounding)[0])
        stacked = np.stack(bases)
        return cls(stacked if kind is None else stacked.astype(kind), moments.space.norm_weights)

    @classmethod
    def distances_by_options(
        cls, moments: ClassMoments, options: Sequence[MeasureOptions], V: Array
    ) -> Sequence[Array]:
        """Distances for several ranks, by energies along the directions of the largest one."""
        from ..fast.kernels import energies_of_groups

        ranks = [one.rank for one in options]
        k, n_freqs, C = moments.M.shape[:3]
        rank = min(max(ranks), C)
        directions = np.empty((n_freqs, k, rank, C), V.dtype)
        for j in range(k):
            values, vectors = moments.eigensystem(j)
            bases = principal_subspaces(values[None], vectors[None], rank, moments.rounding)[0]
            np.conjugate(bases.swapaxes(1, 2), out=directions[:, j], casting="same_kind")
        rows = directions.reshape(n_freqs, k * rank, C)
        weights, bounds = moments.space.norm_weights, range(0, n_freqs, FREQUENCIES_PER_PART)
        of_parts = np.empty((len(bounds), k * rank, V.shape[2]))

        def work(number: int) -> None:
            part = slice(bounds[number], bounds[number] + FREQUENCIES_PER_PART)
            energies_of_groups(rows[part] @ V[part], weights[part], of_parts[number])

        run_parts(work, range(len(bounds)))
        inside = of_parts.sum(axis=0).reshape(k, rank, -1).cumsum(axis=1) / squared_norms(V, weights)
        outside = np.sqrt(np.clip(1.0 - inside, 0.0, 1.0))
        return [rounded(outside[:, one - 1].T, V.dtype) for one in ranks]

    @property
    def rank(self) -> int:
        """Dimension of the subspaces, at each frequency."""
        return int(self.bases.shape[-1])

    def residuals(self, V: Array) -> Array:
        """Distance of each sample of unit norm to each class subspace, in [0, 1]; shape (n_classes, n_samples)."""
        outside = self._share_outside(V)
        if self._rows_are_outside:
            return np.sqrt(outside).T
        # What is left of a difference of nearly equal numbers is rounding: there it is computed again more precisely,
        # or the rest itself is measured.
        double = np.result_type(V.dtype, np.float64)
        if V.dtype != double:
            near = np.flatnonzero((outside < SMALL_IN_SINGLE).any(axis=1))
            if len(near):
                outside[near] = self._share_outside(V[:, :, near].astype(double))
        near = np.flatnonzero((outside < SMALL_ENERGY).any(axis=1))
        if len(near):
            some = V[:, :, near]
            outside[near] = energy_outside(self.bases, some, self.weights) / squared_norms(some, self.weights)[:, None]
        return np.sqrt(np.clip(outside, 0.0, 1.0)).T

    def distances_of_lanes(self, lanes: SampleLanes) -> Array:
        """Distances measured side by side; small ones again, more precisely."""
        by_forms, is_double = self._forms_are_quicker, lanes.tiles.dtype == np.float64
        outside = self._share_outside_of_lanes(lanes, by_forms=by_forms)
        residuals = np.sqrt(np.clip(outside, 0.0, 1.0)).T
        limit = SMALL_ENERGY if is_double else SMALL_IN_FORMS if by_forms else SMALL_IN_SINGLE
        near = np.flatnonzero((outside < limit).any(axis=1))
        if len(near) and not self._rows_are_outside:
            residuals[:, near] = self.residuals(lanes.blocks(near).astype(np.complex128))
        elif len(near) and by_forms:
            residuals[:, near] = np.sqrt(self._share_outside_of_lanes(lanes.some(near), by_forms=False)).T
        return self._told_apart(residuals, lanes.kind, lanes.blocks)

    def contrast(self, V: Array, nearest: Array, other: Array) -> Contrast:
        """The difference of two distances, d₂ − d₁ = (d₂² − d₁²) / (d₁ + d₂), whose numerator is v* (P₁ − P₂) v."""
        V = V.astype(np.result_type(V.dtype, np.float64))
        distances, every = self.residuals(V), np.arange(V.shape[2])
        scale = squared_norms(V, self.weights) * (distances[nearest, every] + distances[other, every])
        scale = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
        inside = applied_by_class(self._projected, V, nearest) - applied_by_class(self._projected, V, other)
        return Contrast(inside * scale, np.zeros(V.shape[2]))

    def _projected(self, j: int, V: Array) -> Array:
        """Samples (n_freqs, n_channels, n) projected onto the subspaces of class j."""
        projected: Array = self.bases[j] @ (self.bases[j].conj().swapaxes(-1, -2) @ V)
        return projected

    def _share_outside(self, V: Array) -> Array:
        """Share of the energy of each sample outside of each class subspace, on all cores; (n_samples, n_classes).

        Measured by the directions of the subspaces, or by those outside of them where there are few enough, which needs
        no difference.
        """
        from ..fast.kernels import energies_of_groups

        k, n_freqs, n_samples = len(self.bases), len(V), V.shape[2]
        parts = [slice(first, first + FREQUENCIES_PER_PART) for first in range(0, n_freqs, FREQUENCIES_PER_PART)]
        of_classes, total = np.empty((len(parts), k, n_samples)), np.empty((len(parts), 1, n_samples))
        rows = self._single_rows if V.real.itemsize == 4 else self._rows

        def work(number: int) -> None:
            part = parts[number]
            energies_of_groups(rows[part] @ V[part], self.weights[part], of_classes[number])
            energies_of_groups(V[part], self.weights[part], total[number])

        run_parts(work, range(len(parts)))
        shares = (of_classes.sum(axis=0) / total.sum(axis=0)).T
        return shares if self._rows_are_outside else 1.0 - shares

    def _share_outside_of_lanes(self, lanes: SampleLanes, *, by_forms: bool) -> Array:
        """The same for samples in lanes, by directions or by projections as forms; shape (n_samples, n_classes)."""
        from ..fast.kernels import add_forms_of_first_lane, add_forms_of_lanes, add_row_energies_of_lanes

        n_tiles, n_freqs, _, size = lanes.tiles.shape
        k, single = len(self.bases), lanes.tiles.dtype == np.float32
        starts = range(0, n_freqs, FREQUENCIES_PER_PART)
        of_parts = np.zeros((len(starts), n_tiles, k, size))
        forms = rows = self.weights  # of the two only one is computed
        if by_forms:
            forms = self._single_forms if single else self._double_forms
        else:
            rows = self._single_lane_rows if single else self._double_lane_rows

        def work(number: int) -> None:
            bounds, inside = (starts[number], min(starts[number] + FREQUENCIES_PER_PART, n_freqs)), of_parts[number]
            if by_forms:
                add_forms = add_forms_of_first_lane if lanes.n_samples == 1 else add_forms_of_lanes
                add_forms(lanes.tiles, forms, self.weights, *bounds, inside)
            else:
                add_row_energies_of_lanes(lanes.tiles, rows, self.weights, k, *bounds, inside)

        run_parts(work, range(len(starts)))
        inside = of_parts.sum(axis=0)
        shares = inside.transpose(0, 2, 1).reshape(n_tiles * size, k)[: lanes.n_samples] / lanes.energies[:, None]
        return shares if by_forms or self._rows_are_outside else 1.0 - shares

    @property
    def _forms_are_quicker(self) -> bool:
        """Whether v* P_j v by the products of all pairs of channels takes less time than directions one by one.

        The products of pairs are the same for several classes, so that each form takes C² products of real numbers, and
        four for each direction and channel otherwise.
        """
        k, _, C, rank = self.bases.shape
        n_directions = C - rank if self._rows_are_outside else rank
        return FORM_TIME * C * (k + PAIR_TIME * math.ceil(k / FORMS_TOGETHER)) < 4 * n_directions * k

    def _forms(self, dtype: np.dtype) -> Array:
        """Projections to what is outside of the subspaces, packed for the kernel; flat array."""
        from ..fast.kernels import FORMS_IN_VECTOR, pack_forms

        k, n_freqs, C, _ = self.bases.shape
        found = aligned_empty((n_freqs * k * C * C + FORMS_IN_VECTOR,), dtype)
        found[-FORMS_IN_VECTOR:] = 0
        packed = found[:-FORMS_IN_VECTOR].reshape(n_freqs, k * C * C)

        def work(p: int) -> None:
            some = self.bases[:, p].astype(np.complex128)
            forms = some @ some.conj().swapaxes(-1, -2)
            pack_forms((np.eye(C) - forms)[None], packed[p : p + 1])

        run_parts(work, range(n_freqs))
        return found

    @cached_property
    def _single_forms(self) -> Array:
        return self._forms(np.dtype(np.float32))

    @cached_property
    def _double_forms(self) -> Array:
        return self._forms(np.dtype(np.float64))

    def _lane_rows(self, dtype: np.dtype) -> Array:
        """Rows to multiply with, channel by channel; flat array (n_freqs, n_channels, n_classes · n_directions, 2)."""
        rows = self._rows.transpose(0, 2, 1)
        return aligned_copy(np.stack([rows.real, rows.imag], axis=-1), dtype)

    @cached_property
    def _single_lane_rows(self) -> Array:
        return self._lane_rows(np.dtype(np.float32))

    @cached_property
    def _double_lane_rows(self) -> Array:
        return self._lane_rows(np.dtype(np.float64))

    @property
    def _rows_are_outside(self) -> bool:
        """Whether the rows to multiply with are the directions outside of the subspaces."""
        return self.rank >= LARGE_RANK_SHARE * self.bases.shape[2]

    @cached_property
    def _rows(self) -> Array:
        """Directions as rows to multiply with; shape (n_freqs, n_classes · n_directions, n_channels)."""
        directions = self._directions_outside() if self._rows_are_outside else self.bases
        k, n_freqs, C, n_directions = directions.shape
        return np.ascontiguousarray(directions.conj().transpose(1, 0, 3, 2)).reshape(n_freqs, k * n_directions, C)

    def _directions_outside(self) -> Array:
        """Orthonormal directions outside of the subspaces, then columns of zeros; like the bases."""
        k, n_freqs, C, _ = self.bases.shape
        n_inside = (self.bases != 0).any(axis=2).sum(axis=2)
        outside = np.zeros((k, n_freqs, C, C - int(n_inside.min())), self.bases.dtype)

        def work(j: int) -> None:
            # Columns of zeros come last, so that what an orthonormal basis has after the others is outside.
            whole = np.linalg.qr(self.bases[j], mode="complete").Q
            for n in np.unique(n_inside[j]):
                outside[j, n_inside[j] == n, :, : C - n] = whole[n_inside[j] == n, :, n:]

        run_parts(work, range(k))
        return outside

    @cached_property
    def _single_rows(self) -> Array:
        """The same, in single precision."""
        return self._rows.astype(single_of(self._rows.dtype), copy=False)

    def __getstate__(self) -> dict[str, object]:
        return {"bases": self.bases, "weights": self.weights}

    def for_kernel(self, layout: RowLayout) -> KernelMeasure:
        """The distance is the norm of what lies off the subspace."""
        k = len(self.bases)
        return KernelMeasure(np.ones(k), np.zeros(k), False, layout.probes(self.bases))

    def as_answer(self, moments: ClassMoments, options: MeasureOptions) -> "NearestSubspaces":
        """The subspaces themselves."""
        return self

    @classmethod
    def refuse_options(cls, options: MeasureOptions, space: FeatureSpace) -> None:
        """A subspace of all channels holds every sample."""
        if options.rank >= space.dimension:
            raise InputError(
                "{rank} must be less than the {n_channels} {axis} of a feature, or a class subspace holds every "
                "sample; pass {option} <= {most}.",
                rank=Option("rank", options.rank),
                n_channels=space.dimension,
                axis="channels" if space.grid else "coordinates",
                option=Option("rank"),
                most=space.dimension - 1,
            )

    @classmethod
    def left_out(cls, samples: LeftOutSamples, choices: Choices) -> "SubspacesLeftOut | None":
        """Distances to subspaces that have not seen a sample; of a short list of ranks where none are given."""
        ranks = choices.ranks
        if ranks is None:
            ranks = tuple(rank for rank in RANK_CHOICES if rank < samples.n_independent_channels)
        ranks = tuple(min(rank, samples.V.shape[1]) for rank in ranks)
        return SubspacesLeftOut(samples, ranks) if ranks else None

    def layer_fields(self) -> dict[str, Array]:
        """The bases; a unit of 1, as files have it for every measure."""
        return {**numbers_of_classes(np.ones(len(self.bases))), "subspaces": self.bases}

    @classmethod
    def of_layer_fields(
        cls, fields: Mapping[str, Array], compression: Array, weights: Array, grid: tuple[int, ...]
    ) -> Self:
        """Subspaces of a layer that was stored."""
        return cls(fields["subspaces"], weights)

    @classmethod
    def layer_arrays_fit(cls, shapes: Mapping[str, tuple[int, ...]], shape: tuple[int, int, int]) -> bool:
        """Whether the bases of a stored layer are those of so many classes, frequencies and channels."""
        found = shapes["subspaces"]
        return len(found) == 4 and found[:3] == shape and 1 <= found[-1] <= shape[2]

    def check_layer_fields(self) -> None:
        """Refuse bases that are not orthonormal."""
        expect_at_most_one(self.bases, "subspaces of a layer have no orthonormal basis")

    def page_data(self) -> dict[str, Any]:
        """The bases."""
        return {"name": self.name, "bases": self.bases}

    def in_short(self, eps: float) -> str:
        """The rank of the subspaces."""
        return f"{self.name}, rank {self.rank}"

    def in_words(self, eps: float) -> str:
        """What the nearest class is, as the end of a sentence."""
        return f"the nearest class subspace of rank {self.rank}"

    def check_stored(self, shape: tuple[int, int, int], kinds: set[str], rank: int | None) -> None:
        """Refuse subspaces that came from a file and do not fit features of this shape."""
        bases = self.bases
        expect_measure(bases, self.weights, shape[1], kinds)
        fits = bases.ndim == 4 and bases.shape[:3] == shape and 1 <= bases.shape[3] <= shape[2]
        expect(fits, "subspaces do not fit")
        expect_at_most_one(bases, "subspaces have no orthonormal basis")
        expect(rank is not None, "rank_ is not that of the answers")
        expect(rank is None or rank >= 1, "rank_ is not >= 1")


class SubspacesLeftOut(LeftOut):
    """Energy of samples outside of class subspaces that have not seen them, exact for every rank.

    Leaving a sample out changes the eigenvectors of its class by the roots of a secular equation
    (:mod:`redunet.numerics.without_one_sample`).

    Parameters
    ----------
    samples : LeftOutSamples
    ranks : tuple of int
    """

    option = "rank"
    squared = True

    def __init__(self, samples: LeftOutSamples, ranks: tuple[int, ...]) -> None:
        super().__init__(samples, ranks)
        self.rows, self.largest = np.array(ranks) - 1, max(ranks)
        self._n_directions = [0] * len(samples.moments.M)

    def measures(self, moments: ClassMoments) -> Iterator[NearestSubspaces]:
        """The measure by classes of other moments, for each value."""
        return (NearestSubspaces.of_moments(moments, MeasureOptions(1.0, int(rank))) for rank in self.values)

    def distances(self, view: ClassView) -> Array:
        """Energy outside of the subspaces of one class; shape (n_ranks, n)."""
        from ..fast.kernels import energy_inside_without

        weights = self.samples.moments.space.norm_weights
        eigenvalues, energies, most = view.eigenvalues, view.energies, self.largest
        negligible = self.samples.moments.rounding * float(eigenvalues.max())
        self._n_directions[view.j] = int((eigenvalues > ROUNDING_FLOOR * eigenvalues[:, -1:]).sum(axis=1).max())
        real = eigenvalues > negligible
        strongest = np.einsum(
            "pc,pci->ci", (weights[:, None] * real)[:, : -most - 1 : -1], energies[:, : -most - 1 : -1]
        )
        inside = strongest.cumsum(axis=0)[self.rows]
        if view.own.any():
            without = np.empty((most, int(view.own.sum())))
            mine = np.ascontiguousarray(energies[:, :, view.own].swapaxes(1, 2))
            energy_inside_without(eigenvalues, mine, view.once, weights, negligible, ROUNDING_FLOOR, without)
            inside[:, view.own] = without[self.rows]
        return np.clip(1.0 - inside, 0.0, 1.0)

    def useful_values(self) -> list[int]:
        """Numbers of the ranks below the most directions that any class has, which it lacks without a sample."""
        most = max(self._n_directions)
        return [i for i, rank in enumerate(self.values) if rank < most or i == 0]
