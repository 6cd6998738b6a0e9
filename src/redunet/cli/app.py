"""The commands and their options; the work of each is in a file of its own, imported when it runs."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..terminal.text import print_lines, print_what_can_be_printed
from .command_words import remember_words
from .early_checks import check_answering, check_early, check_export, check_merge, check_model, check_update, starting
from .termination import exit_cleanly_on_sigterm

# In the order in which a user meets them; commands that are not named here follow in the order of this file.
ORDER_OF_COMMANDS = (
    *("fit", "predict", "evaluate", "explain", "report", "inspect", "export", "cluster"),
    *("update", "merge", "fine-tune", "reproduce", "list", "bench"),
)


class Commands(TyperGroup):
    """The group of all commands, which prints on any terminal."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> Any:
        """Run a command; its help, too, may hold what the terminal cannot print."""
        print_what_can_be_printed()
        remember_words(sys.argv[1:] if args is None else args)
        return super().main(args, *more, **options)

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the commands in the order of the help."""
        names = super().list_commands(ctx)
        first = [name for name in ORDER_OF_COMMANDS if name in names]
        return [*first, *(name for name in names if name not in first)]


app = typer.Typer(
    cls=Commands, no_args_is_help=True, add_completion=False, help="Networks from the principle of rate reduction."
)

# Options that several commands take.
Target = Annotated[
    str | None,
    typer.Option(help="Column of the labels; in an NPZ file their array (y by default); for a 2-D NPY file: last."),
]
Labels = Annotated[Path | None, typer.Option(help="NPY file of the labels of an NPY file.")]
Samples = Annotated[str | None, typer.Option(help="Array of the samples in an NPZ file (X by default).")]
Ignore = Annotated[list[str] | None, typer.Option(help="Column to leave out; can be given several times.")]
Delimiter = Annotated[str | None, typer.Option(help="What separates fields; by default the ending says it.")]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether row 1 of a CSV, TSV or XLSX file has the names of the columns; without, they are c1, c2, …",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on standard output, no table.")]
DataDir = Annotated[Path | None, typer.Option(help="Folder of the data sets; else REDUNET_DATA, the cache.")]
Data = Annotated[
    Path,
    typer.Argument(
        help="CSV, TSV (also .gz), XLSX, Parquet, NPY, NPZ or TS file, or a folder of images.", show_default=False
    ),
]
Model = Annotated[Path, typer.Argument(help="Model file, as `redunet fit` writes it.", show_default=False)]


def print_version(wanted: bool) -> None:
    """Print the version and end, if that is wanted."""
    if wanted:
        print_lines([f"redunet {__version__}"], sys.stdout)
        raise typer.Exit


@app.callback()
def main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="The version, and nothing else.", callback=print_version, is_eager=True)
    ] = False,
) -> None:
    """Networks from the principle of rate reduction."""
    context.call_on_close(exit_cleanly_on_sigterm())


@app.command()
def bench(
    quick: Annotated[bool, typer.Option(help="Leave out what takes minutes or gigabytes.")] = False,
    repeats: Annotated[int, typer.Option(min=1, help="How often each ratio is measured.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Measure the speed against the paper's algorithm and this machine's matrix product, in the same run.

    MNIST is used where REDUNET_DATA or the cache has it, synthetic data of the same sizes elsewhere.
    """
    from .bench_command import bench as run

    raise typer.Exit(run(quick=quick, repeats=repeats, as_json=as_json))


@app.command()
def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="Experiments to run; see `redunet list`.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All experiments; data are downloaded if needed.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Sizes that take seconds; short for --size quick.")] = False,
    size: Annotated[str, typer.Option(help="full (the paper's), quick, or toy (just to run through).")] = "full",
    data_dir: DataDir = None,
    out: Annotated[Path, typer.Option(help="Folder for figures, results and the page.")] = Path("redunet-report"),
    seed: Annotated[int, typer.Option(min=0, help="Of everything that is drawn at random.")] = 0,
    again: Annotated[bool, typer.Option("--again", help="Run what is finished already, too.")] = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no table.")] = False,
) -> None:
    """Run the paper's experiments again, and write one page with every figure and table.

    Without a name it runs what needs no download. An experiment that was finished before with the same options is not
    run again, so an interrupted run goes on where it was.
    """
    from .reproduce_command import Request
    from .reproduce_command import reproduce as run

    if quick:
        size = "quick"
    request = Request(names or [], everything, size, data_dir, out, seed, again)
    raise typer.Exit(run(request, show=not (quiet or as_json), as_json=as_json))


