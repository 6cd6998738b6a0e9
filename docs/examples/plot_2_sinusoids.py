"""
Signals at any shift
====================

Sines and square waves, and nobody knows where a signal starts. Five labelled signals of each kind are enough, and a
shift changes nothing: neither the answer nor its last bit.

A support vector machine on the same signals has to guess where it has no example.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from redunet import ReduNetClassifier, plot
from redunet.data.shifts import all_shifts
from redunet.data.waves import sinusoids

X, y = sinusoids(5, n_points=100, noise=0.3, random_state=0)
new, new_y = sinusoids(200, n_points=100, noise=0.3, random_state=1)

clf = ReduNetClassifier("shift", lift="auto").fit(X, y)
svm = SVC().fit(X, y)
for name, model in (("redunet", clf), ("support vector machine", svm)):
    print(f"accuracy on 400 new signals, {name}: {model.score(new, new_y):.3f}")

# %%
# One new signal of each kind, at each of its 100 shifts. ``decision_function`` says how much nearer the second class
# is.

curves = []
for signal in (new[0], new[200]):
    shifts = all_shifts(signal)
    curves.append((clf.decision_function(shifts), svm.decision_function(shifts)))
print("different values over 100 shifts:", [len(np.unique(ours)) for ours, _ in curves])

# %%
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
clean, _ = sinusoids(200, n_points=1000, noise=0, random_state=1)
plot.signals(clean[[0, 200]], new[[0, 200]], ["sine", "square"], axes[0]).set_title("two new signals")
for axis, which, title in ((axes[1], 1, "support vector machine"), (axes[2], 0, "redunet")):
    for curve, label, colour in zip(curves, ("the sine", "the square wave"), plot.COLOURS, strict=False):
        axis.plot(curve[which], color=colour, label=label)
    axis.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    largest = 1.15 * max(np.abs(curve[which]).max() for curve in curves)
    axis.set(title=title, xlabel="shift", ylim=(-largest, largest), ylabel="← sine      square →")
axes[2].legend(loc="center right")
plt.show()
