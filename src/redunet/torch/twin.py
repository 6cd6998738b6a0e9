"""What modules have in common that were made of a record."""

from copy import deepcopy
from typing import Any, Self

from torch import nn


class Twin(nn.Module):  # type: ignore[misc]
    """A module that was made of a record, which stays as it is and which all copies of the module share.

    Parameters
    ----------
    like : record
        What the module was made of, and what :meth:`record` is like, but for what can be trained.
    """

    def __init__(self, like: Any) -> None:
        super().__init__()
        self.like = like

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = type(self).__new__(type(self))
        memo[id(self)], memo[id(self.like)] = other, self.like
        other.__dict__.update({name: deepcopy(value, memo) for name, value in vars(self).items()})
        return other
