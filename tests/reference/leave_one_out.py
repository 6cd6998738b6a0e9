"""Leave-one-out as it reads: fit again without each sample; and signals to try it on."""

import numpy as np


def waves(m=40, seed=0, noise=1.0):
    """Signals of two channels whose classes differ in how the channels go together; anywhere on the circle."""
    rng = np.random.default_rng(seed)
    y = np.arange(m) % 2
    t = 2 * np.pi * (np.arange(16) / 16 + rng.uniform(size=(m, 1)))
    X = np.stack([np.sin(t), np.cos(t + (y * 1.0)[:, None]), np.sin(2 * t)], axis=1)
    return X + noise * rng.standard_normal(X.shape), y


def left_out_by_hand(make, X, y):
    """Share of samples that classifiers fitted without them classify correctly."""
    correct = []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        correct.append(make().fit(X[others], y[others]).predict(X[i : i + 1])[0] == y[i])
    return np.mean(correct)
