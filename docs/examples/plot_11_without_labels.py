"""
Features without labels
=======================

``ReduNet().fit(X)`` takes no labels: each sample is a class of its own, and with ``augment`` a class has other views of
its sample, too. Layers push samples apart and draw views of one sample together. Labels come afterwards, and few of
them: a linear probe on the features says what they are worth.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import shift
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from redunet import ReduNet

X, y = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(X))
train, test = order[:250], order[250:850]


def moved(samples, random):
    """Each digit moved by up to a pixel: another view of the same digit."""
    pictures = samples.reshape(-1, 8, 8)
    return np.stack([shift(one, random.uniform(-1, 1, 2), order=1) for one in pictures]).reshape(samples.shape)


# %%
# One network, without labels. A probe sees five labels of each digit, in ten draws.


def probe(features):
    """Accuracy of logistic regression on new digits, and its spread over the draws."""
    features = (features - features[train].mean(axis=0)) / features[train].std()
    found = []
    for seed in range(10):
        random = np.random.default_rng(seed)
        few = np.concatenate([random.permutation(train[y[train] == digit])[:5] for digit in range(10)])
        model = LogisticRegression(C=0.1, max_iter=500).fit(features[few], y[few])
        found.append(model.score(features[test], y[test]))
    return np.mean(found), np.std(found)


depths = [0, 1, 3, 10]
results = {}
for name, views in (("samples alone", {}), ("two views each", {"augment": moved, "n_views": 2})):
    nets = [ReduNet(n_layers=depth, tol=None, **views).fit(X[train]) for depth in depths]
    results[name] = [probe(net.transform(X)) for net in nets]
for name, found in results.items():
    print(name, *(f"{depth} layers: {mean:.3f}" for depth, (mean, _) in zip(depths, found, strict=True)), sep="\n  ")

# %%
# A few layers help: a new digit is drawn to the training digits that it resembles, which nobody labelled. Many layers
# do not: they push all samples apart, those of one digit, too.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for name, found in results.items():
    mean, spread = np.transpose(found)
    left.plot(depths, mean, marker="o", label=name)
    left.fill_between(depths, mean - spread, mean + spread, alpha=0.15)
left.set(xlabel="layers", ylabel="accuracy of the probe", title="five labels of each digit")
left.legend()

view = moved(X[train], np.random.default_rng(1))
for net, colour in zip(nets, ("C0", "C1", "C2", "C3"), strict=True):  # those with views, which came last
    cosines = net.transform(X[train]) @ net.transform(view).T
    others = cosines[~np.eye(len(train), dtype=bool)]
    right.hist(
        others, bins=60, range=(-0.5, 1), density=True, histtype="step", color=colour, label=f"{net.n_layers_} layers"
    )
    right.axvline(np.diag(cosines).mean(), color=colour, linestyle="--")
right.set(xlabel="cosine with a view (dashed: of the same sample)", yticks=[], title="samples are pushed apart")
right.legend()
plt.show()
