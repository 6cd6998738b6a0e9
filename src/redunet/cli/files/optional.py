"""Packages that only some files need."""

from importlib import import_module
from typing import Any

from ..errors import WrongData


def needed(module: str, package: str, what: str) -> Any:
    """A module that may not be there, or an error with the line that brings it."""
    try:
        return import_module(module)
    except ImportError:
        raise WrongData(f"{what} need {package}, which is not installed; run: pip install {package}") from None
