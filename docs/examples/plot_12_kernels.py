"""
Classes that bend
=================

A class subspace is flat. Two rings around each other, or two spirals, lie in the same plane, and no subspace tells them
apart. With ``kernel=`` every inner product of two samples is that of features in a space of more dimensions, where
classes may be flat that bend here. A network needs inner products only: of m training samples it is an ordinary one in
m + 1 dimensions, exactly.
"""

import matplotlib.pyplot as plt
import numpy as np

from redunet import ReduNet, ReduNetClassifier, plot

rng = np.random.default_rng(0)
arm = np.arange(400) % 2
turn = np.sqrt(rng.uniform(0.05, 1, 400)) * 3.5 * np.pi
direction = turn + np.pi * arm
X = turn[:, None] * np.stack([np.cos(direction), np.sin(direction)], axis=1) / 10
X += 0.03 * rng.standard_normal(X.shape)
train, test = np.arange(200), np.arange(200, 400)

models = {
    "no kernel": ReduNetClassifier().fit(X[train], arm[train]),
    "rbf": ReduNetClassifier(kernel="rbf").fit(X[train], arm[train]),
    "rbf, 40 landmarks": ReduNetClassifier(kernel="rbf", n_landmarks=40).fit(X[train], arm[train]),
}
for name, model in models.items():
    print(f"{name}: accuracy on new points {model.score(X[test], arm[test]):.3f}, expected {model.loo_score_:.3f}")

# %%
# The scale γ is chosen by evidence: each training sample is left out, and answered by the others.

for gamma, score in models["rbf"].gamma_scores_:
    print(f"gamma {gamma:7.3f}: {score:.3f} of the left-out samples classified correctly")
print(f"chosen: {models['rbf'].network_.kernel}")

# %%
# Layers act on features of a kernel as on any others. They raise the rate reduction, and points of the two spirals
# become orthogonal, those that the layers were not built from included.

order = np.argsort(arm[test], kind="stable")
other = arm[test][order][:, None] != arm[test][order]
cosines = {}
for n_layers in (0, 40):
    net = ReduNet(kernel="rbf", n_layers=n_layers, eps=1.0, affine=False).fit(X[train], arm[train])
    features = net.transform(X[test])[order]
    cosines[net.n_layers_] = np.abs(features @ features.T)
    between = cosines[net.n_layers_][other].mean()
    print(
        f"{net.n_layers_} layers: ΔR {net.history_.rate_reduction[-1]:.1f} nats, |cosine| between classes {between:.3f}"
    )

# %%
figure, axes = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained")
grid = np.stack(np.meshgrid(np.linspace(-1.25, 1.25, 120), np.linspace(-1.25, 1.25, 120)), axis=-1)
for axis, name in zip(axes, ("no kernel", "rbf"), strict=False):
    shown = models[name].predict_proba(grid.reshape(-1, 2))[:, 1].reshape(120, 120)
    axis.imshow(shown, extent=(-1.25, 1.25, -1.25, 1.25), origin="lower", cmap="RdBu_r", vmin=0, vmax=1, alpha=0.5)
    for j in range(2):
        axis.scatter(*X[train][arm[train] == j].T, s=6, color=plot.COLOURS[j])
    axis.set(xticks=[], yticks=[])
    axis.set_title(f"{name}: {models[name].score(X[test], arm[test]):.2f}")
for axis, (n_layers, cosine) in zip(axes[2:], cosines.items(), strict=True):
    axis.imshow(cosine, vmin=0, vmax=1, cmap="Greys")
    axis.set(xticks=[], yticks=[])
    axis.set_title(f"|cosine| of new points, {n_layers} layers")
plt.show()
