"""Models as ONNX files, for other programs and machines."""
