"""
Few labels, many samples
========================

Three digits of each kind have a label, 770 have none. With ``unlabelled=-1`` the others join in, if labelled digits
that are left out are answered better then: labels spread to digits that look alike.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from redunet import ReduNetClassifier

X, y = load_digits(return_X_y=True)
known = np.concatenate([np.flatnonzero(y[:800] == digit)[:3] for digit in range(10)])
labels = np.full(800, -1)
labels[known] = y[known]

plain = ReduNetClassifier().fit(X[known], y[known])
joined = ReduNetClassifier(unlabelled=-1).fit(X[:800], labels)
print(f"30 labels alone: {plain.score(X[800:], y[800:]):.3f} of new digits")
print(f"770 unlabelled digits joined in: {joined.uses_unlabelled_}, {joined.score(X[800:], y[800:]):.3f}")
print("log loss of left-out labels without and with them:", joined.unlabelled_losses_.round(2))

# %%
# ``transduction_`` has the label of every training sample. Digits without a label that got one, some of each kind, and
# wrong ones framed:

guessed = joined.transduction_
unknown = np.setdiff1d(np.arange(800), known)
figure, axes = plt.subplots(10, 12, figsize=(7, 6), layout="constrained")
for digit, row in enumerate(axes):
    for axis, number in zip(row, unknown[guessed[unknown] == digit][:12], strict=False):
        axis.imshow(X[number].reshape(8, 8), cmap="gray_r")
        for side in axis.spines.values():
            side.set(color="C3", linewidth=2, visible=bool(y[number] != digit))
    for axis in row:
        axis.set(xticks=[], yticks=[])
    row[0].set_ylabel(str(digit), rotation=0, labelpad=10)
figure.suptitle(f"labels that were found: {np.mean(guessed[unknown] == y[unknown]):.1%} right")
plt.show()
