"""A line of progress for long constructions."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .text import harmless

_watcher: ContextVar[Callable[[int, int, float], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Callable[[int, int, float], None]) -> Iterator[None]:
    """Context in which every construction calls the watcher with the layers built, the layers at most, and ΔR."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


class WatchedProgress:
    """Progress of one construction, passed on to a watcher."""

    def __init__(self, n_layers: int, watcher: Callable[[int, int, float], None]) -> None:
        self.n_layers, self.watcher = n_layers, watcher

    def __call__(self, n_built: int, rate_reduction: float) -> None:
        """Report that ``n_built`` layers are built."""
        self.watcher(n_built, self.n_layers, rate_reduction)

    def done(self, n_built: int, rate_reduction: float) -> None:
        """Report the end of the construction."""
        self.watcher(n_built, n_built, rate_reduction)


def progress_of(n_layers: int, verbose: int) -> "WatchedProgress | ProgressLine | None":
    """What reports the progress of a construction: a watcher, else a line on the error stream if ``verbose``."""
    watcher = _watcher.get()
    if watcher is not None:
        return WatchedProgress(n_layers, watcher)
    return ProgressLine(n_layers) if verbose else None


class ProgressLine:
    """Layers done, ΔR and the time left, on one line of the error stream.

    On a terminal the line is rewritten; elsewhere (a log file, say) each tenth of the way gets a line of its own.

    Parameters
    ----------
    n_layers : int
        Layers that will be built.
    """

    def __init__(self, n_layers: int) -> None:
        self.n_layers = n_layers
        self.start = time.monotonic()
        self.shown_at = float("-inf")
        self.shown_tenth = -1

    def __call__(self, n_built: int, rate_reduction: float) -> None:
        """Print how many layers are built and their ΔR, unless it was printed a moment ago."""
        now = time.monotonic()
        tenth = 10 * n_built // max(1, self.n_layers)
        if now - self.shown_at < 0.1 if sys.stderr.isatty() else tenth == self.shown_tenth:
            return
        self.shown_at, self.shown_tenth = now, tenth
        elapsed = now - self.start
        when = f"{elapsed / n_built * (self.n_layers - n_built):.1f} s left" if n_built else "starting"
        self._show(n_built, rate_reduction, when, end="")

    def done(self, n_built: int, rate_reduction: float) -> None:
        """Print how many layers were built in the end; fewer than planned where ΔR stopped growing before."""
        self._show(n_built, rate_reduction, f"done in {time.monotonic() - self.start:.1f} s", end="\n")

    def _show(self, n_built: int, rate_reduction: float, when: str, end: str) -> None:
        line = f"redunet: layer {n_built} of {self.n_layers}, ΔR {rate_reduction:.6g} nats, {when}"
        line = harmless(line, getattr(sys.stderr, "encoding", None))  # not every stream can print Δ
        sys.stderr.write(f"\r\x1b[2K{line}{end}" if sys.stderr.isatty() else f"{line}\n")
        sys.stderr.flush()


def write_note(text: str) -> None:
    """A line on the error stream that says what a fit is doing."""
    sys.stderr.write(f"redunet: {harmless(text, getattr(sys.stderr, 'encoding', None))}\n")
    sys.stderr.flush()
