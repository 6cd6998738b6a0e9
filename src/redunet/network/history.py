"""What the construction did to the coding rates, layer by layer."""

from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..storage.expectations import expect_numbers
from ..storage.stored_types import stored_record


@stored_record()
@dataclass(frozen=True, eq=False)
class History:
    """Coding rates in nats; entry 0 is the input, entry ℓ the features after layer ℓ.

    Parameters
    ----------
    coding_rate : float array, shape (n_layers + 1,)
        R, of all features together.
    class_coding_rate : float array, shape (n_layers + 1,)
        R_c, of the classes apart.
    """

    coding_rate: Array
    class_coding_rate: Array

    def __post_init__(self) -> None:
        self.coding_rate.flags.writeable = self.class_coding_rate.flags.writeable = False

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # unpickled arrays are writeable

    @property
    def rate_reduction(self) -> Array:
        """ΔR = R − R_c, which the layers increase; shape (n_layers + 1,)."""
        return self.coding_rate - self.class_coding_rate

    def __len__(self) -> int:
        return len(self.coding_rate)

    def __repr__(self) -> str:
        rate_reduction = self.rate_reduction
        return f"History({len(self) - 1} layers, ΔR {rate_reduction[0]:.4g} → {rate_reduction[-1]:.4g} nats)"

    def _repr_html_(self) -> str:
        """Curve of ΔR for notebooks."""
        values = self.rate_reduction
        low, high = float(values.min()), float(values.max())
        x = np.linspace(4, 236, len(values))
        y = 56 - 52 * (values - low) / ((high - low) or 1.0)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        return (
            f"<figure style='margin:0'><svg width='240' height='60' role='img' aria-label='rate reduction per layer'>"
            f"<polyline points='{points}' fill='none' stroke='currentColor' stroke-width='1.5'/></svg>"
            f"<figcaption>ΔR over {len(self) - 1} layers: {values[0]:.4g} → {values[-1]:.4g} nats</figcaption></figure>"
        )

    def check_stored(self, n_layers: int) -> None:
        """Refuse a history that came from a file and is not that of so many layers."""
        for rates in (self.coding_rate, self.class_coding_rate):
            expect_numbers(rates, (n_layers + 1,), "the history")
