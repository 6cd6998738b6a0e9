"""``redunet export``: a model file as an ONNX file, which runs without this package."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..inputs.byte_sizes import readable_bytes
from ..inputs.errors import InputError, InputTypeError
from ..onnx import export
from ..onnx.model_export import layout_of_samples
from ..storage.model_file_error import ModelFileError
from ..terminal.text import write_json
from .command_errors import DataError
from .option_words import in_words
from .output import place_to_write
from .printing import print_facts
from .progress_bar import progress_bar
from .run_command import run_command
from .saved_model import open_model


@dataclass(frozen=True)
class ExportRequest:
    """What ``redunet export`` was asked for, as on the command line."""

    model: Path
    out: Path
    precision: str = "float32"
    flat: bool | None = None
    as_json: bool = False
    quiet: bool = False


def export_command(request: ExportRequest) -> int:
    """Write the ONNX file and return the exit code."""
    return run_command(lambda: export_model(request), f"interrupted; {request.out} was not written.")


def export_model(request: ExportRequest) -> None:
    """Read a model and write it as an ONNX file."""
    out = place_to_write(request.out, (request.model,))
    model = open_model(request.model)
    with progress_bar(not (request.quiet or request.as_json)) as progress:
        progress.describe("exporting")
        try:
            export(model, out, precision=request.precision, flat=request.flat)
        except (InputError, InputTypeError, ModelFileError) as error:
            raise DataError(f"{request.model}: {in_words(error, str(request.model))}") from None
    found: dict[str, Any] = {
        "file": str(request.out),
        "bytes": out.stat().st_size,
        "kind": type(model).__name__,
        "shape": list(layout_of_samples(model, flat=request.flat)),
        "precision": request.precision,
    }
    if request.as_json:
        write_json(found)
    elif not request.quiet:
        shape = " × ".join(map(str, found["shape"]))
        print_facts(
            [
                ("file", f"{found['file']} ({readable_bytes(found['bytes'])})"),
                ("holds", found["kind"]),
                ("takes X of", f"{shape}, {found['precision']}"),
            ]
        )
