"""A folder of images, one sub-folder for each class; or one image. Needs Pillow."""

import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...numerics.arrays import Array
from ..command_errors import CommandError, DataError, UsageError, first_line
from .input_files import open_file
from .optional_packages import import_optional
from .source import Block, FileFormat, ReadOptions, rows_per_block

ENDINGS = (".png", ".jpg", ".jpeg", ".pgm")
# What these endings stand for, as Pillow calls it. It would open other formats too, some of them by starting programs.
PILLOW_FORMATS = ("PNG", "JPEG", "PPM")
# Files that are read between two looks at how far it is, at most.
FILES_PER_BLOCK = 500


class ImageFolder:
    """Images of one size. Pixels are taken as they are; colours become grey unless the options ask for them.

    Where they do ask, or the model takes three channels, a grey image has three equal ones; opacity is left out.

    Parameters
    ----------
    path : Path
        With one sub-folder for each class. Images without labels may lie in it directly.
    options : ReadOptions

    Attributes
    ----------
    first_greyed : Path or None
        The first image, of those that were read, whose colours became grey.
    """

    heading = "file"
    counts_exactly = True
    names: tuple[str, ...] | None = None

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.pillow = import_optional("PIL.Image", "pillow", "images")
        self.path, self.options = path, options
        self.files: list[Path] = []
        self.first_greyed: Path | None = None
        self.left_out = self._find_files()
        self.size = self._open(self.files[0]).size
        self.colour = options.colour if options.shape is None else self._colour_of(options.shape)
        self.shape = (3 if self.colour else 1, *self.size[::-1])

    def _find_files(self) -> str:
        """Find the images; what else there is, in words."""
        path = self.path
        others: list[Path] = []
        for folder in self._folders():
            images, rest = _sorted_out(folder)
            if not images and folder != path:
                raise DataError(f"{folder} holds no images ({', '.join(ENDINGS)}); put some there, or remove it.")
            self.files += images
            others += rest
        if not self.files:
            raise DataError(
                f"{path} is a folder without images ({', '.join(ENDINGS)}); put them there, or pass another folder."
            )
        return f"files that are no images: {len(others)} (first: {others[0]})" if others else ""

    def place(self, i: int) -> str:
        """Path of image i inside the folder."""
        return self.files[i].relative_to(self.path).as_posix()

    def where(self, i: int) -> str:
        """Path of image i."""
        return str(self.files[i])

    def labels_at(self) -> str:
        """The folder, whose sub-folders are the labels."""
        return f"{self.path}, sub-folders"

    def expected_samples(self) -> int:
        """Number of images."""
        return len(self.files)

    def blocks(self) -> Iterator[Block]:
        """All images, class by class."""
        n_rows = min(FILES_PER_BLOCK, rows_per_block(math.prod(self.shape)))
        for start in range(0, len(self.files), n_rows):
            files = self.files[start : start + n_rows]
            labels = [file.parent.name for file in files] if self.options.labelled else []
            yield Block(start, np.stack([self._pixels(file) for file in files]), labels)

    def _folders(self) -> list[Path]:
        inside = sorted(one for one in self.path.iterdir() if one.is_dir() and not one.name.startswith("."))
        if self.options.labelled:
            images, _ = _sorted_out(self.path)
            if images:
                raise DataError(f"{images[0]} is in no sub-folder, so its class is not known; move it into one.")
            if not inside:
                raise DataError(
                    f"{self.path} is a folder without sub-folders; there must be one for each class, with its images."
                )
            return inside
        return [self.path, *inside]

    def _colour_of(self, shape: tuple[int, ...]) -> bool:
        """Whether the model takes three channels; an error if images of this size are not what it takes."""
        width, height = self.size
        for colour, channels in ((False, 1), (True, 3)):
            if shape in ((channels, height, width), (channels * height * width,)):
                return colour
        takes = f"images of {shape[2]} × {shape[1]} pixels" if len(shape) == 3 else f"samples of shape {shape}"
        raise DataError(
            f"{self.files[0]} is {width} × {height} pixels, but the model takes {takes}; scale or crop the images."
        )

    def _pixels(self, file: Path) -> Array:
        """Pixels of an image; shape (n_channels, height, width)."""
        image = self._open(file)
        if image.size != self.size:
            raise DataError(
                f"{file} is {image.size[0]} × {image.size[1]} pixels, but {self.files[0]} is {self.size[0]} × "
                f"{self.size[1]}; scale or crop all images to one size."
            )
        if image.mode[0] in "IF":  # 16 bits and more, which a conversion to 8 bits would clip
            grey = np.asarray(image, dtype=np.float64)[None]
            return np.repeat(grey, 3, axis=0) if self.colour else grey
        if self.colour:
            return np.asarray(image.convert("RGB"), dtype=np.float64).transpose(2, 0, 1)
        if self.first_greyed is None and _has_colours(image):
            self.first_greyed = file
        return np.asarray(image.convert("L"), dtype=np.float64)[None]

    def _open(self, file: Path) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)
                with open_file(file) as content, self.pillow.open(content, formats=PILLOW_FORMATS) as image:
                    image.load()
                    return image
        except self.pillow.UnidentifiedImageError:
            raise DataError(
                f"{file} cannot be read as an image: it is none, or of a format other than PNG, JPEG and PGM (or PPM); "
                f"convert or remove it."
            ) from None
        except (CommandError, MemoryError):
            raise
        except Exception as error:  # of an altered file, any part can be refused
            raise DataError(f"{file} cannot be read as an image: {first_line(error)}; replace or remove it.") from None


class OneImage(ImageFolder):
    """One image, which has no label.

    Parameters
    ----------
    path : Path
    options : ReadOptions
    """

    def place(self, i: int) -> str:
        """Name of the file."""
        return self.path.name

    def _find_files(self) -> str:
        if self.options.labelled:
            raise UsageError(
                f"{self.path} is one image, whose class is not known; pass a folder with one sub-folder of images for "
                f"each class."
            )
        self.files = [self.path]
        return ""


def _has_colours(image: Any) -> bool:
    """Whether an image says more than its grey values do; one with three equal channels does not."""
    if image.mode in ("1", "L", "LA"):
        return False
    pixels = np.asarray(image.convert("RGB"))
    return bool((pixels != pixels[..., :1]).any())


def colours_left_out(source: Any) -> str:
    """A note about colours that became grey while images were read; empty if there is nothing to say."""
    file = source.first_greyed if isinstance(source, ImageFolder) else None
    return f"{file} has colours, and images are read as grey; pass --colour to keep three channels." if file else ""


def _sorted_out(folder: Path) -> tuple[list[Path], list[Path]]:
    """Images in a folder, and other files; what is hidden is neither."""
    files = sorted(one for one in folder.iterdir() if one.is_file() and not one.name.startswith("."))
    images = [file for file in files if file.suffix.lower() in ENDINGS]
    return images, [file for file in files if file.suffix.lower() not in ENDINGS]


FORMAT = FileFormat("folders of images", (), ("colour",), ImageFolder)
IMAGE_FORMAT = FileFormat("single images", ENDINGS, (), OneImage)
