"""``redunet cluster``: samples without labels, in clusters of the shortest code."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..inputs.errors import SampleError
from ..numerics.arrays import Array
from ..terminal.text import write_json
from .cluster_checks import ClusterRequest, n_clusters_of
from .command_errors import DataError
from .files.id_columns import IdColumns
from .files.image_folder import ImageFolder, colours_left_out
from .files.layout import check_layout
from .files.open_source import open_source
from .files.source import Source, known_total
from .fit_request import invariance_of, kernel_of, lift_of, sample_shape_of
from .option_words import in_words
from .output import place_to_write, written
from .predict_command import PROBABILITY_DECIMALS, csv_text, exact_bytes
from .printing import print_facts, print_message, short_list
from .progress_bar import ProgressBar, progress_bar
from .refused_samples import refused_sample
from .run_command import run_command

if TYPE_CHECKING:
    from ..estimators.clusters import RateReductionClustering


def cluster(request: ClusterRequest) -> int:
    """Find clusters, write one line for each sample, and return the exit code."""
    return run_command(lambda: cluster_samples(request), "interrupted; nothing was written.")


@dataclass(frozen=True, eq=False)
class ReadSamples:
    """All samples of a file, and where each of them is."""

    samples: Array
    places: list[int | str]


def cluster_samples(request: ClusterRequest) -> None:
    """Read all samples, find clusters, write their numbers, and print a summary."""
    out = place_to_write(request.out, (request.data,))
    place = None if request.model is None else place_to_write(request.model, (request.data,), "--model")
    source = open_source(request.data, request.read_options())
    model = _model_of(request)
    shape = source.shape
    if model.invariance is None and isinstance(source, ImageFolder):
        shape = (math.prod(shape),)
    else:
        check_layout(str(request.data), source, model.invariance, model.sample_shape)
    if source.left_out and not request.quiet:
        print_message(f"note: {request.data} has {source.left_out}; they are left out.")
    with progress_bar(not (request.quiet or request.as_json)) as progress:
        progress.describe("reading")
        found = _read(source, request, progress)
        progress.describe("finding clusters")
        _fit(model, source, found.samples.reshape(-1, *shape), request)
        shares = None
        if request.probabilities:
            shares = model.predict_proba(found.samples.reshape(-1, *shape)).round(PROBABILITY_DECIMALS)
        if place is not None:
            if source.names is not None:
                model.feature_names_in_ = np.array(source.names, dtype=object)
            model.save(place)
        with written(out) as file:
            file.write(exact_bytes(_table(source, found, model, shares)))
    if request.as_json:
        write_json(summary(request, model))
    elif not request.quiet:
        print_facts(_facts(summary(request, model)))


def _model_of(request: ClusterRequest) -> "RateReductionClustering":
    """The clusterer that the options ask for, not fitted."""
    from ..estimators.clusters import RateReductionClustering

    entrance = request.entrance()
    invariance = invariance_of(entrance)
    return RateReductionClustering(
        n_clusters_of(request),
        invariance=invariance,
        lift=lift_of(entrance, invariance),
        standardise=request.standardise,
        sample_shape=sample_shape_of(entrance),
        random_state=request.seed,
        **kernel_of(entrance, invariance),
    )


def _read(source: Source, request: ClusterRequest, progress: ProgressBar) -> ReadSamples:
    """All samples of a source; a note about columns that number the rows."""
    ids, parts, places = IdColumns(source.names or ()), [], []
    for block in source.blocks():
        ids.add(block.samples)
        parts.append(block.samples)
        places += [source.place(block.start + i) for i in range(len(block.samples))]
        progress.count(len(places), "samples", known_total(source))
    if not places:
        raise DataError(f"{request.data} has no samples; add some.")
    for note in (ids.note(str(request.data)), colours_left_out(source)):
        if note and not request.quiet:
            print_message(f"note: {note}")
    return ReadSamples(np.concatenate(parts).astype(np.float64, copy=False), places)


def _fit(model: "RateReductionClustering", source: Source, samples: Array, request: ClusterRequest) -> None:
    """Fit; errors of the model are worded as on the command line, and name a sample by its place in the file."""
    try:
        model.fit(samples)
    except SampleError as error:
        raise refused_sample(source, error) from None
    except ValueError as error:
        raise DataError(in_words(error, str(request.data))) from None


def _table(source: Source, found: ReadSamples, model: "RateReductionClustering", shares: Array | None) -> str:
    """The clusters as the text of a CSV file."""
    header = [source.heading, "cluster"]
    rows: list[list[Any]] = [[place, label] for place, label in zip(found.places, model.labels_.tolist(), strict=True)]
    if shares is not None:
        header += [f"probability of {j}" for j in range(model.n_clusters_)]
        rows = [[*row, *more] for row, more in zip(rows, shares.tolist(), strict=True)]
    return csv_text([header, *rows])


def summary(request: ClusterRequest, model: "RateReductionClustering") -> dict[str, Any]:
    """The clusters in numbers, as JSON can hold them."""
    return {
        "samples": len(model.labels_),
        "clusters": model.n_clusters_,
        "sizes": np.bincount(model.labels_, minlength=model.n_clusters_).tolist(),
        "invariance": model.invariance or "none",
        "eps": model.eps_,
        "coding_length": model.coding_length_,
        "joins": [
            {"children": pair, "nats": nats}
            for pair, nats in zip(model.children_.tolist(), model.distances_.tolist(), strict=True)
        ],
        "file": str(request.out),
        "model": None if request.model is None else str(request.model),
    }


def _facts(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The summary as names and values for people."""
    sizes = short_list(f"{j} ({n:,})" for j, n in enumerate(found["sizes"]))
    facts = [
        ("samples", f"{found['samples']:,}"),
        ("clusters", f"{found['clusters']}: {sizes}"),
        ("invariance", found["invariance"]),
        ("coded up to", f"ε = {found['eps']:.3g}"),
        ("length of the code", f"{found['coding_length']:,.1f} nats"),
    ]
    if found["joins"]:
        first = found["joins"][0]
        a, b = first["children"]
        facts.append(("nearest clusters", f"{a} and {b}: {first['nats']:+,.1f} nats if they were one"))
    facts.append(("labels", found["file"]))
    if found["model"] is not None:
        facts.append(("model", found["model"]))
    return facts
