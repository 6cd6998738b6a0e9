"""SIGTERM ends a command as Ctrl-C does: unfinished files are removed."""

import signal
import threading
from collections.abc import Callable
from types import FrameType

from .exit_codes import TERMINATED


class Terminated(SystemExit):
    """The process was asked to end."""

    def __init__(self) -> None:
        super().__init__(TERMINATED)


def exit_cleanly_on_sigterm() -> Callable[[], None]:
    """From now on SIGTERM raises :class:`Terminated` in the main thread, so that unfinished files are removed.

    Where the signal is handled or ignored already, this stays so.

    Returns
    -------
    callable
        Takes the change back.
    """
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return lambda: None

    def end(number: int, frame: FrameType | None) -> None:
        raise Terminated

    def undo() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    signal.signal(signal.SIGTERM, end)
    return undo
