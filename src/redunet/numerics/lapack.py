"""Inverses of large positive definite matrices, straight from LAPACK: without Python's lock, hence in parallel."""

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numba.extending import get_cython_function_address

from .arrays import Array

_int_pointer = ctypes.POINTER(ctypes.c_int)
_routine = ctypes.CFUNCTYPE(None, ctypes.c_char_p, _int_pointer, ctypes.c_void_p, _int_pointer, _int_pointer)


@cache
def _lapack(name: str) -> Any:
    return _routine(get_cython_function_address("scipy.linalg.cython_lapack", name))


def invert_in_place(A: Array) -> float:
    """Inverse of a Hermitian positive definite matrix, in its place; returns the log-determinant it had.

    Parameters
    ----------
    A : float64 or complex128 array, shape (n, n), C-contiguous
        Overwritten by its inverse.
    """
    kind = "z" if np.iscomplexobj(A) else "d"
    n, info = ctypes.c_int(len(A)), ctypes.c_int()
    arguments = (b"U", ctypes.byref(n), A.ctypes.data, ctypes.byref(n), ctypes.byref(info))
    _lapack(kind + "potrf")(*arguments)
    if info.value:
        raise np.linalg.LinAlgError("matrix is not positive definite")
    logdet = 2.0 * float(np.log(np.diagonal(A).real).sum())
    _lapack(kind + "potri")(*arguments)
    # LAPACK's upper half, by columns, is the lower half by rows; the other half is its mirror image.
    lower = np.tril_indices(len(A), -1)
    A.T[lower] = A[lower].conj()
    return logdet
