"""The command line: words in, calls out."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Networks from the principle of rate reduction.")


@app.callback()
def main() -> None:
    """Networks from the principle of rate reduction."""


@app.command()
def bench(
    quick: Annotated[bool, typer.Option(help="Leave out what takes minutes or gigabytes.")] = False,
    repeats: Annotated[int, typer.Option(min=1, help="How often each ratio is measured.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="JSON on standard output, no table.")] = False,
) -> None:
    """Measure the speed against the paper's algorithm and this machine's matrix product, in the same run.

    Real data are used where REDUNET_DATA has MNIST, synthetic data of the same sizes elsewhere.
    """
    from .bench.speed import measure

    errors = Console(stderr=True)
    results = []
    with errors.status("measuring …") as status:
        for result in measure(quick=quick, repeats=repeats):
            results.append(result)
            status.update(f"measuring … last: {result.what} ({result.setting}): {result.value:.4g} {result.unit}")
    if as_json:
        typer.echo(json.dumps([result.as_dict() for result in results], indent=2))
        return
    table = Table("what", "setting", "median", "range", "bar", "", "note")
    for result in results:
        span = f"{result.low:.4g} to {result.high:.4g}" if result.low != result.high else ""
        value = f"{result.value:.4g} {result.unit}".strip()
        table.add_row(result.what, result.setting, value, span, result.bar, "✓" if result.met else "✗", result.note)
    console = Console()
    Console(width=max(console.width, 150)).print(table)


@app.command()
def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="Experiments to run; see `redunet list`.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All experiments; data are downloaded if needed.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Sizes that take seconds; short for --size quick.")] = False,
    size: Annotated[str, typer.Option(help="full (the paper's), quick, or toy (just to run through).")] = "full",
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of the data sets; else REDUNET_DATA, the cache.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for figures, results and the page.")] = Path("redunet-report"),
    seed: Annotated[int, typer.Option(min=0, help="Of everything that is drawn at random.")] = 0,
    again: Annotated[bool, typer.Option("--again", help="Run what is finished already, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON on standard output, no table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no table.")] = False,
) -> None:
    """Run the paper's experiments again, and write one page with every figure and table.

    Without a name it runs what needs no download. An experiment that was finished before with the same options is not
    run again, so an interrupted run goes on where it was.
    """
    from .experiments.command import Request
    from .experiments.command import reproduce as run

    if quick:
        size = "quick"
    request = Request(names or [], everything, size, data_dir, out, seed, again)
    raise typer.Exit(run(request, show=not (quiet or as_json), as_json=as_json))


@app.command(name="list")
def list_experiments(
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of the data sets; else REDUNET_DATA, the cache.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON on standard output, no table.")] = False,
) -> None:
    """The experiments, and whether their data are at hand."""
    from .experiments.registry import EXPERIMENTS

    found: list[dict[str, Any]] = []
    for experiment in EXPERIMENTS.values():
        missing = experiment.missing(data_dir, download=False) is not None
        needs = experiment.needs or ""
        found.append({"name": experiment.name, "title": experiment.title, "needs": needs, "ready": not missing})
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    table = Table("name", "what", "data")
    for one in found:
        table.add_row(
            one["name"], one["title"], f"{one['needs']}{'' if one['ready'] else ' (not here)'}" or "come along"
        )
    Console().print(table)
