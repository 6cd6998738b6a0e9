"""Errors of the estimators, which speak Python, in the words of the command line."""

import re

# Patterns and what they become, one after the other.
WORDS = (
    (r"sample_shape=\(([\d, ]+?),?\)", lambda found: "--shape " + found[1].replace(" ", "")),
    (r"\bsample_shape\b", "--shape"),
    (r"\binvariance='(\w+)' or '(\w+)'", r"--invariance \1 or \2"),
    (r"\binvariance='(\w+)'", r"--invariance \1"),
    (r"\binvariance=None", "--invariance none"),
    (r"\blift=None", "--lift none"),
    (r"\blift='auto'", "--lift auto"),
    (r"\bfilters='(\w+)'", r"--lift \1"),
    (r"\bkernel_size=", "--kernel "),
    (r"\bkernel_size\b", "--kernel"),
    (r"\bn_channels=", "--channels "),
    (r"\bn_channels (?=>)", "--channels "),
    (r"\bpad=\(([\d, ]+?),?\)", lambda found: "--pad " + found[1].replace(" ", "")),
    (r"\bpad=", "--pad "),
    (r"\bcheckpoint='([^']*)'", r"--checkpoint \1"),
    (r"folder as checkpoint", "folder as --checkpoint"),
    (r"\bn_layers=", "--layers "),
)  # fmt: skip


def in_words(error: Exception, data: str) -> str:
    """The message of an error, about the data as they are called on the command line."""
    told = str(error)
    for pattern, words in WORDS:
        told = re.sub(pattern, words, told)
    return re.sub(r"\bX\b", lambda _: data, told)
