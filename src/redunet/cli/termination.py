"""SIGTERM from the command line: everything is left in order, as after Ctrl-C."""

import signal
import threading
from collections.abc import Callable
from types import FrameType

# What a shell gives for a process that this signal ended.
TERMINATED = 128 + 15


class Terminated(SystemExit):
    """The process was asked to end."""

    def __init__(self) -> None:
        super().__init__(TERMINATED)


def end_in_order_on_sigterm() -> Callable[[], None]:
    """From now on SIGTERM raises :class:`Terminated` in the main thread, so that unfinished files are removed.

    Whoever handles or ignores the signal already goes on doing so. Returns what undoes it.
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
