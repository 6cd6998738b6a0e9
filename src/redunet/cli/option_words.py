"""Messages of the estimators in the words of the command line: its options, and files for arrays."""

from collections.abc import Mapping

from ..inputs.errors import Data, Option, PythonWords, WordedError, plain_value

# What the command line calls an option of the estimators. The lift is named by its filters.
OPTION_NAMES = {
    "sample_shape": "--shape",
    "invariance": "--invariance",
    "lift": "--lift",
    "filters": "--lift",
    "n_channels": "--channels",
    "kernel_size": "--kernel",
    "pool": "--pool",
    "pad": "--pad",
    "n_layers": "--layers",
    "n_clusters": "--clusters",
    "random_state": "--seed",
    "checkpoint": "--checkpoint",
    "construction": "--construction",
    "evidence_samples": "--evidence-samples",
    "standardise": "--standardise",
    "kernel": "--kernel",
    "gamma": "--gamma",
    "n_landmarks": "--landmarks",
    "precision": "--precision",
    "what": "--what",
    "loss": "--loss",
    "n_epochs": "--epochs",
    "batch_size": "--batch-size",
    "rate": "--rate",
    "augment": "--augment",
    # Shares are checked before; what is left to say is that other samples could be passed.
    "held_out": "--held-out-data",
}
# What the command line calls options that are false or true.
FLAG_NAMES = {"flat": ("--no-flat", "--flat")}
# Options of the command line that have a word for None; others are left out.
TAKE_NONE = ("--invariance", "--lift", "--augment")


class CommandLineWords(PythonWords):
    """Options as they are typed, arrays as the files that they come from; other options as in Python.

    Parameters
    ----------
    files : mapping from name of an array to str
        What the arrays are called on the command line.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    def option(self, option: Option) -> str:
        """Text such as ``--shape 1,28,28`` or ``--invariance shift or translation``."""
        if option.name in FLAG_NAMES and option.values:
            return " or ".join(FLAG_NAMES[option.name][bool(value)] for value in option.values)
        name = OPTION_NAMES.get(option.name)
        if name is None:
            return super().option(option)
        if option.values == (None,) and name not in TAKE_NONE:
            return f"no {name}"
        return " ".join([name, " or ".join(map(_typed, option.values))]).rstrip()

    def data(self, data: Data) -> str:
        """The file that an array comes from."""
        return self.files.get(data.name, data.name)


def _typed(value: object) -> str:
    """The value of an option as it is typed on the command line."""
    value = plain_value(value)
    if value is None:
        return "none"
    return ",".join(map(_typed, value)) if isinstance(value, (tuple, list)) else str(value)


def in_words(error: Exception, data: str) -> str:
    """The message of an error in the words of the command line, where the samples X are called ``data``."""
    return error.worded(CommandLineWords({"X": data})) if isinstance(error, WordedError) else str(error)
