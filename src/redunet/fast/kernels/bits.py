"""Bits of a word, by single instructions of the processor."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

# Comparisons that one word holds.
BITS_PER_WORD = 64


@intrinsic
def count_bits(typing, word):
    """Bits that are set in an unsigned word of 64 bits."""

    def emit(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), emit


@intrinsic
def trailing_zeros(typing, word):
    """How many of the lowest bits of an unsigned word of 64 bits are not set; 64 for 0."""

    def emit(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), emit


@intrinsic
def leading_zeros(typing, word):
    """How many of the highest bits of an unsigned word of 64 bits are not set; 64 for 0."""

    def emit(context, builder, signature, args):
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), emit


@intrinsic
def bits_above(typing, values, first, threshold):
    """Which of 64 values are above a threshold, as one word; the lowest bit is that of values[first].

    values : float32 array, contiguous, with at least first + 64 entries, which is not checked.
    """

    def emit(context, builder, signature, args):
        array = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        vector = ir.VectorType(ir.FloatType(), BITS_PER_WORD)
        place = builder.bitcast(builder.gep(array.data, [args[1]]), ir.PointerType(vector))
        loaded = builder.load(place, align=4)
        nothing = ir.Constant(vector, ir.Undefined)
        one = builder.insert_element(nothing, args[2], ir.Constant(ir.IntType(32), 0))
        first_everywhere = ir.Constant(ir.VectorType(ir.IntType(32), BITS_PER_WORD), [0] * BITS_PER_WORD)
        thresholds = builder.shuffle_vector(one, nothing, first_everywhere)
        return builder.bitcast(builder.fcmp_ordered(">", loaded, thresholds), ir.IntType(BITS_PER_WORD))

    return types.uint64(values, types.int64, types.float32), emit
