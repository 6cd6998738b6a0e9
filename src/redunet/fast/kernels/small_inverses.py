"""Operators of many small matrices; the twin of :mod:`redunet.numerics.operators`."""

import numpy as np

from .compilation import compiled


@compiled
def ridge_operators(M, alpha, first, last, operators, logdets):
    """operators[b] = α_b (I + α_b M_b)⁻¹ and log det (I + α_b M_b), for first ≤ b < last; False if not positive.

    M : array, shape (n, C, C), of which the lower half is read; alpha : float array, shape (n,)
    operators : complex array, shape (n, C, C), or (0, 1, 1) where the log-determinants are all that is wanted.

    Factor, its inverse and their product are one long function, so that a small matrix never leaves the cache.
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
        if not len(operators):
            continue
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
