"""
Choosing by evidence
====================

How large should the class subspaces be, and are layers worth having? Both can be asked of the training samples alone.
Leaving a sample out of its class is exact and nearly free, so that every rank is tried; layers are judged by samples
that they were built without.

Here the answers of the evidence are laid beside the truth, which is known for once: new images that nothing was
chosen on.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from redunet import Lift, NearestSubspaceClassifier, ReduNetClassifier, plot
from redunet.data.tabular import digits

X, y = digits()
images = X.reshape(-1, 8, 8)
train, test = train_test_split(np.arange(len(y)), train_size=200, stratify=y, random_state=0)

lift = Lift("patches", n_channels=32, kernel_size=5, random_state=0)
clf = ReduNetClassifier("translation", lift=lift).fit(images[train], y[train])
print(f"rank {clf.rank_}, {clf.n_layers_} layers; expected accuracy {clf.loo_score_:.3f}")
print(f"accuracy on new images {clf.score(images[test], y[test]):.3f}")

# %%
# The same for every rank, measured the long way round.

responses = lift.fit(images[train]).transform(images[train]), lift.transform(images[test])
on_training, on_new = [], []
for rank in clf.evidence_.choices:
    model = NearestSubspaceClassifier(int(rank), invariance="translation").fit(responses[0], y[train])
    on_training.append(model.score(responses[0], y[train]))
    on_new.append(model.score(responses[1], y[test]))

# %%
# Layers are another question. Plain vectors with one direction per class gain by layers, and the evidence sees it.

rows = ReduNetClassifier(membership="softmax", rank=1).fit(X[:600], y[:600])
none = ReduNetClassifier(membership="softmax", rank=1, n_layers=0).fit(X[:600], y[:600])
print(f"vectors of rank 1: {rows.n_layers_} layers chosen, accuracy {rows.score(X[600:], y[600:]):.3f}")
print(f"without layers: {none.score(X[600:], y[600:]):.3f}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(clf.evidence_.choices, on_training, color="0.7", label="training images, as they are")
left.plot(clf.evidence_.choices, clf.evidence_.scores, color=plot.COLOURS[0], marker="o", label="each left out")
left.plot(clf.evidence_.choices, on_new, color=plot.COLOURS[1], marker="s", markersize=4, label="new images")
left.axvline(clf.rank_, color="0.8", linewidth=6, zorder=0)
left.set(
    xscale="log", xticks=clf.evidence_.choices, xticklabels=clf.evidence_.choices, xlabel="rank", ylabel="accuracy"
)
left.minorticks_off()
left.set_title("rank, with the choice in grey")
left.legend(loc="lower right", bbox_to_anchor=(0.96, 0.0), fontsize=8)
right.plot(rows.depth_scores_, color=plot.COLOURS[0], marker="o", markersize=4, label="vectors, rank 1")
right.plot(clf.depth_scores_, color=plot.COLOURS[4], marker="o", markersize=4, label="lifted images")
for model, colour in ((rows, plot.COLOURS[0]), (clf, plot.COLOURS[4])):
    right.plot(model.n_layers_, model.depth_scores_[model.n_layers_], "o", color=colour, markersize=9, fillstyle="none")
right.set(xlabel="layers", ylabel="accuracy on held-out samples", title="depth, with the choice circled")
right.legend(loc="center right")
plt.show()
