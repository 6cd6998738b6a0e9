"""The command line: words in, calls out."""

import json
from typing import Annotated

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
