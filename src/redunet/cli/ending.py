"""How a command ends: the exit code, and a line about what went wrong."""

import traceback
from collections.abc import Callable

from .errors import FINE, INTERRUPTED, WRONG, Mistake
from .output import drop_standard_output
from .showing import tell
from .termination import TERMINATED, Terminated


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
