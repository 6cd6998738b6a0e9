"""Products of matrices with samples that lie side by side in vector registers: one lane for each sample.

What a lane holds never meets another lane, so that a sample gets the same bits whichever samples are beside it.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..sample_lanes import LANE_BYTES
from .compilation import compiled
from .lane_instructions import HAS_LONG_REGISTERS, Lanes, for_each_size, whole_number

# Sums of two columns (or tiles) that are held in registers, forms and complex rows likewise.
MOST_ROWS = 13 if HAS_LONG_REGISTERS else 3
MOST_FORMS = 10 if HAS_LONG_REGISTERS else 3
MOST_COMPLEX_ROWS = 12 if HAS_LONG_REGISTERS else 3
# Forms that are computed side by side for one sample: at least as many as for several samples.
FORMS_IN_VECTOR = 16
# Tiles whose forms are computed together: coefficients are read once for all of them.
TILES_TOGETHER = 2 if HAS_LONG_REGISTERS else 1


@intrinsic
def _product(
    typing, A, A_at, A_step, X, X_at, X_step, X_shift, out, out_at, out_step, out_shift, start_at, n_rows, n_columns
    ):  # fmt: skip
    i = types.int64

    def emit(context, builder, signature, args):
        A, A_at, A_step, X, X_at, X_step, X_shift, out, out_at, out_step, out_shift, *rest = args
        start_at, n_rows, n_columns = rest
        lanes = Lanes(context, builder, signature.args[3])
        A, X, out = (lanes.data(signature.args[n], value) for n, value in ((0, A), (3, X), (7, out)))
        vectors = range(2)

        def emit_rows(n):
            sums = [[lanes.variable() for _ in vectors] for _ in range(n)]

            def place(first, row, vector):
                return lanes.at(
                    out, first, builder.mul(out_step, whole_number(row)), builder.mul(out_shift, whole_number(vector))
                )

            with builder.if_then(builder.icmp_signed(">=", start_at, whole_number(0))):
                for row in range(n):
                    for vector in vectors:
                        start = place(start_at, row, vector)
                        lanes.set(sums[row][vector], lanes.load(start))
            with cgutils.for_range(builder, n_columns, intp=ir.IntType(64)) as loop:
                x = [
                    lanes.load(
                        lanes.at(X, X_at, builder.mul(X_step, loop.index), builder.mul(X_shift, whole_number(vector)))
                    )
                    for vector in vectors
                ]
                column = lanes.at(A, A_at, builder.mul(A_step, loop.index))
                for row in range(n):
                    a = lanes.everywhere(column, row)
                    for vector in vectors:
                        lanes.accumulate(sums[row][vector], a, x[vector])
            for row in range(n):
                for vector in vectors:
                    lanes.store(lanes.get(sums[row][vector]), place(out_at, row, vector))

        for_each_size(builder, n_rows, MOST_ROWS, emit_rows)
        return context.get_dummy_value()

    return types.void(A, i, i, X, i, i, i, out, i, i, i, i, i, i), emit


@compiled
def lane_product(
    A, A_at, A_step, X, X_at, X_step, X_shift, out, out_at, out_step, out_shift, start_at, n_rows, n_columns
):  # fmt: skip
    """out[r] = Σ_k A[k, r] X[k] for two tiles or columns, on top of what starts at start_at, if that is >= 0.

    A, X, out : flat arrays of one type. A[k, r] is item A_at + k · A_step + r of A, X[k] starts at item
    X_at + k · X_step, out[r] at item out_at + r · out_step; the second of both is a shift further.
    """
    n_blocks = (n_rows + MOST_ROWS - 1) // MOST_ROWS
    first = 0
    for block in range(n_blocks):
        n = (n_rows - first + n_blocks - block - 1) // (n_blocks - block)
        _product(
            A, A_at + first, A_step, X, X_at, X_step, X_shift, out, out_at + first * out_step, out_step, out_shift,
            start_at if start_at < 0 else start_at + first * out_step, n, n_columns,
        )  # fmt: skip
        first += n


@intrinsic
def _forms(typing, P, P_at, X, X_at, X_shift, n_channels, sums, sums_shift, n_forms):
    i = types.int64

    def emit(context, builder, signature, args):
        P, P_at, X, X_at, X_shift, n_channels, sums, sums_shift, n_forms = args
        lanes = Lanes(context, builder, signature.args[2])
        P, X, sums = (lanes.data(signature.args[n], value) for n, value in ((0, P), (2, X), (6, sums)))
        size, tiles = whole_number(LANE_BYTES // lanes.item_size), range(TILES_TOGETHER)

        def row_of(number):
            at = builder.mul(number, size)
            return [lanes.load(lanes.at(X, X_at, at, builder.mul(X_shift, whole_number(tile)))) for tile in tiles]

        def accumulate(found, coefficients, first, values):
            for form, of_form in enumerate(found):
                coefficient = lanes.everywhere(coefficients, first + form)
                for tile in tiles:
                    lanes.accumulate(of_form[tile], coefficient, values[tile])

        def emit_forms(n):
            place = cgutils.alloca_once_value(builder, P_at)
            builder.store(P_at, place)
            with cgutils.for_range(builder, n_channels, intp=ir.IntType(64)) as channels:
                a = channels.index
                a_real, a_imag = row_of(a), row_of(builder.add(a, n_channels))
                found = [[lanes.variable() for _ in tiles] for _ in range(n)]
                with cgutils.for_range(builder, a, intp=ir.IntType(64)) as others:
                    b = others.index
                    b_real, b_imag = row_of(b), row_of(builder.add(b, n_channels))
                    at = builder.load(place)
                    real = [lanes.add_product(lanes.times(a_imag[t], b_imag[t]), a_real[t], b_real[t]) for t in tiles]
                    accumulate(found, lanes.at(P, at), 0, real)
                    imag = [
                        lanes.add_product(lanes.times(a_imag[t], b_real[t]), a_real[t], lanes.negative(b_imag[t]))
                        for t in tiles
                    ]
                    accumulate(found, lanes.at(P, at), n, imag)
                    builder.store(builder.add(at, whole_number(2 * n)), place)
                at = builder.load(place)
                square = [lanes.add_product(lanes.times(a_imag[t], a_imag[t]), a_real[t], a_real[t]) for t in tiles]
                accumulate(found, lanes.at(P, at), 0, square)
                builder.store(builder.add(at, whole_number(n)), place)
                for form in range(n):
                    for t in tiles:
                        kept = lanes.at(
                            sums, builder.mul(whole_number(form), size), builder.mul(sums_shift, whole_number(t))
                        )
                        lanes.add_wide(kept, lanes.get(found[form][t]))

        for_each_size(builder, n_forms, MOST_FORMS, emit_forms)
        return context.get_dummy_value()

    return types.void(P, i, X, i, i, i, sums, i, i), emit


@intrinsic
def _forms_of_first(typing, P, P_at, X, X_at, n_channels, sums, n_forms):
    i = types.int64

    def emit(context, builder, signature, args):
        P, P_at, X, X_at, n_channels, sums, n_forms = args
        lanes = Lanes(context, builder, signature.args[2])
        P, X, sums = (lanes.data(signature.args[n], value) for n, value in ((0, P), (2, X), (5, sums)))
        size = whole_number(LANE_BYTES // lanes.item_size)
        lanes.widen(FORMS_IN_VECTOR)
        twice = builder.mul(n_forms, whole_number(2))
        place = cgutils.alloca_once_value(builder, P_at)

        def everywhere(number):
            return [lanes.everywhere(lanes.at(X, X_at, builder.mul(number, size)), 0)]

        with cgutils.for_range(builder, n_channels, intp=ir.IntType(64)) as channels:
            a = channels.index
            a_real, a_imag = everywhere(a), everywhere(builder.add(a, n_channels))
            found = lanes.variable()
            with cgutils.for_range(builder, a, intp=ir.IntType(64)) as others:
                b = others.index
                b_real, b_imag = everywhere(b), everywhere(builder.add(b, n_channels))
                at = builder.load(place)
                real = lanes.add_product(lanes.times(a_imag, b_imag), a_real, b_real)
                lanes.accumulate(found, lanes.load(lanes.at(P, at)), real)
                imag = lanes.add_product(lanes.times(a_imag, b_real), a_real, lanes.negative(b_imag))
                lanes.accumulate(found, lanes.load(lanes.at(P, at, n_forms)), imag)
                builder.store(builder.add(at, twice), place)
            at = builder.load(place)
            lanes.accumulate(
                found, lanes.load(lanes.at(P, at)), lanes.add_product(lanes.times(a_imag, a_imag), a_real, a_real)
            )
            builder.store(builder.add(at, n_forms), place)
            lanes.add_wide(sums, lanes.get(found))
        return context.get_dummy_value()

    return types.void(P, i, X, i, i, sums, i), emit


@compiled
def lane_forms_of_first(P, P_at, X, X_at, n_channels, sums, n_forms):
    """The same for the first lane of a tile alone, with forms side by side; ``FORMS_IN_VECTOR`` sums are changed.

    A form is computed by the same additions in the same order, hence has the same bits. So many items are read of P
    from each place on, of which those that follow the forms are not used.
    """
    _forms_of_first(P, P_at, X, X_at, n_channels, sums, n_forms)


@compiled
def lane_forms(P, P_at, X, X_at, X_shift, n_channels, sums, sums_shift, n_forms):
    """Add Hermitian forms v* P v of the samples of ``TILES_TOGETHER`` tiles at one frequency to sums.

    P : flat array of the forms from item P_at on, as :func:`pack_forms` packs them
    X : flat array of the type of P; tile t starts at item X_at + t · X_shift, the real parts of all channels, then the
    imaginary ones, each a vector of lanes.
    sums : flat float64 array, those of tile t from item t · sums_shift on; sums in single precision are those over one
    row of a form alone.
    """
    _forms(P, P_at, X, X_at, X_shift, n_channels, sums, sums_shift, n_forms)


@compiled
def pack_forms(forms, packed):
    """Hermitian forms in the order in which :func:`lane_forms` reads them: a few together, row by row.

    forms : complex128 array, shape (n_freqs, n_forms, n_channels, n_channels)
    packed : float array, shape (n_freqs, n_forms · n_channels²), overwritten. For a pair of channels b < a twice the
    real part of P_ab, and twice the imaginary part; then P_aa.
    """
    n_freqs, n_forms, n_channels, _ = forms.shape
    for p in range(n_freqs):
        at = 0
        for first in range(0, n_forms, MOST_FORMS):
            last = min(first + MOST_FORMS, n_forms)
            for a in range(n_channels):
                for b in range(a):
                    for j in range(first, last):
                        packed[p, at + j - first] = 2 * forms[p, j, a, b].real
                        packed[p, at + last + j - 2 * first] = 2 * forms[p, j, a, b].imag
                    at += 2 * (last - first)
                for j in range(first, last):
                    packed[p, at + j - first] = forms[p, j, a, a].real
                at += last - first


@intrinsic
def _row_energies(typing, U, U_at, U_step, X, X_at, n_channels, sums, n_rows):
    i = types.int64

    def emit(context, builder, signature, args):
        U, U_at, U_step, X, X_at, n_channels, sums, n_rows = args
        lanes = Lanes(context, builder, signature.args[3])
        U, X, sums = (lanes.data(signature.args[n], value) for n, value in ((0, U), (3, X), (6, sums)))
        size = whole_number(LANE_BYTES // lanes.item_size)

        def emit_rows(n):
            real = [lanes.variable() for _ in range(n)]
            imag = [lanes.variable() for _ in range(n)]
            with cgutils.for_range(builder, n_channels, intp=ir.IntType(64)) as channels:
                c = channels.index
                v_real = lanes.load(lanes.at(X, X_at, builder.mul(c, size)))
                v_imag = lanes.load(lanes.at(X, X_at, builder.mul(builder.add(c, n_channels), size)))
                column = lanes.at(U, U_at, builder.mul(U_step, c))
                for row in range(n):
                    u_real, u_imag = lanes.everywhere(column, 2 * row), lanes.everywhere(column, 2 * row + 1)
                    lanes.accumulate(real[row], u_real, v_real)
                    lanes.accumulate(imag[row], u_real, v_imag)
                    u_minus = builder.fneg(u_imag)
                    lanes.accumulate(real[row], u_minus, v_imag)
                    lanes.accumulate(imag[row], u_imag, v_real)
            total = lanes.wide_variable(sums)
            for row in range(n):
                one, other = lanes.get(real[row]), lanes.get(imag[row])
                lanes.accumulate_wide(total, lanes.add_product(lanes.times(one, one), other, other))
            lanes.store_wide(total, sums)

        for_each_size(builder, n_rows, MOST_COMPLEX_ROWS, emit_rows)
        return context.get_dummy_value()

    return types.void(U, i, i, X, i, i, sums, i), emit


@compiled
def lane_row_energies(U, U_at, U_step, X, X_at, n_channels, sums, n_rows):
    """Add the energies Σ_r |Σ_c u_rc v_c|² of the samples of one tile along at most ``MOST_COMPLEX_ROWS`` rows to sums.

    U : flat array; the real part of u_rc is item U_at + c · U_step + 2r, the imaginary part the next one
    X : flat array of the type of U; the tile starts at item X_at, the real parts of all channels, then the imaginary
    ones, each a vector of lanes.
    sums : float64 array, shape (lanes,)
    """
    _row_energies(U, U_at, U_step, X, X_at, n_channels, sums, n_rows)


@intrinsic
def _energies(typing, X, X_at, n_rows, sums):
    i = types.int64

    def emit(context, builder, signature, args):
        X, X_at, n_rows, sums = args
        lanes = Lanes(context, builder, signature.args[0])
        X, sums = lanes.data(signature.args[0], X), lanes.data(signature.args[3], sums)
        size = whole_number(LANE_BYTES // lanes.item_size)
        total = lanes.wide_variable(sums)
        with cgutils.for_range(builder, builder.udiv(n_rows, whole_number(2)), intp=ir.IntType(64)) as loop:
            at = builder.add(X_at, builder.mul(builder.mul(loop.index, whole_number(2)), size))
            x, y = lanes.load(lanes.at(X, at)), lanes.load(lanes.at(X, at, size))
            lanes.accumulate_wide(total, lanes.add_product(lanes.times(x, x), y, y))
        lanes.store_wide(total, sums)
        return context.get_dummy_value()

    return types.void(X, i, i, sums), emit


@compiled
def lane_energies(X, X_at, n_rows, sums):
    """Add the squares of rows, whose number is even, to sums.

    X : flat array, whose rows of lanes start at item X_at; sums : float64 array, shape (lanes,).
    """
    _energies(X, X_at, n_rows, sums)


@intrinsic
def _outside(typing, even, even_at, odd, odd_at, lower, upper):
    i = types.int64

    def emit(context, builder, signature, args):
        even, even_at, odd, odd_at, lower, upper = args
        lanes = Lanes(context, builder, signature.args[0])
        even, odd = (
            lanes.at(lanes.data(signature.args[0], even), even_at),
            lanes.at(lanes.data(signature.args[2], odd), odd_at),
        )
        lower, upper = lanes.all_of(lower), lanes.all_of(upper)
        sums, differences = lanes.load(even), lanes.load(odd)
        above = lanes.outside(lanes.plus(sums, differences), lower, upper)
        below = lanes.outside(lanes.minus(sums, differences), lower, upper)
        lanes.store(lanes.plus(above, below), even)
        lanes.store(lanes.minus(above, below), odd)
        return context.get_dummy_value()

    return types.void(even, i, odd, i, even.dtype, even.dtype), emit


@intrinsic
def _outside_alone(typing, even, even_at, lower, upper):
    i = types.int64

    def emit(context, builder, signature, args):
        even, even_at, lower, upper = args
        lanes = Lanes(context, builder, signature.args[0])
        even = lanes.at(lanes.data(signature.args[0], even), even_at)
        lanes.store(lanes.outside(lanes.load(even), lanes.all_of(lower), lanes.all_of(upper)), even)
        return context.get_dummy_value()

    return types.void(even, i, even.dtype, even.dtype), emit


@compiled
def lane_outside(even, odd, n_cosines, n_sines, n, lower, upper):
    """Apply a threshold to rows that are held folded: what of each value lies outside of [lower, upper], else zero.

    Row r of a circle is even[r] + odd[r − 1], the row opposite to it even[r] − odd[r − 1]. On return they hold the sums
    and the differences of the two rows after the threshold; a row that is its own opposite is in even alone.

    even, odd : flat arrays (n_cosines, n) and (n_sines, n) of one type; n is a multiple of the lanes.
    """
    size = LANE_BYTES // even.itemsize
    for row in range(n_cosines):
        for i in range(row * n, row * n + n, size):
            if 1 <= row <= n_sines:
                _outside(even, i, odd, i - n, lower, upper)
            else:
                _outside_alone(even, i, lower, upper)


@intrinsic
def _four_corners(typing, Z, neither, across, down, both, V, at, mirrored, imag):
    i = types.int64

    def emit(context, builder, signature, args):
        Z, neither, across, down, both, V, at, mirrored, imag = args
        lanes = Lanes(context, builder, signature.args[0])
        Z, V = lanes.data(signature.args[0], Z), lanes.data(signature.args[5], V)
        neither, across, down, both = (lanes.load(lanes.at(Z, one)) for one in (neither, across, down, both))
        lanes.store(lanes.minus(neither, both), lanes.at(V, at))
        lanes.store(lanes.negative(lanes.plus(across, down)), lanes.at(V, at, imag))
        lanes.store(lanes.plus(neither, both), lanes.at(V, mirrored))
        lanes.store(lanes.minus(down, across), lanes.at(V, mirrored, imag))
        return context.get_dummy_value()

    return types.void(Z, i, i, i, i, V, i, i, i), emit


@compiled
def lane_corners(Z, Z_step, n_channels, neither, across, down, both, V, at, mirrored, imag):
    """Two frequencies that mirror each other, from products with cosines and sines along both axes.

    Z, V : flat arrays of one type; the other arguments say at which items vectors start: the products with no sine,
    with the sine across, with that down, with both, and the real parts of the two frequencies; ``imag`` items after
    these there are the imaginary parts. The next channel is Z_step items further in Z, and the next vector of V.
    """
    size = LANE_BYTES // V.itemsize
    for c in range(n_channels):
        there, here = c * Z_step, c * size
        _four_corners(
            Z, neither + there, across + there, down + there, both + there, V, at + here, mirrored + here, imag
        )  # fmt: skip
