"""What ``redunet fit`` refuses at once: options, places, files that are not there, columns that are not in a file."""

from .files.input_files import refuse_missing_file
from .fit_request import FitRequest, check_options
from .output import place_to_write


def check_fit(request: FitRequest) -> None:
    """Check options, then the place of the model, then the beginning of the file; nothing of scikit-learn is needed."""
    place_to_write(request.out, (request.data, request.labels))
    refuse_missing_file(request.data, "file or folder", folders=True)
    check_options(request)
    if request.like is not None:  # it knows the names of the columns, and is not read yet
        refuse_missing_file(request.like, "model file")

    from .files.open_source import format_of, open_source

    if request.like is not None:
        format_of(request.data, request.read_options())
    else:
        open_source(request.data, request.read_options())
