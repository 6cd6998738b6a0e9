"""All experiments, in the order of the report."""

from . import gaussian_mixtures, mnist_pairs, sinusoids, small_tables, ten_classes, trained_digits
from .experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for room in (gaussian_mixtures, sinusoids, mnist_pairs, small_tables, ten_classes, trained_digits)
    for experiment in room.EXPERIMENTS
}
