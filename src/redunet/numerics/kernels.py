"""The compiled layer: the arithmetic of :mod:`redunet.numerics.step` on tiles of samples that stay in cache.

A tile holds N samples of one class as real numbers, ``X[freq, row, sample]``: the real parts of the channels, then the
imaginary parts (for plain vectors the features alone; one row of zeros makes an odd number even). A complex operator
on C channels is a real one on 2 C rows, so vectors, shifts and translations are one computation again. Few rows are
multiplied by a small kernel of vector instructions, many rows by BLAS.

Everything is compiled when it is first called, and cached on disk.
"""

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

# Sums may be reordered and multiplications fused, for speed; NaN and infinity keep their meaning.
_FLAGS = ("contract", "reassoc", "nsz")
_compiled = numba.njit(nogil=True, cache=True, error_model="numpy", fastmath=set(_FLAGS))

# The small kernel keeps 2 rows × 4 vectors of 32 bytes in registers, the sums of 2 rows for 32 samples (16 in float64).
# The number of samples in a tile must be a multiple of that.
_ROWS, _VECTORS, _VECTOR_BYTES = 2, 4, 32
TILE_MULTIPLE = 32


def _emit_multiply(context, builder, signature, args, *, subtract):
    """Machine code of ``multiply`` (see below): loops over samples, pairs of rows, and the row that is summed over."""
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
        return builder.fmul(a, b, _FLAGS)

    def add_product(total, a, b):
        return builder.fadd(total, times(a, b), _FLAGS)

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
                            builder.store(builder.fsub(builder.load(sums[h][v]), part, _FLAGS), sums[h][v])
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
_multiply = _multiply_intrinsic(subtract=False)
_multiply_subtract = _multiply_intrinsic(subtract=True)


@_compiled
def _embed(operator, scale, identity, A, p, j):
    """Write identity · I + scale · operator (C, C) as a real matrix on rows, A[p, j]."""
    C, K = len(operator), A.shape[2]
    paired = K >= 2 * C
    for c in range(C):
        for d in range(C):
            value = operator[c, d]
            A[p, j, c, d] = scale * value.real
            if paired:
                A[p, j, C + c, C + d] = scale * value.real
                A[p, j, C + c, d] = scale * value.imag
                A[p, j, c, C + d] = -scale * value.imag
        A[p, j, c, c] += identity
        if paired:
            A[p, j, C + c, C + c] += identity


@_compiled
def embed(compression, expansion, step_size, A, first, last):
    """The compressions and I + η E as real matrices on rows, for frequencies first ≤ p < last.

    compression : array, shape (n_classes, n_freqs, C, C); expansion : (n_freqs, C, C)
    A : real array, shape (n_freqs, n_classes + 1, K, K), zero in rows that only pad.
    """
    n_classes = len(compression)
    for p in range(first, last):
        for j in range(n_classes):
            _embed(compression[j, p], A.dtype.type(1), A.dtype.type(0), A, p, j)
        _embed(expansion[p], step_size, A.dtype.type(1), A, p, n_classes)


@_compiled
def hermitian(halves, M):
    """Complex moment M (n_freqs, C, C) from the lower halves of its real and imaginary part, (2, n_freqs, C, C)."""
    F, C, _ = M.shape
    for p in range(F):
        for c in range(C):
            for d in range(c):
                M[p, c, d] = complex(halves[0, p, c, d], halves[1, p, c, d])
                M[p, d, c] = complex(halves[0, p, c, d], -halves[1, p, c, d])
            M[p, c, c] = halves[0, p, c, c]


@_compiled
def mirror_upper(lower, scale, full):
    """Full = scale · the Hermitian matrix of which the lower half is given; both (n, n)."""
    n = len(lower)
    for c in range(n):
        for d in range(c + 1):
            full[c, d] = scale * lower[c, d]
            full[d, c] = np.conj(scale * lower[c, d])


