"""What ``redunet cluster`` was asked for, and what of it can be refused at once."""

from dataclasses import dataclass
from pathlib import Path

from .command_errors import UsageError
from .files.input_files import refuse_missing_file
from .files.source import ReadOptions
from .fit_request import FitRequest, invariance_of, kernel_of, lift_words, sample_shape_of
from .output import place_to_write


@dataclass(frozen=True)
class ClusterRequest:
    """What ``redunet cluster`` was asked for, as on the command line."""

    data: Path
    out: Path
    clusters: str = "auto"
    model: Path | None = None
    probabilities: bool = False
    samples: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    colour: bool = False
    invariance: str | None = None
    shape: str | None = None
    lift: str | None = None
    standardise: bool = False
    seed: int = 0
    as_json: bool = False
    quiet: bool = False
    header: bool | None = None
    kernel: str | None = None
    gamma: str | None = None
    landmarks: int | None = None

    def read_options(self) -> ReadOptions:
        """Which parts of the file are samples."""
        return ReadOptions(
            False,
            samples=self.samples,
            ignore=self.ignore,
            delimiter=self.delimiter,
            colour=self.colour,
            header=self.header,
        )

    def entrance(self) -> FitRequest:
        """How samples enter, in the words of ``redunet fit``."""
        return FitRequest(
            self.data,
            self.out,
            invariance=self.invariance,
            shape=self.shape,
            lift=self.lift,
            kernel=self.kernel,
            gamma=self.gamma,
            landmarks=self.landmarks,
            seed=self.seed,
        )


def check_cluster(request: ClusterRequest) -> None:
    """Check options, then the places to write, then the beginning of the file; nothing of scikit-learn is needed."""
    place_to_write(request.out, (request.data,))
    if request.model is not None:
        place_to_write(request.model, (request.data,), "--model")
        if request.model.resolve() == request.out.resolve():
            raise UsageError(f"-o and --model are both {request.out}; pass two names.")
    refuse_missing_file(request.data, "file or folder", folders=True)
    n_clusters_of(request)
    invariance = invariance_of(request.entrance())
    lift_words(request.entrance(), invariance)
    kernel_of(request.entrance(), invariance)
    sample_shape_of(request.entrance())
    if request.standardise and invariance is not None:
        raise UsageError(
            f"--standardise brings the columns of tables to one scale, and --invariance {invariance} moves values from "
            f"column to column; leave out one of the two."
        )

    from .files.open_source import open_source

    open_source(request.data, request.read_options())


def n_clusters_of(request: ClusterRequest) -> int | str:
    """The number of clusters, or "auto"."""
    if request.clusters == "auto":
        return "auto"
    if not request.clusters.isdecimal() or int(request.clusters) < 1:
        raise UsageError(f"--clusters must be auto, or a whole number >= 1, got {request.clusters!r}.")
    return int(request.clusters)
