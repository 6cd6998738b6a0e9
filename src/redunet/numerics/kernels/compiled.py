"""How kernels are compiled."""

import numba

# Sums may be reordered and multiplications fused, for speed; NaN and infinity keep their meaning.
FLAGS = ("contract", "reassoc", "nsz")
compiled = numba.njit(nogil=True, cache=True, error_model="numpy", fastmath=set(FLAGS))