@app.command(name="list")
def list_experiments(
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """The experiments, and whether their data are at hand."""
    from .list_command import list_experiments as run

    raise typer.Exit(run(data_dir, as_json=as_json))


@app.command()
def fit(
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write.", show_default=False)],
    target: Target = None,
    labels: Labels = None,
    samples: Samples = None,
    ignore: Ignore = None,
    delimiter: Delimiter = None,
    colour: Annotated[bool, typer.Option("--colour", help="Keep three channels of images, not grey.")] = False,
    invariance: Annotated[
        str | None,
        typer.Option(help="none, shift or translation; by default translation for images, else none."),
    ] = None,
    shape: Annotated[str | None, typer.Option(help="Layout of a row of numbers, such as 1,28,28 or 3,100.")] = None,
    lift: Annotated[
        str | None,
        typer.Option(
            help="auto, none, pooled, rings, patches, pca, dictionary, random, stft or wavelet; auto by default, none "
            "without an invariance and for several channels, unless they are images in colour."
        ),
    ] = None,
    channels: Annotated[int | None, typer.Option(min=1, help="Filters of the lift; 48 by default.")] = None,
    kernel: Annotated[
        str | None,
        typer.Option(
            help="Side of a filter of the lift, such as 9, or several: 15,31. Without an invariance: linear, rbf, poly "
            "or cosine, a kernel in the place of the inner product of rows."
        ),
    ] = None,
    pool: Annotated[
        float | None, typer.Option(min=1, help="Keep the slow part of the responses: 2 keeps half.")
    ] = None,
    pad: Annotated[str | None, typer.Option(help="Zeros after each axis, for samples that do not wrap.")] = None,
    layers: Annotated[str, typer.Option(help="Layers at most, or auto: as many as held-out samples ask for.")] = "auto",
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of everything that is drawn at random.")] = 0,
    float32: Annotated[bool, typer.Option("--float32", help="Compute in single precision.")] = False,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Folder for progress; after a crash the same command goes on.")
    ] = None,
    construction: Annotated[
        str | None,
        typer.Option(
            help="samples: all of them in memory; moments: in bounded memory, and more can be added later. By default "
            "samples where they take less than 500 MB, else moments."
        ),
    ] = None,
    evidence_samples: Annotated[
        int | None, typer.Option(min=0, help="Samples that moments are kept with, for evidence; 2000 by default.")
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option(help="Model file: let samples enter as they enter that model, so that the two can be merged."),
    ] = None,
    dask: Annotated[
        str | None, typer.Option(help="Scheduler of Dask, such as tcp://host:8786, whose workers read the file.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Start so many workers of Dask on this machine.")] = None,
    standardise: Annotated[
        str | None,
        typer.Option(
            help="Bring columns of a table to mean 0 and standard deviation 1: yes, no, or auto (the default without "
            "an invariance): if left-out samples are then answered better."
        ),
    ] = None,
    gamma: Annotated[
        str | None, typer.Option(help="Scale of --kernel rbf or poly; auto by default: by left-out samples.")
    ] = None,
    landmarks: Annotated[
        int | None, typer.Option(min=1, help="Samples, at most, that a kernel compares others with; 1000 by default.")
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no table.")] = False,
    header: Header = None,
) -> None:
    """Fit a classifier to labelled samples and save it.

    Tables have a row of column names first (else: --no-header), then a sample to a row: numbers, and the label in
    --target. Where no invariance is asked for, columns are standardised if left-out samples are then answered better;
    --standardise says it instead. A folder of images has a sub-folder for each class. Everything is checked before the
    fit begins.

    A file of any size can be fitted: with --construction moments it is read twice, in bounded memory.
    """
    from .fit_checks import check_fit
    from .fit_request import FitRequest

    request = FitRequest(
        data, out, target, labels, samples, tuple(ignore or ()), delimiter, colour, invariance, shape, lift, channels,
        kernel, pool, pad, layers, seed, float32, checkpoint, as_json, quiet, header=header,
        construction=construction, evidence_samples=evidence_samples, like=like, standardise=standardise,
        dask=dask, workers=workers, gamma=gamma, landmarks=landmarks,
    )  # fmt: skip
    check_early(lambda: check_fit(request))
    with starting(not (quiet or as_json)):
        from .fit_command import fit as run
    raise typer.Exit(run(request))


@app.command()
def cluster(
    data: Data,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="CSV file to write: the cluster of each sample.", show_default=False)
    ],
    clusters: Annotated[
        str, typer.Option(help="How many clusters, or auto: as many as give the shortest code.")
    ] = "auto",
    model: Annotated[Path | None, typer.Option(help="Model file to write, for new samples.")] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Also the membership in each cluster.")
    ] = False,
    samples: Samples = None,
    ignore: Ignore = None,
    delimiter: Delimiter = None,
    colour: Annotated[bool, typer.Option("--colour", help="Keep three channels of images, not grey.")] = False,
    invariance: Annotated[
        str | None,
        typer.Option(help="none, shift or translation; by default translation for images, else none."),
    ] = None,
    shape: Annotated[str | None, typer.Option(help="Layout of a row of numbers, such as 1,28,28 or 3,100.")] = None,
    lift: Annotated[
        str | None,
        typer.Option(
            help="auto, none, pooled, rings, patches, pca, dictionary, random, stft or wavelet; auto by default, none "
            "without an invariance and for images in colour."
        ),
    ] = None,
    standardise: Annotated[
        bool, typer.Option("--standardise", help="Bring columns of a table to mean 0 and standard deviation 1.")
    ] = False,
    kernel: Annotated[
        str | None,
        typer.Option(
            help="For tables without an invariance linear, rbf, poly or cosine: clusters may then bend around each "
            "other. Else the side of filters, such as 9."
        ),
    ] = None,
    gamma: Annotated[
        str | None, typer.Option(help="Scale of --kernel rbf or poly; auto by default: by the distances of samples.")
    ] = None,
    landmarks: Annotated[
        int | None, typer.Option(min=1, help="Samples, at most, that a kernel compares others with; 1000 by default.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of everything that is drawn at random.")] = 0,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, notes or table.")] = False,
    header: Header = None,
) -> None:
    """Find clusters of samples without labels, and how many there are.

    Clusters are those that give the samples the shortest code, each with directions of its own. With an invariance they
    are the same wherever samples are shifted to. Columns that are no measurements, such as labels, are left out with
    --ignore.
    """
    from .cluster_checks import ClusterRequest, check_cluster

    request = ClusterRequest(
        data, out, clusters, model, probabilities, samples, tuple(ignore or ()), delimiter, colour, invariance, shape,
        lift, standardise, seed, as_json, quiet, header=header, kernel=kernel, gamma=gamma, landmarks=landmarks,
    )  # fmt: skip
    check_early(lambda: check_cluster(request))
    with starting(not (quiet or as_json)):
        from .cluster_command import cluster as run
    raise typer.Exit(run(request))


