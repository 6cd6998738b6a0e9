"""Bits of a word, by single instructions of the processor."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def count_bits(typing, word):
    """Bits that are set in an unsigned word of 64 bits."""

    def emit(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), emit


@intrinsic
def lowest_bit(typing, word):
    """Place of the lowest bit that is set in an unsigned word of 64 bits, which is not 0."""

    def emit(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), emit
