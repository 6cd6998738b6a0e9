"""The error about files that hold no model, or a damaged one."""


class ModelFileError(ValueError):
    """A model file that cannot be read: truncated, altered, of another format, or of parts that do not fit."""
