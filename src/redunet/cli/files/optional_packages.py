"""Packages that only some kinds of files need."""

from importlib import import_module
from typing import Any

from ..command_errors import DataError


def import_optional(module: str, package: str, what: str) -> Any:
    """A module of a package that may not be installed, or an error with the line that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise DataError(f"{what} need {package}, which is not installed; run: pip install {package}") from None
