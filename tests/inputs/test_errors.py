"""One message, in the words of Python and of the command line; errors that code can tell apart by their type."""

import copy
import pickle

import numpy as np
import pytest

from redunet import Lift, ReduNetClassifier
from redunet.cli.option_words import CommandLineWords
from redunet.inputs.errors import (
    Data,
    InputError,
    InputTypeError,
    Message,
    MissingLabelError,
    OneClassError,
    Option,
    SilentSampleError,
    ThinClassError,
    ZeroSampleError,
)

COMMAND_LINE = CommandLineWords({"X": "digits.csv"})


@pytest.mark.parametrize(
    ("part", "python", "command_line"),
    [
        (Option("sample_shape", (1, 28, 28)), "sample_shape=(1, 28, 28)", "--shape 1,28,28"),
        (Option("sample_shape", (np.int64(6),)), "sample_shape=(np.int64(6),)", "--shape 6"),
        (Option("sample_shape"), "sample_shape", "--shape"),
        (Option("sample_shape", None), "sample_shape=None", "no --shape"),
        (Option("invariance", None), "invariance=None", "--invariance none"),
        (
            Option("invariance", "shift", "translation"),
            "invariance='shift' or 'translation'",
            "--invariance shift or translation",
        ),
        (Option("filters", "patches"), "filters='patches'", "--lift patches"),
        (Option("lift", "auto"), "lift='auto'", "--lift auto"),
        (Option("n_channels", np.int64(4)), "n_channels=4", "--channels 4"),
        (Option("kernel_size"), "kernel_size", "--kernel"),
        (Option("pad", (1, 2)), "pad=(1, 2)", "--pad 1,2"),
        (Option("checkpoint", "a folder"), "checkpoint='a folder'", "--checkpoint a folder"),
        (Option("affine", True), "affine=True", "affine=True"),  # the command line has no such option
        (Data("X"), "X", "digits.csv"),
        (Data("y"), "y", "y"),
        (Message("a sample of {data}", data=Data("X")), "a sample of X", "a sample of digits.csv"),
        (InputError("{data} is empty", data=Data("X")), "X is empty", "digits.csv is empty"),
        ("{X}", "{X}", "{X}"),
    ],
)
def test_parts_of_a_message_in_the_words_of_each_interface(part, python, command_line):
    error = InputError("see {part}.", part=part)
    assert str(error) == f"see {python}."
    assert error.worded(COMMAND_LINE) == f"see {command_line}."


ERRORS = [
    InputError("{option} is wrong", option=Option("eps", 0.1)),
    InputTypeError("{data} is wrong", data=Data("X")),
    ZeroSampleError("row {rows[0]} of {data}", rows=np.array([3, 5]), data=Data("X")),
    SilentSampleError("silent", rows=[4]),
    MissingLabelError("{labels} in row {rows[0]}", rows=[4], labels=Data("y")),
    OneClassError("only {label!r}", label="a"),
    ThinClassError("class {label!r}", label="a", row=np.int64(7), n_classes=2),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_errors_are_copied_and_pickled_with_all_they_know(error, copied):
    error.add_note("while testing")
    twin = copied(error)
    assert type(twin) is type(error)
    assert str(twin) == str(error)
    assert twin.worded(COMMAND_LINE) == error.worded(COMMAND_LINE)
    assert twin.__notes__ == error.__notes__
    known = {name: value for name, value in vars(error).items() if name != "message"}
    assert {name: value for name, value in vars(twin).items() if name != "message"} == known


def test_wrong_values_are_value_errors_and_wrong_types_are_type_errors():
    assert issubclass(InputError, ValueError)
    assert issubclass(InputTypeError, TypeError)


@pytest.mark.parametrize("value", [lambda: 0, np.ones(3), "1"])
def test_an_error_about_any_value_can_be_pickled(value):
    with pytest.raises(InputTypeError) as caught:
        Lift(n_channels=value).check_parameters()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


SIGNALS = np.random.default_rng(0).standard_normal((12, 1, 16))
LABELS = np.arange(12) % 2
LIFT = Lift("wavelet", 4, 5)


def test_a_sample_of_zeros_is_named_by_its_row():
    X = SIGNALS.copy()
    X[[4, 9]] = 0
    with pytest.raises(ZeroSampleError) as caught:
        ReduNetClassifier("shift", lift=LIFT).fit(X, LABELS)
    assert caught.value.rows == [4, 9]


def test_a_sample_without_response_is_named_by_its_row_in_fit_and_in_predict():
    X = SIGNALS.copy()
    X[[8, 3]] = 1  # of two classes; wavelets do not respond to a constant
    with pytest.raises(SilentSampleError) as caught:
        ReduNetClassifier("shift", lift=LIFT, n_layers=0).fit(X, LABELS)
    assert caught.value.rows == [3, 8]
    for n_layers in (0, 1):
        clf = ReduNetClassifier("shift", lift=LIFT, n_layers=n_layers).fit(SIGNALS, LABELS)
        with pytest.raises(SilentSampleError) as caught:
            clf.predict(np.concatenate([SIGNALS] * 100 + [X]))
        assert caught.value.rows == [1203, 1208]


def test_a_class_of_one_sample_is_named_with_the_row_of_its_sample():
    with pytest.raises(ThinClassError) as caught:
        ReduNetClassifier().fit(SIGNALS[:, 0], [*"aabbaabbaabc"])
    assert (caught.value.label, caught.value.row, caught.value.n_classes) == ("c", 11, 1)
    with pytest.raises(OneClassError) as one:
        ReduNetClassifier().fit(SIGNALS[:, 0], ["a"] * 12)
    assert one.value.label == "a"
