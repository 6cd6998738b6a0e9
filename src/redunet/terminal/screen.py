"""A console for tables and bars, whatever text they hold."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from .text import harmless


class Screen(Console):
    """A console of rich on which all text is harmless: tables, bars and messages alike. Square brackets are brackets.

    Parameters
    ----------
    stderr : bool
        The error stream, not standard output.
    width : int, optional
        Columns; by default those of the terminal.
    """

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is printed, piece by piece; the styles and cursor moves are those of rich itself."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                lines = segment.text.split("\n")
                yield Segment("\n".join(harmless(line, self.encoding) for line in lines), segment.style)
