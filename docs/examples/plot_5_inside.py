"""
Looking inside: kernels and memberships
=======================================

Nothing in the network is hidden. A layer has one operator that pushes all features apart and one for each class that
pulls its own together; both are ordinary convolution kernels. And a layer guesses the class of every sample, which one
can watch.
"""

import matplotlib.pyplot as plt
import numpy as np

from redunet import Lift, ReduNetClassifier, plot
from redunet.data.waves import sinusoids
from redunet.numerics.membership import soft_membership

X, y = sinusoids(20, n_points=60, noise=0.5, random_state=0)
new, new_y = sinusoids(40, n_points=60, noise=0.5, random_state=1)

lift = Lift("random", n_channels=4, kernel_size=9, random_state=1)
clf = ReduNetClassifier("shift", lift=lift, membership="softmax", n_layers=12, sharpness=20.0, tol=None).fit(X, y)
print(clf.history_)
print(clf.network_.layers[0])

# %%
# New signals pass the layers one by one, and we ask each layer for its guess before it moves them. Blocks are
# ``V[frequency, channel, sample]``.

network = clf.network_
weights = network.geometry.norm_weights
V = network.geometry.blocks(network.lift(new[:, None]))
guesses = []
for layer in network.layers:
    guesses.append(soft_membership(layer.measure.residuals(V), layer.sharpness)[:, 1])
    V = layer(V, weights)
guesses = np.array(guesses)

# %%
# The expansion of the first layer: row c, column c' is what channel c' gives to channel c. The strong value at position
# 0 of the diagonal is the identity; what the classes have in common is subtracted from it.

figure = plt.figure(figsize=(10, 3.4), layout="constrained")
left, middle, right = figure.subfigures(1, 3, width_ratios=[1, 1, 1.2])
kernels = network.kernels(0).expansion
grid = left.subplots(4, 4, sharex=True, sharey=True)
for axis, kernel in zip(grid.flat, kernels.reshape(16, -1), strict=True):
    axis.plot(np.fft.fftshift(kernel), color=plot.COLOURS[0], linewidth=1)
    axis.set(xticks=[], yticks=[])
left.suptitle("kernels of the expansion, layer 1", fontsize=10)
plot.rates(clf.history_, middle.subplots()).set_xticks(np.arange(0, 13, 3))
middle.suptitle("coding rates", fontsize=10)
axis = right.subplots()
for j, name in enumerate(("sines", "square waves")):
    axis.plot(np.arange(1, 13), guesses[:, new_y == j], color=plot.COLOURS[j], alpha=0.25, linewidth=0.8)
    axis.plot([], color=plot.COLOURS[j], label=name)
axis.set(xlabel="layer", ylabel="membership in “square wave”", ylim=(-0.02, 1.02))
axis.legend(loc="upper left")
right.suptitle("what each layer guesses of 80 new signals", fontsize=10)
plt.show()
