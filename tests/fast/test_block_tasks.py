"""Tasks on blocks: results are put together in the order of their blocks, by a tree that their number alone decides."""

import random

import pytest

from redunet.fast.block_tasks import GROUP_SIZE, LocalTasks, put_together


def words(parts):
    return "(" + "".join(parts) + ")"


@pytest.mark.parametrize("n", [1, GROUP_SIZE, GROUP_SIZE + 1, GROUP_SIZE**2 + 3])
def test_the_order_of_the_sum_depends_on_the_number_of_blocks_alone(n):
    parts = [f"{i}," for i in range(n)]
    together = put_together(LocalTasks(), words, parts)
    assert [int(one) for one in together.replace("(", "").replace(")", "").split(",") if one] == list(range(n))
    assert put_together(LateTasks(), words, parts) == together  # tasks done in another order: the same tree


def test_groups_have_the_size_that_is_stated():
    parts = ["x"] * (2 * GROUP_SIZE)
    group = "(" + "x" * GROUP_SIZE + ")"
    assert put_together(LocalTasks(), words, parts) == f"({group}{group})"


class LateTasks:
    """Does nothing until a result is asked for, then its arguments in an order of its own."""

    def call(self, function, *arguments):
        return Late(function, arguments)

    def share(self, value):
        return value

    def keep(self, handles):
        return list(handles)

    def result(self, handle):
        order = list(range(len(handle.arguments)))
        random.Random(0).shuffle(order)
        done = dict.fromkeys(order)
        for i in order:
            one = handle.arguments[i]
            done[i] = self.result(one) if isinstance(one, Late) else one
        return handle.function(*(done[i] for i in sorted(done)))


class Late:
    """A task that was not done yet."""

    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments
