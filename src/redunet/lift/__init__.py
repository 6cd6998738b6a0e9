"""More channels: filter banks, thresholds, and the transformer that applies them.

A new filter bank is a function in ``banks`` and its line in ``BANKS``; a new threshold the same in ``thresholds``.
"""
