"""Inverses of large positive definite matrices, straight from LAPACK: without Python's lock, hence in parallel."""

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numba.extending import get_cython_function_address

from ..numerics.arrays import Array

_int_pointer = ctypes.POINTER(ctypes.c_int)
_routine = ctypes.CFUNCTYPE(None, ctypes.c_char_p, _int_pointer, ctypes.c_void_p, _int_pointer, _int_pointer)


@cache
def _lapack(name: str) -> Any:
    return _routine(get_cython_function_address("scipy.linalg.cython_lapack", name))


def factorise_in_place(A: Array) -> float:
    """Cholesky factor of a Hermitian positive definite matrix, in its lower half; returns the log-determinant.

    Parameters
    ----------
    A : float64 or complex128 array, shape (n, n), C-contiguous
        The lower half is overwritten, the upper half is left as it was.
    """
    if _call("potrf", A):
        raise np.linalg.LinAlgError("matrix is not positive definite")
    return 2.0 * float(np.log(np.diagonal(A).real).sum())


def invert_factorised(A: Array) -> None:
    """Inverse of the matrix that :func:`factorise_in_place` factorised; the lower half is overwritten by its own."""
    _call("potri", A)


def _call(routine: str, A: Array) -> int:
    """Call a routine of LAPACK on a square matrix; returns its error code, 0 if all is well."""
    kind = "z" if np.iscomplexobj(A) else "d"
    n, info = ctypes.c_int(len(A)), ctypes.c_int()
    # LAPACK reads by columns: what is its upper half of the conjugate is the lower half here.
    _lapack(kind + routine)(b"U", ctypes.byref(n), A.ctypes.data, ctypes.byref(n), ctypes.byref(info))
    return info.value
