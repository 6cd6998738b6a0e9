"""A note about models that take much room, before they are written."""

from pathlib import Path
from typing import Any

from ..inputs.byte_sizes import readable_bytes
from ..storage.model_file import stored_bytes

# Bytes above which the size of a model is reported before it is written.
LARGE_MODEL_BYTES = 100e6


def large_model_note(model: Any, out: Path) -> str:
    """What to print about a model that is large; empty if it is not.

    Parameters
    ----------
    model : estimator
        Fitted.
    out : Path
        Where it will be written.
    """
    n_bytes = stored_bytes(model)
    if n_bytes <= LARGE_MODEL_BYTES:
        return ""
    return (
        f"the model takes about {readable_bytes(n_bytes)}, which are now written to {out}; fewer columns, fewer "
        f"--channels of the lift, fewer --layers or --float32 make it smaller."
    )
