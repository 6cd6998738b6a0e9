"""How the numbers of a sample lie: in a row, on a circle, on a grid."""

import math

from ..command_errors import UsageError
from .source import Source

NUMBERS_OF_AXES = {"shift": (1, 2), "translation": (2, 3, 4)}
EXPECTED_SHAPES = {"shift": "CHANNELS,LENGTH", "translation": "CHANNELS,HEIGHT,WIDTH"}


def check_layout(path: str, source: Source, invariance: str | None, given: tuple[int, ...] | None) -> None:
    """Check that samples have the layout that the invariance needs, and that --shape describes them."""
    shape, n_numbers = source.shape, math.prod(source.shape)
    flat = len(shape) == 1
    if given is not None and math.prod(given) != n_numbers:
        raise UsageError(
            f"--shape {_words(given)} holds {math.prod(given)} numbers, but a sample of {path} has {n_numbers}"
            f"{_guess(n_numbers, invariance)}."
        )
    if given is not None and not flat and shape not in (given, (1, *given)):
        raise UsageError(
            f"--shape {_words(given)}: samples of {path} have the shape {_words(shape)} already; leave it out."
        )
    if invariance is None:
        if not flat:
            raise UsageError(
                f"{path} has samples of shape {_words(shape)}, and --invariance none takes rows of numbers; pass "
                f"--invariance {'shift' if len(shape) == 2 else 'translation'}."
            )
        return
    layout = given or shape
    if given is None and flat and invariance == "translation":
        raise UsageError(
            f"{path} has rows of {n_numbers} numbers, and --invariance translation needs their layout"
            f"{_guess(n_numbers, invariance)}."
        )
    if len(layout) not in NUMBERS_OF_AXES[invariance]:
        of = f"--shape {_words(given)}" if given else f"{path} has samples of shape {_words(shape)}, which"
        raise UsageError(f"{of} does not go with --invariance {invariance}, which takes {EXPECTED_SHAPES[invariance]}.")


def _words(shape: tuple[int, ...]) -> str:
    return ",".join(map(str, shape))


def _guess(n_numbers: int, invariance: str | None) -> str:
    """A shape that may have been meant, as the end of a sentence."""
    if invariance == "shift":
        return f"; pass --shape 1,{n_numbers}"
    for channels in (1, 3):
        side = math.isqrt(n_numbers // channels)
        if invariance == "translation" and channels * side * side == n_numbers:
            return f"; pass --shape {channels},{side},{side}"
    return f"; pass a --shape whose product is {n_numbers}" if invariance else "; leave it out"
