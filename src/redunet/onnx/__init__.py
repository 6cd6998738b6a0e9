"""Models as ONNX files, for other programs and machines.

``graph_builder`` is a small language for graphs; the files ``…_nodes`` say in it what a part of a model does, each the
twin of some NumPy; ``model_export`` puts the parts together and writes the file.
"""

try:
    from .model_export import export
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] != "onnx":
        raise
    raise ImportError(
        f"redunet.onnx needs {error.name}, which is not installed; install it with: pip install 'redunet[onnx]'"
    ) from error

__all__ = ["export"]