@app.command()
def update(
    model: Model,
    data: Data,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Model file to write; by default the model itself is replaced.")
    ] = None,
    target: Target = None,
    labels: Labels = None,
    samples: Samples = None,
    ignore: Ignore = None,
    delimiter: Delimiter = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Take the samples out again that were added before.")
    ] = False,
    new_classes: Annotated[
        bool, typer.Option("--new-classes", help="Let the model learn classes that it does not know.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Count a file that was counted before once more.")] = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, notes or table.")] = False,
    header: Header = None,
) -> None:
    """Add labelled samples to a model, in bounded memory however many there are; or take samples out of it.

    The model must have been fitted with --construction moments. It then is what a fit of all samples together would
    give, up to rounding. Columns are found by their names. The model file is replaced at the end, in one step: whatever
    happens before, it is what it was, and the same command can be started again.
    """
    together: dict[str, Any] = {"labels": labels, "delimiter": delimiter, "forget": forget, "new_classes": new_classes}
    check_early(lambda: check_update(model, data, out, **together))
    with starting(not (quiet or as_json)):
        from .update_command import UpdateRequest
        from .update_command import update as run

    request = UpdateRequest(
        model, data, out, target, labels, samples, tuple(ignore or ()), delimiter, forget, new_classes, again, as_json,
        quiet, header=header,
    )  # fmt: skip
    raise typer.Exit(run(request))


