"""Why samples were nearer to one class than to another: a frozen record of shares that add up."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..numerics.arrays import Array

# Samples that are described in words, at most.
MOST_DESCRIBED = 5


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why samples were nearer to one class than to another, and where in the sample the difference comes from.

    Shares are positive where they speak for ``nearest``, negative where they speak for ``other``. For every sample the
    sum of its ``positions`` and its ``offset`` is its ``difference``, and so is the sum of its ``parts``.

    Parameters
    ----------
    nearest, other : array, shape (n_samples,)
        Labels of the two classes that are compared.
    distances : float array, shape (n_samples, n_classes)
        Distance of each sample to each class; columns are in the order of ``classes_``.
    difference : float array, shape (n_samples,)
        Distance to ``other`` minus distance to ``nearest``.
    positions : float array, shape (n_samples, n_channels, *grid), or (n_samples, n_features) for tables
        How much each value of X gives to the difference. For signals of unequal lengths a list of arrays, each of shape
        (n_channels, length).
    offset : float array, shape (n_samples,)
        What belongs to no value of X: the constant coordinate of vectors, the log-determinants of code lengths, and the
        rounding of the distances, which is less than 3e-6.
    parts : float array, shape (n_samples, n_parts)
        The same difference by what was measured.
    part_names : array of str, shape (n_parts,)
        Frequencies for signals and images ("frequency 7", and "frequency 2 at the best shift" for an aligned answer),
        dilations and counts for pooled lifts, features for tables; the last one is "constant", which has the offset.
    """

    nearest: Array
    other: Array
    distances: Array
    difference: Array
    positions: Array | list[Array]
    offset: Array
    parts: Array
    part_names: Array

    def __len__(self) -> int:
        return len(self.difference)

    def __getitem__(self, index: Any) -> "Explanation":
        """Some of the samples as an explanation again; a number gives an explanation of one sample."""
        rows = np.atleast_1d(np.arange(len(self))[index])
        positions = self.positions
        fields = ("nearest", "other", "distances", "difference", "offset", "parts")
        return replace(
            self,
            **{name: getattr(self, name)[rows] for name in fields},
            positions=[positions[row] for row in rows] if isinstance(positions, list) else positions[rows],
        )

    def __repr__(self) -> str:
        n = len(self)
        lines = [f"Explanation of {n} sample{'' if n == 1 else 's'}"]
        lines += [self._in_words(i) for i in range(min(n, MOST_DESCRIBED))]
        if n > MOST_DESCRIBED:
            lines.append(f"  … and {n - MOST_DESCRIBED} more")
        return "\n".join(lines)

    def _in_words(self, i: int) -> str:
        """One sample in one line: the classes, and where most of the difference comes from."""
        shares, parts = self.positions[i], self.parts[i]
        pair = [label.item() if hasattr(label, "item") else label for label in (self.nearest[i], self.other[i])]
        words = f"  {pair[0]!r} rather than {pair[1]!r} by {self.difference[i]:.4g}"
        place = tuple(int(p) for p in np.unravel_index(int(shares.argmax()), shares.shape))
        if len(place) == 1:
            where = f"feature {place[0]}"
        else:
            where = f"position {place[1] if len(place) == 2 else place[1:]}"
            where += f" of channel {place[0]}" if len(shares) > 1 else ""
        part = int(parts.argmax())
        return f"{words}; most at {where} ({shares[place]:.3g}) and by {self.part_names[part]} ({parts[part]:.3g})"
