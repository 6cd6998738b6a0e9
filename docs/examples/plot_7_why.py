"""
Why this answer?
================

``explain`` says which class a sample was nearest to, by how much, and where in the sample that comes from: a share for
each value, and all shares add up to the difference between the two nearest classes. The explanation of a shifted signal
is the shifted explanation.

Here it is known where to look: signals are noise, with one of three motifs somewhere, and the motif is the class.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from redunet import Lift, ReduNetClassifier, plot
from redunet.data.motifs import motifs_in_noise
from redunet.data.tabular import digits

X, y, _ = motifs_in_noise(60, random_state=0)
X_new, y_new, on_motif = motifs_in_noise(60, random_state=1)

pooled = ReduNetClassifier("shift").fit(X, y)
subspaces = ReduNetClassifier("shift", membership="subspace").fit(X, y)

figure, axes = plt.subplots(2, 2, figsize=(10, 5), layout="constrained", sharex=True)
for column, (name, clf) in zip(axes.T, (("counted features", pooled), ("class subspaces", subspaces)), strict=True):
    explanation = clf.explain(X_new)
    positive = np.clip(explanation.positions[:, 0], 0, None)
    print(
        f"{name}: {((positive * on_motif).sum(axis=1) / positive.sum(axis=1)).mean():.2f} of what speaks for the class"
    )
    for ax, i in zip(column, (0, 1), strict=True):
        plot.signal_shares(X_new[i], explanation.positions[i], ax)
        ax.set_title(f"{name}: {explanation.nearest[i]} rather than {explanation.other[i]}", fontsize=9)
        there = np.flatnonzero(on_motif[i])
        ax.plot(there, np.full(len(there), ax.get_ylim()[0]), "s", color="black", markersize=3, clip_on=False)
plt.show()

# %%
# The black squares at the bottom are where the motif is. Class subspaces are measured at each frequency, and what
# they measure is a sum over positions: the shares are exact. Counted features have no places of their own, so that
# stretches of the signal are taken out one after the other, and what is lost is shown, as finely as they are long.
#
# Moving the signal moves the explanation, bit for bit.

moved = pooled.explain(np.roll(X_new[:1], 77, axis=1))
print((moved.positions == np.roll(pooled.explain(X_new[:1]).positions, 77, axis=-1)).all())

# %%
# Images, and tables: the same call.

images, labels = digits()
images = images.reshape(-1, 8, 8)
lift = Lift("patches", n_channels=32, kernel_size=5, random_state=0)
of_digits = ReduNetClassifier("translation", lift=lift).fit(images[:400], labels[:400])
shown = images[400:404]
explanation = of_digits.explain(shown)
print(explanation)

figure, axes = plt.subplots(1, 4, figsize=(10, 2.8), layout="constrained")
for i, ax in enumerate(axes):
    plot.image_shares(shown[i], explanation.positions[i], ax, scale=False)
    ax.set_title(f"{explanation.nearest[i]} rather than {explanation.other[i]}", fontsize=9)
plt.show()

# %%
wine = load_wine()
scaled = (wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0)
of_wine = ReduNetClassifier().fit(scaled[::2], wine.target[::2])
explanation = of_wine.explain(scaled[1:2])
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
plot.feature_shares([*wine.feature_names, "constant"], explanation.parts[0], ax, most=8)
ax.set_title(
    f"class {explanation.nearest[0]} rather than {explanation.other[0]}, by {explanation.difference[0]:.2f}", fontsize=9
)
plt.show()
