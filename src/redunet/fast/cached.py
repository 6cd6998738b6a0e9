"""Attributes that are computed when they are first read."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:  # noqa: N801 - it stands in for that of functools
        """That of Python 3.12. In 3.11 it takes a lock, which a child forked meanwhile would wait for without end."""

        def __init__(self, compute: Any) -> None:
            self.compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.name, self.compute(instance))


__all__ = ["cached_property"]