@_compiled
def _soft_shares(norms, unit, offset, squared, lam, share, shares):
    """shares[j] = share_j · softmax_j(−λ residual_j), for each sample; norms and shares (n_classes, N).

    The residual is √norms_j / unit_j + offset_j; without the root if it is to stay squared.
    """
    n_classes, N = norms.shape
    for i in range(N):
        nearest = np.inf
        for j in range(n_classes):
            residual = norms[j, i] if squared else np.sqrt(max(norms[j, i], norms.dtype.type(0)))
            norms[j, i] = lam * (residual / unit[j] + offset[j])
            nearest = min(nearest, norms[j, i])
        total = 0.0
        for j in range(n_classes):
            norms[j, i] = np.exp(nearest - norms[j, i])
            total += norms[j, i]
        for j in range(n_classes):
            shares[j, i] = share[j] * norms[j, i] / total


@_compiled
def _scale_tile(u, scale, Y, t, p):
    """Y[t, p] = u · scale, sample by sample; u (K, N)."""
    K, N = u.shape
    for r in range(K):
        for i in range(N):
            Y[t, p, r, i] = u[r, i] * scale[i]


@_compiled
def _inverse_roots(norms):
    """1 / √norm, or 0 where the norm is 0: a place in a tile without a sample."""
    for i in range(len(norms)):
        norms[i] = 1 / np.sqrt(norms[i]) if norms[i] > 0 else 0.0


@_compiled
def _add_moment(X, t, p, sample_weight, M, q, weighted):
    """Add the second moment of a tile at one frequency to M[q, :, p], its real and imaginary part; lower half only.

    M : float64 array, shape (n_parts, 2, n_freqs, C, C), or (n_parts, 1, …) for real numbers; weighted : (2, N),
    overwritten.
    """
    C, N = M.shape[3], X.shape[3]
    zero = X.dtype.type(0)
    for c in range(C):
        for i in range(N):
            weighted[0, i] = sample_weight[t, i] * X[t, p, c, i]
        if M.shape[1] == 2:
            for i in range(N):
                weighted[1, i] = sample_weight[t, i] * X[t, p, C + c, i]
            for d in range(c + 1):
                real, imaginary = zero, zero
                for i in range(N):
                    real += weighted[0, i] * X[t, p, d, i] + weighted[1, i] * X[t, p, C + d, i]
                    imaginary += weighted[1, i] * X[t, p, d, i] - weighted[0, i] * X[t, p, C + d, i]
                M[q, 0, p, c, d] += real
                M[q, 1, p, c, d] += imaginary
        else:
            for d in range(c + 1):
                real = zero
                for i in range(N):
                    real += weighted[0, i] * X[t, p, d, i]
                M[q, 0, p, c, d] += real


@_compiled
def moments_few_rows(X, starts, first, last, sample_weight, M):
    """Add the second moments of parts first ≤ q < last to M[q]; part q is tiles starts[q] to starts[q+1] − 1."""
    weighted = np.empty((2, X.shape[3]), dtype=X.dtype)
    for q in range(first, last):
        for t in range(starts[q], starts[q + 1]):
            for p in range(X.shape[1]):
                _add_moment(X, t, p, sample_weight, M, q, weighted)


@_compiled
def _add_inner_products(X, t, p, P, j, weight, norms):
    """norms[j] += weight · ⟨X[t, p], P[j, p]⟩, sample by sample."""
    K, N = X.shape[2], X.shape[3]
    for r in range(K):
        for i in range(N):
            norms[j, i] += weight * X[t, p, r, i] * P[j, p, r, i]


