"""Tasks on blocks of samples, done here or elsewhere, and a sum of their results whose order is always the same.

A task is a pure function of its arguments: it changes none of them, so that it can be done again where its result was
lost. What is written in these terms gives the same bits whoever does the tasks, in whatever order.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

# Results are put together in groups of so many, in the order of their blocks, then the groups, and so on.
GROUP_SIZE = 8


class BlockTasks(Protocol):
    """Whoever does tasks. What stands for a result that may not be there yet is called a handle."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Handle of what a function gives; arguments may be handles themselves."""

    def share(self, value: Any) -> Any:
        """Handle of a value that many tasks need, such as a layer."""

    def keep(self, handles: Sequence[Any]) -> list[Any]:
        """Begin with these tasks, and keep what they give for as long as the handles that are returned here."""

    def result(self, handle: Any) -> Any:
        """What a task gave, waiting for it if need be."""


class LocalTasks:
    """Does every task at once, in this process; a handle is the result itself."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the function gives."""
        return function(*arguments)

    def share(self, value: Any) -> Any:
        """The value."""
        return value

    def keep(self, handles: Sequence[Any]) -> list[Any]:
        """The same results."""
        return list(handles)

    def result(self, handle: Any) -> Any:
        """The result that is there already."""
        return handle


def put_together(tasks: BlockTasks, combine: Callable[[Sequence[Any]], Any], parts: Sequence[Any]) -> Any:
    """What a function that puts results together makes of all parts, by a tree that depends on their number alone.

    Parameters
    ----------
    tasks : BlockTasks
    combine : callable
        Given at most ``GROUP_SIZE`` results in the order of their blocks.
    parts : sequence of handles
        At least one, in the order of their blocks.

    Returns
    -------
    object
        The result itself.
    """
    handles = list(parts)
    while True:
        groups = [handles[i : i + GROUP_SIZE] for i in range(0, len(handles), GROUP_SIZE)]
        handles = [tasks.call(_of_group, combine, *group) for group in groups]
        if len(handles) == 1:
            return tasks.result(handles[0])


def _of_group(combine: Callable[[Sequence[Any]], Any], *parts: Any) -> Any:
    return combine(parts)
