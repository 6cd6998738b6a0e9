"""Machine instructions on samples that lie side by side in vector registers, one after the other.

They are spelled out, since compilers do not hold so many sums in registers by themselves. The samples of one tile fill
``LANE_BYTES``: one register of the longest kind, or several shorter ones.
"""

import math

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils

from ..sample_lanes import LANE_BYTES


def _features_of_processor():
    """What the processor can do, by the names of LLVM; nothing where that cannot be found out."""
    try:
        return llvmlite.binding.get_host_cpu_features()
    except RuntimeError:
        return {}


_FEATURES = _features_of_processor()
# Whether there are products that are added with one rounding; every ARM processor of 64 bits has them.
_HAS_FUSED_PRODUCTS = bool(_FEATURES.get("fma") or _FEATURES.get("neon"))
HAS_LONG_REGISTERS = bool(_FEATURES.get("avx512f"))
_VECTOR_BYTES = 64 if HAS_LONG_REGISTERS else 32


# Of the exponential in single precision: 1.5 · 2²³, which leaves the last bits to whole numbers; log 2 in so few bits
# that products with them are exact; powers of the series; bits of the mantissa; the largest exponent.
_WHOLE_BITS, _LOG_2_HIGH, _POWERS, _MANTISSA_BITS, _LARGEST_EXPONENT = 12582912.0, 0.693359375, 6, 23, 80.0
# Instructions that have flags of their own do not get those of the kernel, which let sums be reordered.
_IN_THIS_ORDER = ("nsz",)