@_compiled
def advance_few_rows(
    X, Y, A, Q, weights, share, unit, offset, squared, lam, starts, first, last, sample_weight, M, scratch
):
    """Carry parts first ≤ q < last of X through one layer into Y; add their new second moments to M[q].

    X, Y : real arrays, shape (n_tiles, n_freqs, K, N)
        They may be the same.
    A : real array, shape (n_freqs, n_classes + 1, K, K)
        The compressions, then I + η E.
    Q : real array, shape (n_freqs, n_classes, K, K), or (0, 1, 1, 1)
        What the residual of a class is the norm of, if it is not the compression.
    scratch : real array of at least n_freqs (n_classes + 1) K N items, overwritten.
    weights : real array, shape (n_freqs,), the Parseval weights; share : (n_classes,), η γ_j.
    unit, offset : (n_classes,), and squared: the residual is ‖C_j v‖ / unit + offset, or v* C_j v / unit + offset.
    sample_weight : real array, shape (n_tiles, N), 0 where there is no sample.
    starts : int array, shape (n_parts + 1,); part q is tiles starts[q] to starts[q+1] − 1.
    M : float64 array, shape (n_parts, 2, n_freqs, C, C)
        Real and imaginary part (the first alone for plain vectors); n_parts = 0 if no moment is wanted.
    """
    n_classes = A.shape[1] - 1
    _, F, K, N = X.shape
    P = scratch[: F * (n_classes + 1) * K * N].reshape((n_classes + 1, F, K, N))
    norms = np.empty((n_classes, N), dtype=X.dtype)
    shares = np.empty((n_classes, N), dtype=X.dtype)
    unused = np.empty(N, dtype=X.dtype)
    weighted = np.empty((2, N), dtype=X.dtype)
    block, square = K * N, K * K
    by_compression = len(Q) == 0 and not squared
    q = first
    for t in range(starts[first], starts[last]):
        while t >= starts[q + 1]:
            q += 1
        norms[:] = 0
        for j in range(n_classes):
            for p in range(F):
                operator, at_X, at_P = (p * (n_classes + 1) + j) * square, (t * F + p) * block, (j * F + p) * block
                if by_compression:
                    _multiply(
                        A, operator, X, at_X, P, at_P, weights[p], norms, j * N, shares, P, 0, 0, 0, K, N,
                    )  # fmt: skip
                    continue
                if len(Q):  # its product with the sample is not needed, so that the compression's may overwrite it
                    _multiply(
                        Q, (p * n_classes + j) * square, X, at_X, P, at_P, weights[p], norms, j * N,
                        shares, P, 0, 0, 0, K, N,
                    )  # fmt: skip
                _multiply(A, operator, X, at_X, P, at_P, weights[p], unused, 0, shares, P, 0, 0, 0, K, N)
                if squared:
                    _add_inner_products(X, t, p, P, j, weights[p], norms)
        _soft_shares(norms, unit, offset, squared, lam, share, shares)
        norms[0] = 0
        for p in range(F):
            operator = (p * (n_classes + 1) + n_classes) * square
            _multiply_subtract(
                A, operator, X, (t * F + p) * block, P, (n_classes * F + p) * block, weights[p], norms, 0,
                shares, P, p * block, F * block, n_classes, K, N,
            )  # fmt: skip
        _inverse_roots(norms[0])
        for p in range(F):
            _scale_tile(P[n_classes, p], norms[0], Y, t, p)
            if len(M):
                _add_moment(Y, t, p, sample_weight, M, q, weighted)


@_compiled
def extrapolate(X, Y, beta, weights, first, last):
    """Y = X + β (X − Y), scaled back onto the sphere, for tiles first ≤ t < last."""
    _, F, K, N = X.shape
    norms = np.empty(N, dtype=X.dtype)
    for t in range(first, last):
        norms[:] = 0
        for p in range(F):
            for r in range(K):
                for i in range(N):
                    Y[t, p, r, i] = X[t, p, r, i] + beta * (X[t, p, r, i] - Y[t, p, r, i])
                    norms[i] += weights[p] * Y[t, p, r, i] * Y[t, p, r, i]
        _inverse_roots(norms)
        for p in range(F):
            for r in range(K):
                for i in range(N):
                    Y[t, p, r, i] *= norms[i]


