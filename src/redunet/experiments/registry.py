"""All experiments, in the order of the report."""

from . import gaussians, mnist_pairs, sinusoids, tabular, ten_classes
from .experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for room in (gaussians, sinusoids, mnist_pairs, tabular, ten_classes)
    for experiment in room.EXPERIMENTS
}
