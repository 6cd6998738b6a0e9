"""Facts about a model that several commands print."""

from typing import Any

import numpy as np

from ..lift.lift import Lift


def describe_lift(lift: Lift | None) -> dict[str, Any] | None:
    """The options of a fitted lift that describe it, as JSON can hold them; None without a lift."""
    if lift is None:
        return None
    filters = lift.filters if isinstance(lift.filters, str) else "own"
    sizes = [int(size) for size in np.atleast_1d(lift.kernel_size)]
    pad = [int(zeros) for zeros in np.atleast_1d(lift.pad)]
    return {
        "filters": filters, "channels": sum(len(one) for one in lift.filters_), "kernel": sizes,
        "threshold": lift.threshold, "pool": float(lift.pool), "pad": pad,
    }  # fmt: skip


def lift_in_words(lift: dict[str, Any] | None) -> str:
    """The options of a lift, as :func:`describe_lift` gives them, in a line of text."""
    if lift is None:
        return "none"
    words = f"{lift['filters']}, {lift['channels']} channels, kernel {','.join(map(str, lift['kernel']))}"
    words += f", {lift['threshold']}" + (f", pool {lift['pool']:g}" if lift["pool"] != 1 else "")
    return words + (f", pad {','.join(map(str, lift['pad']))}" if any(lift["pad"]) else "")