class Lanes:
    """Vector instructions on all samples of a tile; a value is a list of vectors."""

    def __init__(self, context, builder, array_type):
        self.context, self.builder = context, builder
        self.number = context.get_value_type(array_type.dtype)
        self.item_size = 4 if array_type.dtype == types.float32 else 8
        n_lanes = _VECTOR_BYTES // self.item_size
        self.vector = ir.VectorType(self.number, n_lanes)
        self.zero = ir.Constant(self.vector, [0.0] * n_lanes)
        self._splat = ir.Constant(ir.VectorType(ir.IntType(32), n_lanes), [0] * n_lanes)
        self.parts = range(LANE_BYTES // _VECTOR_BYTES)
        self.n_lanes = n_lanes

    def widen(self, n_lanes):
        """Let a value be one vector of so many lanes."""
        self.vector = ir.VectorType(self.number, n_lanes)
        self.zero = ir.Constant(self.vector, [0.0] * n_lanes)
        self._splat = ir.Constant(ir.VectorType(ir.IntType(32), n_lanes), [0] * n_lanes)
        self.parts, self.n_lanes = range(1), n_lanes

    def data(self, array_type, value):
        """Pointer to the first item of an array."""
        return self.context.make_array(array_type)(self.context, self.builder, value).data

    def at(self, data, *offsets):
        """Pointer to an item; the offsets are added up."""
        index = offsets[0]
        for offset in offsets[1:]:
            index = self.builder.add(index, offset)
        return self.builder.gep(data, [index])

    def _pointer(self, pointer, part):
        moved = self.builder.gep(pointer, [whole_number(part * self.n_lanes)])
        return self.builder.bitcast(moved, self.vector.as_pointer())

    def load(self, pointer):
        """The value at a pointer."""
        return [
            self.builder.load(self._pointer(pointer, part), align=self.item_size, typ=self.vector)
            for part in self.parts
        ]

    def store(self, value, pointer):
        """Write a value to a pointer."""
        for part in self.parts:
            self.builder.store(value[part], self._pointer(pointer, part), align=self.item_size)

    def everywhere(self, pointer, offset):
        """The number at a pointer and an offset that is known now, in every lane."""
        scalar = self.builder.load(self.builder.gep(pointer, [whole_number(offset)]), typ=self.number)
        undefined = ir.Constant(self.vector, ir.Undefined)
        one = self.builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(one, undefined, self._splat)

    def variable(self):
        """Vectors that stay in registers; zeros at first."""
        variables = [cgutils.alloca_once_value(self.builder, self.zero) for _ in self.parts]
        self.set(variables, [self.zero for _ in self.parts])
        return variables

    def get(self, variable):
        """What a variable holds."""
        return [self.builder.load(one) for one in variable]

    def set(self, variable, value):
        """Let a variable hold a value."""
        for one, vector in zip(variable, value, strict=True):
            self.builder.store(vector, one)

    def times(self, a, b):
        """Products."""
        return [self.builder.fmul(x, y) for x, y in zip(a, b, strict=True)]

    def minus(self, a, b):
        """Differences."""
        return [self.builder.fsub(x, y) for x, y in zip(a, b, strict=True)]

    def add_product(self, total, a, b):
        """Total + a b, rounded once where processors can; a is one vector, for all parts of b, or a list of them."""
        a = a if isinstance(a, list) else [a for _ in self.parts]
        return [self._fused(x, y, s) for s, x, y in zip(total, a, b, strict=True)]

    def _fused(self, x, y, total, flags=()):
        if not _HAS_FUSED_PRODUCTS:
            return self.builder.fadd(total, self.builder.fmul(x, y, flags=flags), flags=flags)
        kind = ir.FunctionType(self.vector, [self.vector] * 3)
        name = f"llvm.fma.v{self.n_lanes}f{8 * self.item_size}"
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), [x, y, total])

    def _wide_pointer(self, pointer, part):
        moved = self.builder.gep(pointer, [whole_number(part * self.n_lanes)])
        return self.builder.bitcast(moved, ir.VectorType(ir.DoubleType(), self.n_lanes).as_pointer())

    def wide_variable(self, pointer):
        """Numbers of double precision that stay in registers; at first those at a pointer."""
        wide = ir.VectorType(ir.DoubleType(), self.n_lanes)
        variables = [cgutils.alloca_once(self.builder, wide) for _ in self.parts]
        for part in self.parts:
            self.builder.store(self.builder.load(self._wide_pointer(pointer, part), align=8, typ=wide), variables[part])
        return variables

    def accumulate_wide(self, variable, value):
        """Add a value to numbers of double precision."""
        wide = ir.VectorType(ir.DoubleType(), self.n_lanes)
        for one, vector in zip(variable, value, strict=True):
            added = vector if self.item_size == 8 else self.builder.fpext(vector, wide)
            self.builder.store(self.builder.fadd(self.builder.load(one), added), one)

    def store_wide(self, variable, pointer):
        """Write numbers of double precision to a pointer."""
        for part in self.parts:
            self.builder.store(self.builder.load(variable[part]), self._wide_pointer(pointer, part), align=8)

    def add_wide(self, pointer, value):
        """Add a value to numbers of double precision that are at a pointer."""
        total = self.wide_variable(pointer)
        self.accumulate_wide(total, value)
        self.store_wide(total, pointer)

    def negative(self, a):
        """Values with the other sign."""
        return [self.builder.fneg(x) for x in a]

    def plus(self, a, b):
        """Sums."""
        return [self.builder.fadd(x, y) for x, y in zip(a, b, strict=True)]

    def outside(self, value, lower, upper):
        """What of a value lies outside of an interval, else zero."""
        found = []
        for x in value:
            inside = self.builder.select(self.builder.fcmp_ordered(">", x, lower), x, lower)
            inside = self.builder.select(self.builder.fcmp_ordered("<", inside, upper), inside, upper)
            found.append(self.builder.fsub(x, inside))
        return found

    def all_of(self, scalar):
        """A number in every lane."""
        undefined = ir.Constant(self.vector, ir.Undefined)
        one = self.builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(one, undefined, self._splat)

    def constant(self, number):
        """A number that is known when the code is made, in every lane."""
        return ir.Constant(self.vector, [number] * self.n_lanes)

    def exponential(self, value):
        """exp(x) in single precision for every x up to 80; of less than −80 exp(−80), which is as good as nothing.

        exp(x) = 2ⁿ exp(r) with n the whole number next to x / log 2, and exp(r) by its power series: |r| ≤ log(2) / 2.
        A large number is added for n, so that its last bits are n itself and become the exponent of the result.
        """
        if self.item_size != 4:
            raise TypeError("exponentials are in single precision")
        bits = ir.VectorType(ir.IntType(32), self.n_lanes)
        large, least = self.constant(_WHOLE_BITS), self.constant(-_LARGEST_EXPONENT)
        found = []
        for x in value:
            x = self.builder.select(self.builder.fcmp_ordered(">", x, least), x, least)
            shifted = self._fused(x, self.constant(1 / math.log(2)), large, _IN_THIS_ORDER)
            n = self.builder.fsub(shifted, large, flags=_IN_THIS_ORDER)
            r = self._fused(n, self.constant(-_LOG_2_HIGH), x, _IN_THIS_ORDER)
            r = self._fused(n, self.constant(_LOG_2_HIGH - math.log(2)), r, _IN_THIS_ORDER)
            power = self.constant(1 / math.factorial(_POWERS))
            for k in reversed(range(_POWERS)):
                power = self._fused(power, r, self.constant(1 / math.factorial(k)), _IN_THIS_ORDER)
            exponent = self.builder.shl(
                self.builder.bitcast(shifted, bits), ir.Constant(bits, [_MANTISSA_BITS] * self.n_lanes)
            )
            total = self.builder.add(self.builder.bitcast(power, bits), exponent)
            found.append(self.builder.bitcast(total, self.vector))
        return found

    def accumulate(self, variable, a, b):
        """Add products to a variable."""
        self.set(variable, self.add_product(self.get(variable), a, b))


def whole_number(value):
    """A whole number that is known when the code is made."""
    return ir.Constant(ir.IntType(64), value)


def for_each_size(builder, size, most, emit):
    """Machine code for each number of rows from 1 to most, of which one is run."""
    done = builder.append_basic_block("done")
    choice = builder.switch(size, done)
    for n in range(1, most + 1):
        block = builder.append_basic_block(f"rows_{n}")
        choice.add_case(whole_number(n), block)
        with builder.goto_block(block):
            emit(n)
            builder.branch(done)
    builder.position_at_end(done)
