"""What the training samples choose: the measure and its option by leave-one-out, the depth by samples held out.

Leaving one sample out of its class is exact and costs next to nothing while there are no layers.
"""

from dataclasses import dataclass, replace
from typing import Any

from ..measures.left_out import Choices, LeftOutSamples
from ..measures.registry import answer_measure
from ..network.recipe import Recipe
from ..numerics.arrays import Array
from .depth import DepthEvidence, depth_by_evidence
from .leave_one_out import Evidence, LeftOutAnswers, best_answers, judged_score, leave_one_out
from .moment_set import Training

# Values of options to choose from.
SHARPNESS_CHOICES = (20.0, 50.0, 200.0)


@dataclass(frozen=True)
class OpenChoices:
    """What is left to the evidence, and what there is to choose from.

    Parameters
    ----------
    memberships : tuple of str
        Names of measures; of equally good ones the first is taken.
    choices : Choices
        Values of the option of each measure.
    sharpness : tuple of float
        Values of λ.
    depth : bool
        Whether the number of layers is to be chosen, too.
    """

    memberships: tuple[str, ...]
    choices: Choices
    sharpness: tuple[float, ...]
    depth: bool


@dataclass(frozen=True, eq=False)
class Chosen:
    """What the evidence chose.

    Parameters
    ----------
    recipe : Recipe
        With everything filled in.
    evidence : Evidence
        Of the measure that answers, for each value of its option.
    rank : int or None
        Dimension of class subspaces, where samples are measured by them.
    score : float
        Accuracy to expect before any layer: what samples say that had no part in the choice.
    answers : LeftOutAnswers
        Of the measure that answers.
    depth_scores : array or None
        Accuracy on held-out samples after 0, 1, … layers; None where no depth was chosen.
    held_out : DepthEvidence or None
        What layers did to samples that were held out, down to the depth that was chosen at least; None where no depth
        was chosen.
    """

    recipe: Recipe
    evidence: Evidence
    rank: int | None
    score: float
    answers: LeftOutAnswers
    depth_scores: Array | None = None
    held_out: DepthEvidence | None = None


def choose(training: Training, recipe: Recipe, left_open: OpenChoices) -> Chosen:
    """Fill in what was left open, by evidence from the training samples alone."""
    chosen = choose_measure(training.some, recipe, left_open.memberships, left_open.choices)
    recipe = chosen.recipe
    recipes = [replace(recipe, sharpness=sharpness) for sharpness in left_open.sharpness]
    if not recipe.n_layers or not (left_open.depth or len(recipes) > 1):
        return chosen
    no_mistake = chosen.evidence.best_score == 1  # no layer can do better
    if no_mistake and left_open.depth and len(recipes) == 1:
        return replace(chosen, recipe=replace(recipe, n_layers=0))
    found = depth_by_evidence(training, recipes)
    if found is None:  # classes too small to hold anything out: no evidence, no layers
        return replace(chosen, recipe=replace(recipe, n_layers=0) if left_open.depth else recipe)
    held_out = found if left_open.depth else None  # else it may end before the last layer
    return replace(chosen, recipe=_cut(found, left_open.depth), depth_scores=found.scores, held_out=held_out)


def choose_measure(some: LeftOutSamples, recipe: Recipe, memberships: tuple[str, ...], choices: Choices) -> Chosen:
    """The measure, and the value of its option, that classifies most samples correctly that it has not seen."""
    questions = {name: answer_measure(name).left_out(some, choices) for name in memberships}
    asked = {name: question for name, question in questions.items() if question is not None}
    found = leave_one_out(some, list(asked.values()))
    number, value = best_answers(found)
    answers, name = found[number], list(asked)[number]
    best: dict[str, Any] = {answers.option: answers.values[value]}
    recipe = replace(recipe, membership=name, **best)
    return Chosen(recipe, answers.evidence(), best.get("rank"), judged_score(found), answers)


def _cut(found: DepthEvidence, at_best_depth: bool) -> Recipe:
    """The recipe that classified held-out samples best, cut at its best depth if that was to be chosen."""
    return replace(found.recipe, n_layers=found.depth) if at_best_depth else found.recipe
