"""The commands for one's own data: what was asked for in, the exit code out."""

import traceback
from collections.abc import Callable

from ..termination import TERMINATED, Terminated
from .evaluating import EvaluateRequest, evaluate_model
from .fitting import FitRequest, fit_model
from .inspecting import InspectRequest, inspect_model
from .mistakes import FINE, INTERRUPTED, WRONG, Mistake
from .output import drop_standard_output
from .predicting import PredictRequest, predict_samples
from .showing import tell

__all__ = [
    "EvaluateRequest",
    "FitRequest",
    "InspectRequest",
    "PredictRequest",
    "evaluate",
    "fit",
    "inspect",
    "predict",
]


def fit(request: FitRequest) -> int:
    """Fit a classifier and save it."""
    again = "; the same command goes on from the checkpoint" if request.checkpoint else ""
    return ending_of(lambda: fit_model(request), f"interrupted; no model was written{again}.")


def predict(request: PredictRequest) -> int:
    """Answer new samples."""
    left = "what was printed is not complete" if request.out is None else f"{request.out} was not written"
    return ending_of(lambda: predict_samples(request), f"interrupted; {left}.")


def evaluate(request: EvaluateRequest) -> int:
    """Compare answers with labels."""
    return ending_of(lambda: evaluate_model(request), "interrupted.")


def inspect(request: InspectRequest) -> int:
    """Say what a model file holds."""
    return ending_of(lambda: inspect_model(request), "interrupted.")


def ending_of(work: Callable[[], None], interrupted: str) -> int:
    """Do the work and say how it ended; mistakes become a line on the error stream."""
    try:
        work()
    except Mistake as mistake:
        tell(str(mistake))
        return mistake.code
    except KeyboardInterrupt:
        tell(interrupted)
        return INTERRUPTED
    except Terminated:
        tell(interrupted.replace("interrupted", "terminated", 1))
        return TERMINATED
    except BrokenPipeError:  # as in `| head`
        drop_standard_output()
    except MemoryError as error:
        told = str(error) or "the samples do not fit into memory"
        tell(f"{told.rstrip('.')}. Take fewer samples, --float32, or a machine with more memory.")
        return WRONG
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        tell(f"{where}{error.strerror or error}; free some space, or use another place.")
        return WRONG
    except Exception:
        tell("this should not have happened; please report it.", *traceback.format_exc().splitlines())
        return WRONG
    return FINE
