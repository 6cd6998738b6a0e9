"""The tests of exported files need ONNX, and ONNX Runtime to run them."""

import pytest

pytest.importorskip("onnx", reason="ONNX is not installed: pip install 'redunet[onnx]'")
pytest.importorskip("onnxruntime", reason="ONNX Runtime, which runs what is exported, is not installed")
