"""What ``redunet fit`` was asked for, and the classifier that it means."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..inputs.errors import WordedError
from ..inputs.suggestions import did_you_mean
from .command_errors import UsageError, one_of
from .files.source import ReadOptions
from .option_words import OPTION_NAMES, in_words

if TYPE_CHECKING:
    from ..estimators.classifier import ReduNetClassifier

# Bytes in double precision up to which all samples are kept in memory, unless the construction is given.
MOST_SAMPLE_BYTES = 500e6
# Options that say how samples enter a network.
ENTRANCE_OPTIONS = (
    *("colour", "invariance", "shape", "standardise", "lift", "channels", "kernel", "pool", "pad", "float32"),
    *("gamma", "landmarks"),
)
# What --standardise takes, and what it is for the classifier.
STANDARDISE: dict[str, bool | str] = {"auto": "auto", "yes": True, "no": False}


@dataclass(frozen=True)
class FitRequest:
    """What ``redunet fit`` was asked for, as on the command line."""

    data: Path
    out: Path
    target: str | None = None
    labels: Path | None = None
    samples: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    colour: bool = False
    invariance: str | None = None
    shape: str | None = None
    lift: str | None = None
    channels: int | None = None
    kernel: str | None = None
    pool: float | None = None
    pad: str | None = None
    layers: str = "auto"
    seed: int = 0
    float32: bool = False
    checkpoint: Path | None = None
    as_json: bool = False
    quiet: bool = False
    construction: str | None = None
    evidence_samples: int | None = None
    like: Path | None = None
    dask: str | None = None
    workers: int | None = None
    header: bool | None = None
    standardise: str | None = None
    gamma: str | None = None
    landmarks: int | None = None

    @property
    def most_sample_bytes(self) -> float:
        """Bytes that samples may take in double precision; more of them are not kept, and moments are gathered."""
        if self.construction == "samples" or (self.construction is None and self.checkpoint is not None):
            return math.inf
        return -1 if self.construction == "moments" or self.like is not None else MOST_SAMPLE_BYTES

    def read_options(self) -> ReadOptions:
        """Which parts of the file are samples and which are labels."""
        return ReadOptions(
            True, self.target, self.labels, self.samples, self.ignore, self.delimiter, self.colour, header=self.header
        )


def check_construction(request: FitRequest) -> None:
    """Refuse options that do not go with the construction that was asked for."""
    if request.construction is not None:
        from ..inputs.parameters import CONSTRUCTIONS

        one_of("--construction", request.construction, CONSTRUCTIONS)
    if request.construction == "samples":
        for option, given in (("--evidence-samples", request.evidence_samples), ("--like", request.like)):
            if given is not None:
                raise UsageError(f"{option} goes with --construction moments; leave out one of the two.")
    if request.checkpoint is not None and (request.construction == "moments" or request.like is not None):
        raise UsageError(
            "--checkpoint is for layers that are built from samples; with moments all layers are built at once. Leave "
            "it out."
        )


def refuse_other_entrance(request: FitRequest) -> None:
    """Refuse options that say how samples enter, where another model says it."""
    for name in ENTRANCE_OPTIONS:
        if getattr(request, name) not in (None, False):
            raise UsageError(f"--{name} says how samples enter, and so does --like {request.like}; leave out one.")


def model_of(request: FitRequest) -> "ReduNetClassifier":
    """The classifier that the options ask for, not fitted."""
    from ..estimators.classifier import ReduNetClassifier

    invariance = invariance_of(request)
    model = ReduNetClassifier(
        invariance,
        lift=lift_of(request, invariance),
        n_layers=n_layers_of(request),
        sample_shape=sample_shape_of(request),
        standardise=standardise_of(request, invariance),
        random_state=request.seed,
        **kernel_of(request, invariance),
    )
    return with_evidence_samples(model, request)


def model_like(model: "ReduNetClassifier", request: FitRequest) -> "ReduNetClassifier":
    """A classifier that samples enter as they enter another, with the other options that were given."""
    if request.layers != "auto":
        model.set_params(n_layers=n_layers_of(request))
    return with_evidence_samples(model, request)


def with_evidence_samples(model: "ReduNetClassifier", request: FitRequest) -> "ReduNetClassifier":
    """The classifier with as many samples for evidence as were asked for, if they were."""
    return model if request.evidence_samples is None else model.set_params(evidence_samples=request.evidence_samples)


def check_options(request: FitRequest) -> None:
    """Refuse values of options that no classifier could take; nothing that takes long is imported for it."""
    check_construction(request)
    if request.like is not None:
        refuse_other_entrance(request)
    else:
        lift_words(request, invariance_of(request))
        standardise_of(request, invariance_of(request))
        kernel_of(request, invariance_of(request))
    n_layers_of(request)
    sample_shape_of(request)


def invariance_of(request: FitRequest) -> str | None:
    """The invariance that is asked for, or that goes with the kind of file."""
    invariance = request.invariance
    if invariance is None:
        invariance = "translation" if request.data.is_dir() else "none"
    one_of("--invariance", invariance, ("none", "shift", "translation"))
    return invariance if invariance != "none" else None


def n_layers_of(request: FitRequest) -> int | str:
    """The number of layers, or "auto"."""
    return request.layers if request.layers == "auto" else _whole_number("--layers", request.layers, "auto, or ")


def sample_shape_of(request: FitRequest) -> tuple[int, ...] | None:
    """The layout of a row of numbers, if it is given."""
    return None if request.shape is None else _whole_numbers("--shape", request.shape, 1, "1,28,28")


def standardise_of(request: FitRequest, invariance: str | None) -> bool | str:
    """Whether columns are brought to one scale: as it is given, else by evidence; never with an invariance."""
    given = request.standardise or "auto"
    one_of("--standardise", given, tuple(STANDARDISE))
    if invariance is None:
        return STANDARDISE[given]
    if given == "yes":
        raise UsageError(
            f"--standardise yes brings the columns of tables to one scale, and --invariance {invariance} moves values "
            f"from column to column; leave out one of the two."
        )
    return False


def kernel_of(request: FitRequest, invariance: str | None) -> dict[str, Any]:
    """The options of a kernel of plain vectors that were given, by the names that the classifier has for them."""
    from ..inputs.parameters import KERNEL_NAMES

    kernel = request.kernel
    if kernel is None or _is_filter_side(kernel):
        for option, given in (("--gamma", request.gamma), ("--landmarks", request.landmarks)):
            if given is not None:
                raise UsageError(f"{option} goes with a kernel of columns; pass --kernel rbf with it.")
        return {}
    if kernel not in KERNEL_NAMES:
        raise UsageError(
            f"--kernel must be one of {', '.join(KERNEL_NAMES)}, or the side of a filter such as 9, or 15,31, got "
            f"{kernel!r}.{did_you_mean(kernel, KERNEL_NAMES)}"
        )
    if invariance is not None:
        raise UsageError(
            f"--kernel {kernel} compares columns of tables, and --invariance {invariance} moves values from column to "
            f"column; leave out one of the two."
        )
    found: dict[str, Any] = {"kernel": kernel}
    if request.gamma not in (None, "auto"):
        found["gamma"] = _positive_number("--gamma", str(request.gamma), "auto, or ")
    if request.landmarks is not None:
        found["n_landmarks"] = request.landmarks
    return found


def lift_words(request: FitRequest, invariance: str | None) -> tuple[str, dict[str, Any]]:
    """The name of the lift, and its options that were given."""
    from ..lift.banks import BANKS

    name = request.lift or ("none" if invariance is None else "auto")
    one_of("--lift", name, ("auto", "none", "pooled", "rings", *BANKS))
    if name != "none" and invariance is None:
        raise UsageError(f"--lift {name} takes signals or images; pass --invariance shift or translation with it.")
    options: dict[str, Any] = {"n_channels": request.channels, "pool": request.pool}
    if request.kernel is not None and _is_filter_side(request.kernel):
        options["kernel_size"] = _whole_numbers("--kernel", request.kernel, 1, "9, or 15,31")
    if request.pad is not None:
        pad = _whole_numbers("--pad", request.pad, 0, "20")
        options["pad"] = pad[0] if len(pad) == 1 else pad
    given = {key: value for key, value in options.items() if value is not None}
    pooled_with_pad = name == "pooled" and set(given) == {"pad"} and isinstance(given["pad"], int)
    if given and name in ("auto", "none", "pooled", "rings") and not pooled_with_pad:
        option = OPTION_NAMES[next(iter(given))]
        raise UsageError(f"{option} describes filters; pass --lift with one of {', '.join(BANKS)}.")
    return name, given


def lift_of(request: FitRequest, invariance: str | None) -> Any:
    """None, a name, or a lift whose options were checked.

    Images get what they get in Python where nothing is said.
    """
    from ..lift.lift import Lift
    from ..lift.pooled_lift import PooledLift

    name, given = lift_words(request, invariance)
    if name == "pooled" and given:
        return PooledLift(**given)
    if name in ("auto", "none", "pooled", "rings"):
        unsaid = request.lift is None and invariance == "translation"
        return None if invariance is None or unsaid else name
    lift = Lift(name, random_state=request.seed, **given)
    try:
        lift.check_parameters()
    except WordedError as error:
        raise UsageError(in_words(error, str(request.data))) from None
    return lift


def _is_filter_side(text: str) -> bool:
    """Whether the value of --kernel is about filters: it begins with a digit, as no name of a kernel does."""
    return text.strip()[:1].isdecimal()


def _positive_number(option: str, text: str, other: str = "") -> float:
    """The value of an option that takes a number > 0; ``other`` says what else it takes."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"{option} must be {other}a number > 0, got {text!r}.")
    return value


def _whole_number(option: str, text: str, other: str = "") -> int:
    """The value of an option that takes a whole number; ``other`` says what else it takes."""
    if not text.strip().isdecimal():
        raise UsageError(f"{option} must be {other}a whole number >= 0, got {text!r}.")
    return int(text)


def _whole_numbers(option: str, text: str, least: int, example: str) -> tuple[int, ...]:
    """The value of an option that takes whole numbers with commas between them."""
    parts = text.replace("x", ",").split(",")
    if not all(part.strip().isdecimal() and int(part) >= least for part in parts):
        raise UsageError(f"{option} must be whole numbers >= {least} such as {example}, got {text!r}.")
    return tuple(int(part) for part in parts)
