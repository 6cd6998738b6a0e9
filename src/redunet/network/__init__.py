"""The construction: where features live, what a layer is, and the one loop that builds them.

``geometry`` turns samples into blocks, ``layer`` is the frozen record of one step, ``construct`` builds layer upon
layer and keeps the ``history``; ``network`` holds the result and carries new samples through it.
"""