@_compiled
def _add_moment_by_blas(X, t, p, sample_weight, M, q, weighted, product):
    """The same as :func:`_add_moment`; weighted (K, N) and product (K, K) are overwritten."""
    C, K, N = M.shape[3], X.shape[2], X.shape[3]
    for r in range(K):
        for i in range(N):
            weighted[r, i] = sample_weight[t, i] * X[t, p, r, i]
    np.dot(weighted, X[t, p].T, product)
    for c in range(C):
        for d in range(c + 1):
            M[q, 0, p, c, d] += product[c, d]
            if M.shape[1] == 2:
                M[q, 0, p, c, d] += product[C + c, C + d]
                M[q, 1, p, c, d] += product[C + c, d] - product[c, C + d]


@_compiled
def moments_many_rows(X, starts, first, last, sample_weight, M):
    """The same as :func:`moments_few_rows`, multiplied by BLAS."""
    _, F, K, N = X.shape
    product = np.empty((K, K), dtype=X.dtype)
    weighted = np.empty((K, N), dtype=X.dtype)
    for q in range(first, last):
        for t in range(starts[q], starts[q + 1]):
            for p in range(F):
                _add_moment_by_blas(X, t, p, sample_weight, M, q, weighted, product)


@_compiled
def _add_squares(P, first, last, weight, norms):
    """Add weight · P² to norms (N,), over rows first ≤ r < last."""
    for r in range(first, last):
        for i in range(len(norms)):
            norms[i] += weight * P[r, i] * P[r, i]


@_compiled
def _subtract_scaled(step, shares, P):
    """Step −= shares · P, sample by sample."""
    K, N = step.shape
    for r in range(K):
        for i in range(N):
            step[r, i] -= shares[i] * P[r, i]


@_compiled
def _add_products(P, X, t, p, first, last, weight, norms):
    """Norms += weight · Σ P[r] X[t, p, r − first] over rows first ≤ r < last."""
    for r in range(first, last):
        for i in range(P.shape[1]):
            norms[i] += weight * P[r, i] * X[t, p, r - first, i]


@_compiled
def advance_many_rows(
    X, Y, A, Q, weights, share, unit, offset, squared, lam, starts, first, last, sample_weight, M, scratch
):
    """The same as :func:`advance_few_rows`, multiplied by BLAS.

    Where the products of a tile with the compressions fit into the scratch, for all frequencies, they are kept from the
    memberships to the step. Where they do not, those that count are computed again, which is faster than to carry them
    through memory: memberships that are lost in rounding are left out.
    scratch : real array of at least (n_classes + 1) K N items.
    Q : real array, shape (n_freqs, n_classes · R, K), or (0, 1, 1)
        Rows that span the subspace of each class: the residual is what a sample of unit norm has left outside of it.
    """
    _, F, K, N = X.shape
    n_classes = A.shape[1] - 1
    n_rows = n_classes * K
    kept = len(scratch) >= F * (n_rows + K) * N
    stacked = A.reshape((F, n_rows + K, K))
    P = scratch[: (F if kept else 1) * n_rows * N].reshape((F if kept else 1, n_rows, N))
    norms = np.empty((n_classes, N), dtype=X.dtype)
    shares = np.empty((n_classes, N), dtype=X.dtype)
    product = np.empty((K, K), dtype=X.dtype)
    weighted = np.empty((K, N), dtype=X.dtype)
    step = np.empty((K, N), dtype=X.dtype)
    negligible = np.finfo(X.dtype).eps / 16
    counts = np.empty(n_classes, dtype=np.bool_)
    n_along = Q.shape[1] // n_classes
    along = np.empty((Q.shape[1], N), dtype=X.dtype)
    q = first
    for t in range(starts[first], starts[last]):
        while t >= starts[q + 1]:
            q += 1
        norms[:] = 1 if len(Q) else 0
        for p in range(F):
            P_p = P[p if kept else 0]
            if len(Q):
                np.dot(Q[p], X[t, p], along)
                for j in range(n_classes):
                    _add_squares(along, j * n_along, (j + 1) * n_along, -weights[p], norms[j])
                if not kept:
                    continue
            np.dot(stacked[p, :n_rows], X[t, p], P_p)
            if len(Q):
                continue
            for j in range(n_classes):
                if squared:
                    _add_products(P_p, X, t, p, j * K, (j + 1) * K, weights[p], norms[j])
                else:
                    _add_squares(P_p, j * K, (j + 1) * K, weights[p], norms[j])
        _soft_shares(norms, unit, offset, squared, lam, share, shares)
        for j in range(n_classes):
            counts[j] = False
            for i in range(N):  # a place without a sample belongs to no class
                if sample_weight[t, i] > 0 and shares[j, i] > negligible * share[j]:
                    counts[j] = True
                    break
        norms[0] = 0
        for p in range(F):
            np.dot(A[p, n_classes], X[t, p], step)
            for j in range(n_classes):
                if not counts[j]:
                    continue
                P_j = P[p, j * K : (j + 1) * K] if kept else P[0, :K]
                if not kept:
                    np.dot(A[p, j], X[t, p], P_j)
                _subtract_scaled(step, shares[j], P_j)
            _add_squares(step, 0, K, weights[p], norms[0])
            Y[t, p] = step
        _inverse_roots(norms[0])
        for p in range(F):
            _scale_tile(Y[t, p], norms[0], Y, t, p)
            if len(M):
                _add_moment_by_blas(Y, t, p, sample_weight, M, q, weighted, product)


