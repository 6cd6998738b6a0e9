"""The method by which estimators are saved."""

import os
from pathlib import Path

from .model_file import save_model
from .stored_types import stored_attributes


@stored_attributes(sample_shape_=tuple, n_features_in_=int)
class Saving:
    """What estimators have that can be saved in a file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a model file, which :func:`redunet.load` reads.

        One file, without pickle: arrays in the safetensors format, everything else as JSON, a checksum for each part.
        It is written beside its place and renamed, so that a crash leaves what was there before.

        Parameters
        ----------
        path : str or path
            Such as "model.redunet".
        """
        save_model(self, Path(path))
