"""
Digits anywhere, few labels
===========================

Ten handwritten digits of 8 × 8 pixels on a field of 12 × 12, five labelled images of each, all in the middle. New
images lie anywhere on the field and may leave it on one side to come back on the other.

Wavelets were taken because they did best of four kinds of filters on these very digits (:doc:`/findings`), so the
accuracy of redunet is a little flattered. That it does not change with the place is not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from redunet import Lift, ReduNetClassifier, plot
from redunet.data.shifts import shifted_at_random
from redunet.data.tabular import digits

X, y = digits()
images = np.pad(X.reshape(-1, 8, 8), ((0, 0), (2, 2), (2, 2)))
train, test = train_test_split(np.arange(len(y)), train_size=50, stratify=y, random_state=0)

moved = shifted_at_random(images[test], 2, seed=0)

lift = Lift("wavelet", n_channels=24, kernel_size=5)
clf = ReduNetClassifier("translation", lift=lift).fit(images[train], y[train])
print(f"expected from the 50 labelled images alone: {clf.loo_score_:.2f}")

# %%
# The others see the same images as rows of 144 numbers.


def flat(pictures):
    """Images as rows."""
    return pictures.reshape(len(pictures), -1)


scores = {"redunet": (clf.score(images[test], y[test]), clf.score(moved, y[test]))}
for name, model in (("support vectors", SVC()), ("nearest neighbour", KNeighborsClassifier(1))):
    model.fit(flat(images[train]), y[train])
    scores[name] = model.score(flat(images[test]), y[test]), model.score(flat(moved), y[test])
for name, (still, anywhere) in scores.items():
    print(f"{name:20s}{still:.3f} in the middle, {anywhere:.3f} anywhere")
changed = int((clf.predict(moved) != clf.predict(images[test])).sum())
print(f"answers that changed with the place: {changed} of {len(test)}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", width_ratios=[1, 1.1])
first = [np.flatnonzero(y[test] == digit)[0] for digit in range(10)]
rows = [images[test][first[:5]], moved[first[:5]], images[test][first[5:]], moved[first[5:]]]
plot.images(np.concatenate(rows), left, columns=5).set_title("in the middle, and anywhere with the answer", pad=12)
for number, answer in enumerate(clf.predict(moved[first])):
    row, column = divmod(number, 5)
    for field in (2 * row, 2 * row + 1):
        left.add_patch(plt.Rectangle((13 * column - 0.6, 13 * field - 0.6), 12.2, 12.2, fill=False, edgecolor="0.8"))
    colour = plot.COLOURS[2] if answer == number else plot.COLOURS[1]
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    left.text(13 * column + 11, 26 * row + 13.6, str(answer), ha="right", va="top", color=colour, bbox=box)
place = np.arange(len(scores))
right.barh(place - 0.19, [still for still, _ in scores.values()], 0.36, color=plot.COLOURS[5], label="in the middle")
right.barh(place + 0.19, [anywhere for _, anywhere in scores.values()], 0.36, color=plot.COLOURS[1], label="anywhere")
right.set(yticks=place, yticklabels=list(scores), xlim=(0, 1), xlabel="accuracy, 5 labels per digit")
right.invert_yaxis()
right.legend(loc="upper center", bbox_to_anchor=(0.5, 1.18), ncols=2)
plt.show()
