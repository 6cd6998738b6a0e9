"""A line of progress for long constructions."""

import sys
import time


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
        """Show that ``n_built`` layers are there and what they reach."""
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        last = n_built == self.n_layers
        tenth = 10 * n_built // max(1, self.n_layers)
        if not last and (now - self.shown_at < 0.1 if terminal else tenth == self.shown_tenth):
            return
        self.shown_at, self.shown_tenth = now, tenth
        elapsed = now - self.start
        if last:
            when = f"done in {elapsed:.1f} s"
        elif n_built:
            when = f"{elapsed / n_built * (self.n_layers - n_built):.1f} s left"
        else:
            when = "starting"
        line = f"redunet: layer {n_built} of {self.n_layers}, ΔR {rate_reduction:.6g} nats, {when}"
        sys.stderr.write(f"\r\x1b[2K{line}" + ("\n" if last else "") if terminal else line + "\n")
        sys.stderr.flush()
