"""
Two clouds on the circle
========================

Two classes lie 60° apart on the circle. Each layer moves every sample a little, in the direction in which the rate
reduction ΔR grows: all samples together should take much room, each class by itself little. The best that two classes
can do on the circle is to become two points at a right angle.

No labels are used for the new samples: they pass the layers that the training samples have built.
"""

import matplotlib.pyplot as plt
import numpy as np

from redunet import ReduNet, plot
from redunet.data.gaussians import GAUSSIAN_CASES

case = GAUSSIAN_CASES["circle-2-near"]
X, y = case.sample(random_state=0)
new, new_y = case.sample(random_state=1)

net = ReduNet(n_layers=400, eps=0.1, sharpness=500.0, affine=False, tol=None).fit(X, y)
Z = net.transform(new)
print(net.history_)

# %%
# ``affine=False`` takes the samples as they are, and ``tol=None`` goes on when ΔR hardly grows any more:
# by default it stops after 47 layers here, at 84.8°. For tables
# a constant coordinate is added by default, see :doc:`/findings`.
#
# The angle between the two classes, before and after:


def angle(features, labels):
    """Angle between the mean directions of the two classes, in degrees."""
    means = np.array([features[labels == j].mean(axis=0) for j in (0, 1)])
    cosine = means[0] @ means[1] / np.prod(np.linalg.norm(means, axis=1))
    return np.degrees(np.arccos(cosine))


print(f"{angle(new, new_y):.1f}° before, {angle(Z, new_y):.1f}° after")

# %%
figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained", width_ratios=[1, 1, 1.3])
plot.scatter(new, new_y, axes[0]).set_title("new samples")
plot.scatter(Z, new_y, axes[1]).set_title("their features")
plot.rates(net.history_, axes[2]).set(title="the first 100 layers", xlim=(0, 100), ylim=(1, 6))
plt.show()
