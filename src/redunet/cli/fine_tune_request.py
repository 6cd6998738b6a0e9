"""What ``redunet fine-tune`` was asked for, and what of it is refused at once, before PyTorch is imported."""

import math
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from .command_errors import UsageError, one_of
from .early_checks import check_answering
from .files.input_files import refuse_missing_file
from .output import place_to_write

# What the options take; a test compares them with :func:`redunet.torch.fine_tune`.
PARTS = ("answer", "layers", "lift")
LOSSES = ("cross_entropy", "rate_reduction")
AUGMENTATIONS = ("auto", "deform", "none")
# Share of the samples that judge the training where nothing is said, and the largest.
HELD_OUT_SHARE, LARGEST_SHARE = 0.1, 0.5


@dataclass(frozen=True)
class FineTuneRequest:
    """What ``redunet fine-tune`` was asked for, as on the command line."""

    model: Path
    data: Path
    out: Path | None = None
    target: str | None = None
    labels: Path | None = None
    samples: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    what: tuple[str, ...] = ()
    loss: str = "cross_entropy"
    epochs: int = 20
    batch_size: int = 100
    rate: float = 5e-4
    augment: str = "auto"
    held_out: float | None = None
    held_out_data: Path | None = None
    held_out_labels: Path | None = None
    seed: int = 0
    device: str | None = None
    checkpoint: Path | None = None
    as_json: bool = False
    quiet: bool = False
    header: bool | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """Parts of the model that are to be trained; each ``--what`` may name several, with commas."""
        return tuple(part.strip() for words in self.what for part in words.split(",")) or PARTS

    @property
    def place(self) -> Path:
        """The model file to write."""
        return self.out or self.model

    @property
    def inputs(self) -> tuple[Path | None, ...]:
        """Files that are read and must not be replaced."""
        return self.data, self.labels, self.held_out_data, self.held_out_labels


def check_fine_tune(request: FineTuneRequest) -> None:
    """Check options, then files and places, then that PyTorch is there."""
    check_options(request)
    check_answering(request.model, request.data, labels=request.labels)
    if request.held_out_data is not None:
        refuse_missing_file(request.held_out_data, "file or folder", folders=True)
    if request.held_out_labels is not None:
        refuse_missing_file(request.held_out_labels, "file of labels")
    place_to_write(request.place, request.inputs)

    from .files.open_source import format_of
    from .files.source import ReadOptions

    for path in (request.data, request.held_out_data):
        if path is not None:
            format_of(path, ReadOptions(True, delimiter=request.delimiter))
    if find_spec("torch") is None:
        raise UsageError("redunet fine-tune needs PyTorch, which is not installed; run: pip install 'redunet[torch]'")


def check_options(request: FineTuneRequest) -> None:
    """Refuse options that do not exist, or that do not go together."""
    for part in request.parts:
        one_of("--what", part, PARTS)
    one_of("--loss", request.loss, LOSSES)
    one_of("--augment", request.augment, AUGMENTATIONS)
    if not (request.rate > 0 and math.isfinite(request.rate)):
        raise UsageError(f"--rate must be a number > 0, got {request.rate:g}.")
    if request.held_out is not None and not 0 < request.held_out <= LARGEST_SHARE:
        raise UsageError(
            f"--held-out must be a share > 0 and <= {LARGEST_SHARE:g}, got {request.held_out:g}; pass other samples "
            f"with --held-out-data."
        )
    if request.held_out is not None and request.held_out_data is not None:
        raise UsageError("--held-out and --held-out-data both say which samples judge the training; leave out one.")
    if request.held_out_labels is not None and request.held_out_data is None:
        raise UsageError("--held-out-labels goes with --held-out-data; leave it out, or pass both.")
    if request.held_out_data is not None and os.path.realpath(request.held_out_data) == os.path.realpath(request.data):
        raise UsageError(
            f"--held-out-data {request.held_out_data} are the samples to train with, which cannot judge the training; "
            f"pass others, or leave it out."
        )
