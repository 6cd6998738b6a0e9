"""How often an exported model and the model itself give the same answer: MNIST, all 10,000 test images.

REDUNET_DATA=… python benchmarks/onnx_agreement.py
"""

import tempfile
from pathlib import Path

import numpy as np
import onnxruntime

from redunet import Lift, ReduNetClassifier
from redunet.data.images import mnist, pick_digits
from redunet.onnx import export

# Labelled images of each digit, and images that pass the file at a time.
N_LABELS, BATCH = 50, 500


def main():
    images, digits = mnist("train", download=False)
    X, y = pick_digits(images, digits, range(10), N_LABELS, random_state=0)
    lift = Lift("patches", 48, 11, pool=2, random_state=0)
    model = ReduNetClassifier("translation", lift=lift).fit(X / 255.0, y)
    images, digits = mnist("test", download=False)
    samples = images[:, None] / 255.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        export(model, path)
        print(f"file: {path.stat().st_size / 1e6:.1f} MB; {len(model.network_.layers)} layers")
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        labels, probabilities = [], []
        for start in range(0, len(samples), BATCH):
            some = samples[start : start + BATCH].astype(np.float32)
            label, probability, _ = session.run(None, {"X": some})
            labels.append(label)
            probabilities.append(probability)
    labels, probabilities = np.concatenate(labels), np.concatenate(probabilities)
    expected = model.predict_proba(samples)
    print(f"the same class: {np.mean(labels == model.predict(samples)):.4%} of {len(samples)}")
    print(f"largest difference of a probability: {np.abs(probabilities - expected).max():.2e}")
    print(f"accuracy: {np.mean(labels == digits):.4f} (file), {model.score(samples, digits):.4f} (model)")


if __name__ == "__main__":
    main()
