"""Exporting a model, and running the file in ONNX Runtime."""

import numpy as np
import onnx
import onnxruntime

from redunet.onnx import export


class ExportedFile:
    """A model that was exported to a folder, open in ONNX Runtime.

    Parameters
    ----------
    model : fitted estimator
    folder : Path
    **options
        Of ``export``.
    """

    def __init__(self, model, folder, **options):
        self.path = folder / "model.onnx"
        export(model, self.path, **options)
        onnx.checker.check_model(self.path, full_check=True)
        self.session = onnxruntime.InferenceSession(self.path, providers=["CPUExecutionProvider"])
        [self.input] = self.session.get_inputs()
        self.real = {"tensor(float)": np.float32, "tensor(double)": np.float64}[self.input.type]
        self.metadata = self.session.get_modelmeta().custom_metadata_map

    def run(self, X):
        """What the file gives for samples, by name."""
        values = self.session.run(None, {"X": np.asarray(X, dtype=self.real)})
        return dict(zip([one.name for one in self.session.get_outputs()], values, strict=True))
