"""
Clusters without labels
=======================

A line, a plane and a ball cross each other in three dimensions. No labels are given, and not how many there are: the
clusters are those that give the samples the shortest code, each with a mean and directions of its own.
"""

import matplotlib.pyplot as plt
import numpy as np

from redunet import RateReductionClustering
from redunet.data.waves import sinusoids

rng = np.random.default_rng(0)
line = rng.normal(size=(150, 1)) * [2.0, 1.0, 2.0]
plane = rng.normal(size=(250, 2)) @ [[1.5, -1.5, 0.0], [0.5, 0.5, -1.5]]
ball = 0.3 * rng.normal(size=(100, 3)) + [-2.5, 2.0, 3.0]
X = np.concatenate([line, plane, ball]) + 0.04 * rng.normal(size=(500, 3))
truth = np.repeat([0, 1, 2], [150, 250, 100])

model = RateReductionClustering().fit(X)
print(f"{model.n_clusters_} clusters of {np.bincount(model.labels_)} samples")
for cluster in range(model.n_clusters_):
    print(cluster, "holds", np.bincount(truth[model.labels_ == cluster], minlength=3), "of line, plane and ball")

# %%
# The merge tree says what it would cost to have fewer clusters, in nats:

for pair, nats in zip(model.children_, model.distances_, strict=True):
    print(f"{pair[0]} and {pair[1]} as one cluster: {nats:.0f} nats more")

# %%
# Samples near a crossing belong to both, and their memberships say so.

figure = plt.figure(figsize=(9, 4), layout="constrained")
sure = model.predict_proba(X).max(axis=1)
for place, colours, title in ((121, model.labels_, "clusters"), (122, sure, "how sure")):
    ax = figure.add_subplot(place, projection="3d")
    points = ax.scatter(*X.T, c=colours, s=6, cmap="viridis")
    ax.set_title(title)
figure.colorbar(points, ax=ax, shrink=0.6)
plt.show()

# %%
# Signals that start anywhere: sines and square waves. With ``invariance="shift"`` the clusters are the same, bit for
# bit, wherever each signal is shifted to.

signals, kind = sinusoids(n_per_class=30, random_state=0)
clusters = RateReductionClustering(2, invariance="shift").fit(signals)
moved = np.stack([np.roll(x, s, axis=-1) for x, s in zip(signals, rng.integers(0, 100, len(signals)), strict=True)])
print("the same clusters after shifts:", np.array_equal(clusters.labels_, clusters.fit_predict(moved)))

figure, axes = plt.subplots(1, 2, figsize=(9, 2.4), layout="constrained", sharey=True)
for cluster, ax in enumerate(axes):
    ax.plot(signals[clusters.labels_ == cluster][:5].reshape(-1, signals.shape[-1]).T, linewidth=1)
    ax.set_title(f"five signals of cluster {cluster}")
plt.show()