@_compiled
def ridge_operators(M, alpha, first, last, operators, logdets):
    """operators[b] = α_b (I + α_b M_b)⁻¹ and its log det (I + α_b M_b), for first ≤ b < last; False if not positive.

    M : array, shape (n, C, C), of which the lower half is read; alpha : float array, shape (n,); operators : complex.
    """
    C = M.shape[1]
    L_re, L_im = np.zeros((C, C)), np.zeros((C, C))
    Y_re, Y_im = np.zeros((C, C)), np.zeros((C, C))
    for b in range(first, last):
        logdet = 0.0
        # Cholesky factor L of I + α M, row by row.
        for c in range(C):
            for d in range(c + 1):
                re, im = alpha[b] * M[b, c, d].real, alpha[b] * M[b, c, d].imag
                if c == d:
                    re, im = re + 1.0, 0.0
                for e in range(d):
                    re -= L_re[c, e] * L_re[d, e] + L_im[c, e] * L_im[d, e]
                    im -= L_im[c, e] * L_re[d, e] - L_re[c, e] * L_im[d, e]
                if c == d:
                    if not re > 0:
                        return False
                    logdet += np.log(re)
                    L_re[c, c], L_im[c, c] = np.sqrt(re), 0.0
                else:
                    L_re[c, d], L_im[c, d] = re / L_re[d, d], im / L_re[d, d]
        logdets[b] = logdet
        # Its inverse Y, row by row: Y_c = (e_c − Σ_{d<c} L_cd Y_d) / L_cc.
        for c in range(C):
            for e in range(c):
                Y_re[c, e] = Y_im[c, e] = 0.0
            Y_re[c, c], Y_im[c, c] = 1.0, 0.0
            for d in range(c):
                l_re, l_im = L_re[c, d], L_im[c, d]
                for e in range(d + 1):
                    Y_re[c, e] -= l_re * Y_re[d, e] - l_im * Y_im[d, e]
                    Y_im[c, e] -= l_re * Y_im[d, e] + l_im * Y_re[d, e]
            for e in range(c + 1):
                Y_re[c, e] /= L_re[c, c]
                Y_im[c, e] /= L_re[c, c]
        # The inverse Y* Y, the sum over its rows.
        for c in range(C):
            for d in range(c + 1):
                re, im = 0.0, 0.0
                for e in range(c, C):
                    re += Y_re[e, c] * Y_re[e, d] + Y_im[e, c] * Y_im[e, d]
                    im += Y_re[e, c] * Y_im[e, d] - Y_im[e, c] * Y_re[e, d]
                operators[b, c, d] = alpha[b] * complex(re, im)
                operators[b, d, c] = alpha[b] * complex(re, -im)
    return True


