"""Compiled arithmetic: layers on tiles of samples that stay in cache, ridge operators, leave-one-out.

A tile holds N samples of one class as real numbers, ``X[freq, row, sample]``: the real parts of the channels, then the
imaginary parts (for plain vectors the features alone; one row of zeros makes an odd number even). A complex operator
on C channels is a real one on 2 C rows, so vectors, shifts and translations are one computation again. Few rows are
multiplied by a small kernel of vector instructions, many rows by BLAS.

Everything is compiled when it is first called, and cached on disk. The readable twins are in
:mod:`redunet.numerics`. A new kernel is a function with ``@compiled`` in a file here, and its name in the list below; a
test in ``tests/fast`` compares it with its twin, and ``redunet/compiled.py`` must call it.
"""

from .circular_pooling import pooled_counts, unit_vectors
from .contrast_of_samples import contrast_of_samples
from .energies import energies_of_groups, weighted_products
from .few_rows import advance_few_rows, moments_few_rows
from .first_shift import first_positions, shift_to_front
from .image_waves import keep_outside, scale_to_sphere, spectra_of_waves
from .lane_blocks import (
    add_forms_of_first_lane,
    add_forms_of_lanes,
    add_row_energies_of_lanes,
    blocks_of_lanes,
    energies_of_lanes,
    fill_lanes,
    gather_lanes,
)
from .lane_products import FORMS_IN_VECTOR, pack_forms
from .low_spectra import fill_low_spectra, fill_low_spectra_of_one, fill_waves, memory_of_low_spectra, memory_of_one
from .many_rows import advance_many_rows, moments_many_rows
from .matrices import embed, hermitian, mirror_upper
from .multiply import TILE_MULTIPLE
from .one_tile import extrapolate
from .records import LayerOnFewRows, LayerOnManyRows
from .secular_equation import energy_inside_without
from .shift_kernels import fill_shift_kernels, memory_of_shift_kernels, pack_factors, whiten_samples
from .small_inverses import ridge_operators

__all__ = [
    "FORMS_IN_VECTOR",
    "TILE_MULTIPLE",
    "LayerOnFewRows",
    "LayerOnManyRows",
    "add_forms_of_first_lane",
    "add_forms_of_lanes",
    "add_row_energies_of_lanes",
    "advance_few_rows",
    "advance_many_rows",
    "blocks_of_lanes",
    "contrast_of_samples",
    "embed",
    "energies_of_groups",
    "energies_of_lanes",
    "energy_inside_without",
    "extrapolate",
    "fill_lanes",
    "fill_low_spectra",
    "fill_low_spectra_of_one",
    "fill_shift_kernels",
    "fill_waves",
    "first_positions",
    "gather_lanes",
    "hermitian",
    "keep_outside",
    "memory_of_low_spectra",
    "memory_of_one",
    "memory_of_shift_kernels",
    "mirror_upper",
    "moments_few_rows",
    "moments_many_rows",
    "pack_factors",
    "pack_forms",
    "pooled_counts",
    "ridge_operators",
    "scale_to_sphere",
    "shift_to_front",
    "spectra_of_waves",
    "unit_vectors",
    "weighted_products",
    "whiten_samples",
]
