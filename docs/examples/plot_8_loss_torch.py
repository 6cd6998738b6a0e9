"""
Any network, trained by rate reduction
======================================

The rate reduction that layers of redunet increase in closed form can be a loss as well, for networks of other kinds,
which are trained by gradients (maximal coding rate reduction). Here a small network of PyTorch gets features of
handwritten digits in which classes are orthogonal to each other, and a new digit belongs to the class whose subspace
holds most of its features. The network itself has no classifier.

This example needs PyTorch, ``pip install 'redunet[torch]'``. The loss is described in :doc:`/losses`.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.model_selection import train_test_split

from redunet import NearestSubspaceClassifier, plot
from redunet.data.tabular import digits
from redunet.torch import RateReductionLoss

X, y = digits()
train, test = train_test_split(np.arange(len(y)), train_size=1000, stratify=y, random_state=0)
images, labels = torch.as_tensor(X, dtype=torch.float32), torch.as_tensor(y)

torch.manual_seed(0)
network = torch.nn.Sequential(
    torch.nn.Linear(64, 256),
    torch.nn.ReLU(),
    torch.nn.Linear(256, 256),
    torch.nn.ReLU(),
    torch.nn.Linear(256, 32),
)


def features_of(rows):
    """What the network makes of some images."""
    with torch.no_grad():
        return network(images[rows]).numpy()


before = features_of(test)

# %%
# Training: batches of 100 images, 40 times all of them. The loss wants R, the rate of all features, to be large, and
# R_c, that of the classes apart, to be small; it keeps both for a log.

loss = RateReductionLoss(eps=0.5)
optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
rates = []
for _ in range(40):
    for rows in torch.as_tensor(train)[torch.randperm(len(train))].split(100):
        optimiser.zero_grad()
        loss(network(images[rows]), labels[rows]).backward()
        optimiser.step()
        rates.append((float(loss.last_coding_rate), float(loss.last_class_coding_rate)))

after = features_of(test)

# %%
# Nearest class subspaces, of pixels and of features. The pixels of these digits are hard to beat: over ten splits they
# have 0.988, the features 0.980, as does the same network trained by cross-entropy. What training by rate reduction
# makes is the geometry below.


def accuracy(training, new):
    """Share of new digits that are nearest to the subspace of their class."""
    return NearestSubspaceClassifier(affine=False).fit(training, y[train]).score(new, y[test])


def mean_cosines(Z):
    """Mean |cosine| between features of one class, and of different ones."""
    cosines, same = plot.cosines(Z), y[test][:, None] == y[test]
    return cosines[same].mean(), cosines[~same].mean()


print(f"accuracy with pixels:            {accuracy(X[train], X[test]):.3f}")
print(f"accuracy with trained features:  {accuracy(features_of(train), after):.3f}")
for name, Z in (("before", before), ("after", after)):
    within, across = mean_cosines(Z)
    print(f"mean |cosine| {name} training: {within:.2f} within a class, {across:.2f} across classes")

# %%
# Features of the test images, sorted by class: all are nearly parallel in the network before training, those of
# different digits nearly orthogonal after it.

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", width_ratios=[1, 1.22, 1.1])
plot.similarity(before, y[test], left, scale=False).set_title("before")
plot.similarity(after, y[test], middle).set_title("after")
for values, name in zip(np.transpose(rates), ("R, all features", "R_c, classes apart"), strict=True):
    right.plot(np.arange(len(values)) / 10, values, label=name, linewidth=1)
right.set(xlabel="times through the training images", ylabel="coding rate of a batch, nats", ylim=(0, None))
right.legend()
plt.show()
