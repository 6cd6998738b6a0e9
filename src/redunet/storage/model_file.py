"""Model files: a fitted estimator as text and arrays in one file, and back."""

from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from .. import __version__
from .array_file import ArrayFile, write_arrays
from .decoding import Decoder
from .encoding import Encoder
from .estimator_checks import check_estimator
from .model_file_error import ModelFileError
from .stored_types import ESTIMATORS, stored_type_of

FORMAT = 4


def save_model(estimator: Any, path: Path) -> None:
    """Write a fitted estimator to a file, which holds either all of the model or what it held before."""
    check_is_fitted(estimator)
    encoder = Encoder()
    text = {"format": FORMAT, "version": __version__, "model": encoder.encode(estimator, "model")}
    try:
        write_arrays(path, text, encoder.arrays)
    except OSError as error:
        why = f"{error.strerror or error}: the model was not written; what was there before is unchanged"
        raise OSError(error.errno, why, str(path)) from error


def stored_bytes(estimator: Any) -> int:
    """About how many bytes the file of a fitted estimator will have: those of its arrays."""
    encoder = Encoder()
    encoder.encode(estimator, "model")
    return sum(array.nbytes for array in encoder.arrays.values())


def load_model(path: Path) -> Any:
    """The estimator of a file, whose class must have been imported. Its layers stay in the file until they are used."""
    file = ArrayFile(path)
    file_format = file.text.get("format")
    if not isinstance(file_format, int) or isinstance(file_format, bool) or not 1 <= file_format <= FORMAT:
        raise ModelFileError(
            f"{path} is of format {file_format!r}, written by redunet {_written_by(file)}; this is redunet "
            f"{__version__}, which reads formats 1 to {FORMAT}. Use the version that wrote it, or a newer one."
        )
    try:
        model = Decoder(file, file_format).decode(file.text["model"])
        stored = stored_type_of(model)
        if stored is None or stored.name not in ESTIMATORS:
            raise ModelFileError(f"{path} holds {type(model).__name__}, which is no estimator.")
        check_estimator(model, file.n_bytes)
    except ModelFileError:
        raise
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path} does not hold a model that fits together: {str(error)[:300]}") from None
    return model


def _written_by(file: ArrayFile) -> str:
    """The version that a file says it was written by."""
    return str(file.text.get("version", "of an unknown version"))[:40]