# Roots of the secular equation are refined until they move by less than this share of their distance to a pole; a
# frequency with less energy than this share of the sample says nothing.
_ROOT_TOLERANCE, _ROOT_STEPS, _LEAST_ENERGY = 1e-6, 60, 1e-9


@_compiled
def energy_inside_without(eigenvalues, energies, sample_weight, weights, negligible, gone, inside):
    """Energy of samples in the leading subspaces of their class without them; see the twin in leave_one_out.

    eigenvalues : (n_freqs, C), ascending; energies : (n_freqs, n, C); inside : (rank, n), overwritten.

    The k-th eigenvalue μ of Λ − s a a* lies between λ_{k+1} and λ_k and solves s Σ_i |a_i|² / (λ_i − μ) = 1; along its
    eigenvector (Λ − μ)⁻¹ a the sample has the energy 1 / (s² Σ_i |a_i|² / (λ_i − μ)²). The root is sought as the
    distance δ = λ_k − μ. The poles on either side of it are taken for one pole each, at λ_k and λ_{k+1}, of the same
    value and slope (Bunch, Nielsen and Sorensen 1978); a step that would leave the bracket halves it instead.
    """
    F, n, C = energies.shape
    rank = len(inside)
    inside[:] = 0
    distance, scaled = np.empty(C), np.empty(C)
    for p in range(F):
        for i in range(n):
            s = sample_weight[i]
            total = 0.0
            for c in range(C):
                scaled[c] = s * energies[p, i, c]
                total += energies[p, i, c]
            if total * weights[p] < _LEAST_ENERGY:
                continue
            for k in range(rank):
                top = C - 1 - k
                at = eigenvalues[p, top]
                if at <= negligible:
                    break
                # Below the last eigenvalue there is no other pole, and a moment without a sample is not negative.
                gap = at - (eigenvalues[p, top - 1] if top > 0 else 0.0)
                if gap <= 1e-14 * eigenvalues[p, C - 1]:
                    continue  # two equal eigenvalues: an eigenvector of both is orthogonal to the sample
                low, high, delta = 0.0, gap, 0.5 * gap
                slope = 0.0
                for c in range(C):
                    distance[c] = eigenvalues[p, c] - at
                for _ in range(_ROOT_STEPS):
                    above, above_slope = 0.0, 0.0
                    for c in range(top, C):
                        nearness = 1.0 / (distance[c] + delta)
                        above += scaled[c] * nearness
                        above_slope += scaled[c] * nearness * nearness
                    below, below_slope = 0.0, 0.0
                    for c in range(top):
                        nearness = 1.0 / (distance[c] + delta)
                        below += scaled[c] * nearness
                        below_slope += scaled[c] * nearness * nearness
                    slope = above_slope + below_slope
                    f = above + below - 1.0
                    if f > 0:
                        low = delta
                    else:
                        high = delta
                    near, far = above_slope * delta * delta, below_slope * (gap - delta) * (gap - delta)
                    rest = (above - near / delta) + (below + far / (gap - delta)) - 1.0
                    # near / δ − far / (gap − δ) + rest = 0
                    b = rest * gap - near - far
                    root = max(b * b + 4 * rest * near * gap, 0.0)
                    q = -0.5 * (b + np.sqrt(root)) if b > 0 else -0.5 * (b - np.sqrt(root))
                    one, two = -q / rest, near * gap / q
                    following = one if low < one < high else two
                    if not low < following < high:
                        following = 0.5 * (low + high)
                    moved = abs(following - delta)
                    if moved <= _ROOT_TOLERANCE * min(delta, gap - delta) or high - low <= 1e-15 * gap:
                        break
                    delta = following
                if slope > 0 and at - delta > max(negligible, gone * np.sqrt(at * eigenvalues[p, C - 1])):
                    inside[k, i] += weights[p] / (s * slope)
    for k in range(1, rank):
        for i in range(n):
            inside[k, i] += inside[k - 1, i]
