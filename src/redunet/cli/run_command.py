"""Running a command: its exit code, and a line on the error stream about what went wrong."""

import traceback
from collections.abc import Callable

from .command_errors import CommandError
from .exit_codes import FAILURE, INTERRUPTED, SUCCESS, TERMINATED
from .output import drop_standard_output
from .printing import print_message
from .termination import Terminated


def run_command(work: Callable[[], int | None], interrupted: str) -> int:
    """Do the work and return the exit code; an error becomes a line on the error stream.

    Parameters
    ----------
    work : callable
        Gives an exit code; None is success.
    interrupted : str
        What to print after Ctrl-C; it begins with "interrupted", which SIGTERM turns into "terminated".
    """
    try:
        return work() or SUCCESS
    except CommandError as error:
        print_message(str(error))
        return error.code
    except KeyboardInterrupt:
        print_message(interrupted)
        return INTERRUPTED
    except Terminated:
        print_message(interrupted.replace("interrupted", "terminated", 1))
        return TERMINATED
    except BrokenPipeError:  # as in `| head`
        drop_standard_output()
    except MemoryError as error:
        problem = str(error) or "the samples do not fit into memory"
        print_message(f"{problem.rstrip('.')}. Take fewer samples, --float32, or a machine with more memory.")
        return FAILURE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print_message(f"{where}{error.strerror or error}; free some space, or use another place.")
        return FAILURE
    except Exception:
        print_message("this should not have happened; please report it.", *traceback.format_exc().splitlines())
        return FAILURE
    return SUCCESS
