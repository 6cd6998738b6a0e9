"""Images whose channels come last, which would be read as many channels of a narrow image."""

from .errors import Data, InputError, Message, Option

# Numbers of channels that images have: grey, colour, colour with opacity.
CHANNELS_OF_IMAGES = (1, 3, 4)
# Pixels on the side of an image, at least; with fewer it may as well be many channels of a small grid.
SMALLEST_SIDE = 8


def refuse_channels_last(shape: tuple[int, ...], name: str) -> None:
    """Refuse samples (height, width, n_channels), and volumes likewise, which are nearly certain to be just that.

    Parameters
    ----------
    shape : tuple of int
        Of one sample, with an axis that would be read as channels, and two or three others.
    name : str
        What the user calls the array.
    """
    *sides, last = shape
    if last not in CHANNELS_OF_IMAGES or min(sides) < SMALLEST_SIDE:
        return
    raise InputError(
        "{data} has samples of shape {shape}, which is read as {n_read} channels of {grid}; the channels seem to come "
        "last. Pass {moved}, or {layout} if the channels do come first.",
        data=Data(name),
        shape=shape,
        n_read=shape[0],
        grid=" × ".join(map(str, shape[1:])),
        moved=channels_first(name),
        layout=Option("sample_shape", shape),
    )


def channels_first(name: str) -> Message:
    """The call that moves the channels of an array to where they belong."""
    return Message("np.moveaxis({name}, -1, 1)", name=name)