@app.command()
def merge(
    models: Annotated[list[Path], typer.Argument(help="Model files to join.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write.", show_default=False)],
    again: Annotated[bool, typer.Option("--again", help="Join models that have counted the same file, too.")] = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no table.")] = False,
) -> None:
    """Join models that were fitted in several places into the one that all their samples together would give.

    Only moments, and the samples kept for evidence, are in the files. Samples must enter all models in the same way:
    fit the first with --construction moments, and the others with --like the first.
    """
    check_early(lambda: check_merge(models, out))
    with starting(not (quiet or as_json)):
        from .merge_command import MergeRequest
        from .merge_command import merge as run

    raise typer.Exit(run(MergeRequest(tuple(models), out, again, as_json, quiet)))


@app.command(name="fine-tune")
def fine_tune(
    model: Model,
    data: Data,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Model file to write; by default the model itself is replaced.")
    ] = None,
    target: Target = None,
    labels: Labels = None,
    samples: Samples = None,
    ignore: Ignore = None,
    delimiter: Delimiter = None,
    what: Annotated[
        list[str] | None,
        typer.Option(help="Parts to train, with commas: answer, layers, lift; all of them by default."),
    ] = None,
    loss: Annotated[
        str, typer.Option(help="What is made small: cross_entropy, or rate_reduction (minus ΔR of the features).")
    ] = "cross_entropy",
    epochs: Annotated[int, typer.Option(min=1, help="How often all samples are passed, at most.")] = 20,
    batch_size: Annotated[int, typer.Option(min=1, help="Samples of a step.")] = 100,
    rate: Annotated[float, typer.Option(help="Size of the largest steps, as a share of what is trained.")] = 5e-4,
    augment: Annotated[
        str, typer.Option(help="deform: show samples slightly deformed; none; auto: deform images.")
    ] = "auto",
    held_out: Annotated[
        float | None, typer.Option(help="Share of the samples that judge the training; 0.1 by default.")
    ] = None,
    held_out_data: Annotated[
        Path | None, typer.Option(help="Other labelled samples that judge it, read with the same options.")
    ] = None,
    held_out_labels: Annotated[
        Path | None, typer.Option(help="NPY file of the labels of --held-out-data, where that is an NPY file.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of everything that is drawn at random.")] = 0,
    device: Annotated[
        str | None, typer.Option(help="Of PyTorch, such as cpu or cuda; cuda by default where there is one.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Folder for progress; after a crash the same command goes on.")
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, notes or table.")] = False,
    header: Header = None,
) -> None:
    """Train a model further by gradients; no shift can change its answers afterwards either. This needs PyTorch.

    Pass the samples that it was fitted on, or more of them. Some are held out and judge the training: where it is not
    better than the start, beyond chance, the model stays as it is. Else its file is replaced at the end, in one step.
    """
    from .fine_tune_request import FineTuneRequest, check_fine_tune

    request = FineTuneRequest(
        model, data, out, target, labels, samples, tuple(ignore or ()), delimiter, tuple(what or ()), loss, epochs,
        batch_size, rate, augment, held_out, held_out_data, held_out_labels, seed, device, checkpoint, as_json, quiet,
        header=header,
    )  # fmt: skip
    check_early(lambda: check_fine_tune(request))
    with starting(not (quiet or as_json)):
        from .fine_tune_command import fine_tune as run
    raise typer.Exit(run(request))


@app.command()
def predict(
    model: Model,
    data: Data,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write; else standard output.")] = None,
    form: Annotated[str, typer.Option("--format", help="csv, or json: one object to a line.")] = "csv",
    probabilities: Annotated[bool, typer.Option("--probabilities", help="Also the membership in each class.")] = False,
    samples: Samples = None,
    ignore: Ignore = None,
    delimiter: Delimiter = None,
    header: Header = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no notes.")] = False,
) -> None:
    """Answer new samples, in bounded memory however many there are.

    Columns are found by the names that the model was fitted on, in any order; others are ignored with a note. A sample
    that cannot be answered (a cell without a number, all zero, no response to any filter) does not stop the others: its
    answer is empty and the column "reason" says why. The exit code is then 3; it is 0 if all samples were answered, 1
    if the data or the model cannot be used, 2 if the command line is wrong.
    """
    check_early(lambda: check_answering(model, data, out=out, form=form))
    with starting(not quiet):
        from .predict_command import PredictRequest
        from .predict_command import predict as run

    request = PredictRequest(
        model, data, out, form, probabilities, samples, tuple(ignore or ()), delimiter, quiet, header=header
    )
    raise typer.Exit(run(request))


