"""The small kernel: a matrix times a tile of few rows, in vector instructions."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .compilation import FLAGS

# The small kernel keeps 2 rows × 4 vectors of 32 bytes in registers, the sums of 2 rows for 32 samples (16 in float64).
# The number of samples in a tile must be a multiple of that.
_ROWS, _VECTORS, _VECTOR_BYTES = 2, 4, 32
TILE_MULTIPLE = 32


def _emit_multiply(context, builder, signature, args, *, subtract):
    """Machine code of ``multiply`` (see below): loops over samples, pairs of rows, and the row that is summed over.

    It is long, because it spells out one instruction after the other.
    """
    array_types = {
        name: signature.args[i] for name, i in {"A": 0, "X": 2, "out": 4, "norms": 7, "c": 9, "P": 10}.items()
    }
    A, A_at, X, X_at, out, out_at, weight, norms, norms_at, c, P, P_at, P_stride, n_classes, K, N = args
    values = {"A": A, "X": X, "out": out, "norms": norms, "c": c, "P": P}
    at = {name: context.make_array(array_types[name])(context, builder, value).data for name, value in values.items()}
    number = context.get_value_type(array_types["A"].dtype)
    item_size = 4 if array_types["A"].dtype == types.float32 else 8
    n_lanes = _VECTOR_BYTES // item_size
    vector = ir.VectorType(number, n_lanes)
    i64 = ir.IntType(64)
    zero = ir.Constant(vector, [0.0] * n_lanes)

    def const(value):
        return ir.Constant(i64, value)

    def plus(*terms):
        total = terms[0]
        for term in terms[1:]:
            total = builder.add(total, term)
        return total

    def load_vector(name, index):
        pointer = builder.bitcast(builder.gep(at[name], [index]), vector.as_pointer())
        return builder.load(pointer, align=item_size, typ=vector)

    def store_vector(value, name, index):
        pointer = builder.bitcast(builder.gep(at[name], [index]), vector.as_pointer())
        builder.store(value, pointer, align=item_size)

    def everywhere(scalar):
        undefined = ir.Constant(vector, ir.Undefined)
        one = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), n_lanes), [0] * n_lanes)
        return builder.shuffle_vector(one, undefined, lanes)

    def times(a, b):
        return builder.fmul(a, b, FLAGS)

    def add_product(total, a, b):
        return builder.fadd(total, times(a, b), FLAGS)

    rows, vectors = range(_ROWS), range(_VECTORS)
    weights = everywhere(weight)
    with cgutils.for_range_slice(builder, const(0), N, const(_VECTORS * n_lanes), i64) as (i, _):  # noqa: SIM117
        with cgutils.for_range_slice(builder, const(0), K, const(_ROWS), i64) as (r, _):
            sums = [[cgutils.alloca_once_value(builder, zero) for _ in vectors] for _ in rows]
            for row in sums:
                for total in row:
                    builder.store(zero, total)
            A_rows = [plus(A_at, builder.mul(plus(r, const(h)), K)) for h in rows]
            with cgutils.for_range(builder, K, intp=i64) as loop:
                start = plus(X_at, builder.mul(loop.index, N), i)
                x = [load_vector("X", plus(start, const(v * n_lanes))) for v in vectors]
                for h in rows:
                    a = everywhere(builder.load(builder.gep(at["A"], [plus(A_rows[h], loop.index)]), typ=number))
                    for v in vectors:
                        builder.store(add_product(builder.load(sums[h][v]), a, x[v]), sums[h][v])
            place = [[plus(builder.mul(plus(r, const(h)), N), i, const(v * n_lanes)) for v in vectors] for h in rows]
            if subtract:
                with cgutils.for_range(builder, n_classes, intp=i64) as loop:
                    P_j = plus(P_at, builder.mul(loop.index, P_stride))
                    c_j = plus(builder.mul(loop.index, N), i)
                    for v in vectors:
                        share = load_vector("c", plus(c_j, const(v * n_lanes)))
                        for h in rows:
                            part = times(share, load_vector("P", plus(P_j, place[h][v])))
                            builder.store(builder.fsub(builder.load(sums[h][v]), part, FLAGS), sums[h][v])
            for v in vectors:
                square = None
                for h in rows:
                    value = builder.load(sums[h][v])
                    store_vector(value, "out", plus(out_at, place[h][v]))
                    square = times(value, value) if square is None else add_product(square, value, value)
                index = plus(norms_at, i, const(v * n_lanes))
                store_vector(add_product(load_vector("norms", index), weights, square), "norms", index)
    return context.get_dummy_value()


def _multiply_intrinsic(subtract):
    @intrinsic
    def multiply(typing, A, A_at, X, X_at, out, out_at, weight, norms, norms_at, c, P, P_at, P_stride, n_classes, K, N):
        at = types.int64
        signature = types.void(A, at, X, at, out, at, A.dtype, norms, at, c, P, at, at, at, at, at)

        def emit(context, builder, signature, args):
            return _emit_multiply(context, builder, signature, args, subtract=subtract)

        return signature, emit

    return multiply


# out = A X for one frequency, arrays given by where their block starts: A (K, K), X and out (K, N). Adds weight Σ out²
# to norms (N,). The second subtracts Σ_j c_j P_j first, P_j (K, N) at P_at + j · P_stride and c (n_classes, N).
multiply = _multiply_intrinsic(subtract=False)
multiply_subtract = _multiply_intrinsic(subtract=True)
