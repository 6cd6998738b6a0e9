"""The paper's first experiment: Gaussians on S¹ and S² end up at right angles."""

import numpy as np
import pytest

from redunet import ReduNet
from redunet.data.gaussians import gaussians_on_sphere
from redunet.experiments.published_constants import PUBLISHED_OPTIONS


@pytest.mark.parametrize(
    "means", [[[1.0, 0.2], [0.4, 1.0]], [[1.0, 0.3, 0.1], [0.2, 1.0, -0.3], [-0.2, 0.3, 1.0]]], ids=["S1", "S2"]
)
def test_classes_end_up_at_right_angles_and_the_rate_reduction_only_grows(means):
    means = np.array(means) / np.linalg.norm(means, axis=1, keepdims=True)
    X, y = gaussians_on_sphere(means, sigma=0.1, n_per_class=500, random_state=0)
    new, new_y = gaussians_on_sphere(means, sigma=0.1, n_per_class=500, random_state=1)
    options = PUBLISHED_OPTIONS | {"eps": 0.1}  # as the text says it; the release has ε² = 0.1
    net = ReduNet(n_layers=2000, step_size=0.5, **options).fit(X, y)
    assert (np.diff(net.history_.rate_reduction) >= 0).all()
    assert net.history_.rate_reduction[-1] > 1.3 * net.history_.rate_reduction[0]
    for samples, labels in [(X, y), (new, new_y)]:
        features = net.transform(samples)
        directions = np.array([features[labels == j].mean(axis=0) for j in range(len(means))])
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        angles = np.degrees(np.arccos(np.clip(directions @ directions.T, -1, 1)))
        assert np.abs(angles[np.triu_indices(len(means), 1)] - 90).max() < 1
        spread = np.degrees(np.arccos(np.clip((features * directions[labels]).sum(axis=1), -1, 1)))
        assert np.median(spread) < 0.1