@app.command()
def evaluate(
    model: Model,
    data: Data,
    target: Target = None,
    labels: Labels = None,
    samples: Samples = None,
    ignore: Ignore = None,
    delimiter: Delimiter = None,
    header: Header = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no notes.")] = False,
) -> None:
    """Compare the answers of a model with labels: accuracy, each class, and what is taken for what."""
    check_early(lambda: check_answering(model, data, labels=labels))
    with starting(not (quiet or as_json)):
        from .evaluate_command import EvaluateRequest
        from .evaluate_command import evaluate as run

    request = EvaluateRequest(
        model, data, target, labels, samples, tuple(ignore or ()), delimiter, as_json, quiet, header=header
    )
    raise typer.Exit(run(request))


@app.command()
def explain(
    model: Model,
    data: Data,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write; else standard output.")] = None,
    form: Annotated[str, typer.Option("--format", help="csv, or json: one object to a line.")] = "csv",
    row: Annotated[
        str | None, typer.Option(help="Only this sample, in the count of `redunet predict`; by default all.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many columns or positions are given for a sample.")] = 5,
    plot: Annotated[Path | None, typer.Option(help="PNG file to draw the first of these samples in.")] = None,
    samples: Samples = None,
    ignore: Ignore = None,
    delimiter: Delimiter = None,
    header: Header = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no notes.")] = False,
) -> None:
    """Say why samples get their answers: the second class, by how much it is farther, and where that comes from.

    A share is what a column (of signals and images a position) gives to the difference between the two nearest
    classes: above zero it speaks for the answer, below zero for the second class. Those farthest from zero are given.
    """
    check_early(lambda: check_answering(model, data, out=out, form=form, plot=plot))
    with starting(not quiet):
        from .explain_command import ExplainRequest
        from .explain_command import explain as run

    request = ExplainRequest(
        model, data, out, form, row, top, plot, samples, tuple(ignore or ()), delimiter, header, quiet
    )
    raise typer.Exit(run(request))


@app.command()
def report(
    model: Model,
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="HTML page to write.", show_default=False)],
    target: Target = None,
    labels: Labels = None,
    samples: Samples = None,
    ignore: Ignore = None,
    delimiter: Delimiter = None,
    max_megabytes: Annotated[float, typer.Option(help="A larger model is described, but not in the page.")] = 30.0,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no notes.")] = False,
    header: Header = None,
) -> None:
    """Write a page about a model: accuracy, confusions, mistakes; and the model itself, which answers CSV files there.

    Without --target (or --labels) the samples of a table are shown without saying what they are.
    """
    check_early(lambda: check_answering(model, data, labels=labels, out=out))
    with starting(not quiet):
        from .report_command import ReportRequest
        from .report_command import report as run

    request = ReportRequest(
        model, data, out, target, labels, samples, tuple(ignore or ()), delimiter, max_megabytes, quiet, header=header
    )
    raise typer.Exit(run(request))


@app.command()
def inspect(
    model: Model,
    verify: Annotated[bool, typer.Option("--verify", help="Read and check every array; also the SHA-256.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say what a model file holds; quick however large it is, unless it is to be verified."""
    check_early(lambda: check_model(model))
    with starting(not as_json):
        from .inspect_command import InspectRequest
        from .inspect_command import inspect as run

    raise typer.Exit(run(InspectRequest(model, verify, as_json)))


@app.command()
def export(
    model: Model,
    out: Annotated[Path, typer.Option("--out", "-o", help="ONNX file to write.", show_default=False)],
    precision: Annotated[str, typer.Option(help="Type of the numbers: float32 or float64.")] = "float32",
    flat: Annotated[
        bool | None,
        typer.Option(
            "--flat/--no-flat",
            help="Whether samples are rows of numbers, or arrays with their channels; by default as they were fitted.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no table.")] = False,
) -> None:
    """Write a model as an ONNX file, which other programs and languages run without this package.

    It takes samples X, and gives label, probabilities and distances; of a network without classes its features.
    """
    check_early(lambda: check_export(model, out, precision))
    with starting(not (quiet or as_json)):
        from .export_command import ExportRequest, export_command

    raise typer.Exit(export_command(ExportRequest(model, out, precision, flat, as_json, quiet)))
