"""Samples that a model refuses, named by their place in the file."""

from ..inputs.errors import SampleError, SilentSampleError
from .command_errors import DataError
from .files.source import Source


def refused_sample(source: Source, error: SampleError, start: int = 0, other_remedy: str = "") -> DataError:
    """The error to raise about the first of the samples that a model refuses.

    Parameters
    ----------
    source : Source
        Where the samples come from.
    error : SampleError
        Of the model.
    start : int
        Number in the source of the first sample that the model was given.
    other_remedy : str
        What helps besides removing the sample, such as ", or …".
    """
    where = source.where(start + error.rows[0])
    if isinstance(error, SilentSampleError):
        why = "the sample gives no response to any filter, as constant samples do"
        return DataError(f"{where}: {why}; remove it{other_remedy}.")
    return DataError(f"{where}: all numbers are zero, so that the sample has no direction; remove it.")
