"""The mathematics, quickly: threads, one BLAS thread at a time, tiles of samples, compiled kernels.

Everything here has a readable twin in :mod:`redunet.numerics` (or, for a layer, in ``network/layer.py``), and the tests
compare the two.
"""
