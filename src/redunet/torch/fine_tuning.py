"""A classifier that was built forward, trained further: check -> hold out -> train -> judge -> train on all -> keep."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from sklearn.utils import check_random_state

from ..estimators.answering import InvariantAnswers
from ..evidence.calibration import Calibration
from ..inputs.errors import InputError, InputTypeError, Option
from ..inputs.parameters import check_choice, check_positive, check_whole
from ..numerics.arrays import Array
from ..storage.checkpoint import Checkpoint, Progress
from ..storage.fit_identity import digest_of, identity_of
from ..terminal.progress import write_note
from .classifier_module import ClassifierModule
from .conversion import estimator_of, module_of
from .deformation import Deformation
from .held_out import Judge, Samples, Verdicts, is_trained, judges_of, read_samples, start_without
from .rate_training import MinusRateReduction, with_closed_form_answers
from .training import Augmentation, Training, TrainingPlan, cross_entropy, trained_parameters

PARTS = ("answer", "layers", "lift")
LOSSES = ("cross_entropy", "rate_reduction")
STAGES = ("held out", "all samples")


class Epoch(NamedTuple):
    """What one epoch did.

    Parameters
    ----------
    stage : "held out" or "all samples"
        Whether samples are held out to judge it by.
    number, n_epochs : int
    loss : float
        Mean loss of the training samples.
    accuracy, start_accuracy : float
        On the samples held out, after this epoch and at the start; NaN where none are.
    """

    stage: str
    number: int
    n_epochs: int
    loss: float
    accuracy: float
    start_accuracy: float

    def __str__(self) -> str:
        seen = ""
        if not np.isnan(self.accuracy):
            seen = f", accuracy on samples held out {self.accuracy:.4f} (start {self.start_accuracy:.4f})"
        return f"{self.stage}: epoch {self.number} of {self.n_epochs}, loss {self.loss:.4f}{seen}"


def fine_tune(
    clf: Any,
    X: Any,
    y: Any,
    *,
    what: Sequence[str] = PARTS,
    loss: str = "cross_entropy",
    n_epochs: int = 20,
    batch_size: int = 100,
    rate: float = 5e-4,
    augment: Any = "auto",
    held_out: Any = 0.1,
    sample_weight: Any = None,
    random_state: Any = 0,
    device: Any = None,
    checkpoint: Any = None,
    verbose: int = 0,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> Any:
    """Train a classifier further by gradients, and keep its guarantee: no shift can change an answer.

    Some samples are held out. The classifier is built again without them, trained, and judged by them: which epoch was
    best, and whether it is better than its start beyond chance. If so, the classifier itself is trained on all samples
    for as many epochs; if not, it is returned as it is, and its ``training_history_`` says so.

    Parameters
    ----------
    clf : ReduNetClassifier or NearestSubspaceClassifier
        Fitted. It is not changed.
    X : array-like, in the layout of fit
        The samples that it was fitted on, or more of them.
    y : array-like, shape (n_samples,)
        Their labels, of classes that it knows.
    what : sequence of "answer", "layers", "lift", default=all of them
        Which parts are trained.
    loss : "cross_entropy" or "rate_reduction", default="cross_entropy"
        What is made small: minus the logarithm of the probability of the label, or minus the rate reduction ΔR of the
        features. With ΔR the answer is not trained: after each epoch it is the closed-form one of the new features.
    n_epochs : int, default=20
        How often all samples are passed, at most.
    batch_size : int, default=100
    rate : float, default=5e-4
        Size of the largest steps, in units of the numbers that are trained.
    augment : "auto", "deform", None or callable, default="auto"
        "deform" shows samples with small random deformations (:class:`redunet.torch.Deformation`); "auto" does so for
        images and volumes. A callable is given a batch (a tensor) and a ``torch.Generator``, and gives another batch.
    held_out : float or pair (X, y), default=0.1
        Share of the samples that judge the training, or other samples for it. With other samples the classifier is
        trained as it is, and nothing is built again.
    sample_weight : array-like, shape (n_samples,), optional
        How often each sample counts.
    random_state : int, RandomState or None, default=0
    device : str or torch.device, optional
        "cuda" where there is one, else "cpu".
    checkpoint : str, path or Checkpoint, optional
        Folder to keep progress in. After a crash the same call goes on there, and ends with the same numbers.
    verbose : int, default=0
        Write a line for each epoch.
    on_epoch : callable, optional
        Called with an :class:`Epoch` after each.

    Returns
    -------
    classifier of the class of clf
        With ``training_history_``; ``loo_score_`` is the accuracy on the samples held out.
    """
    parts = _check_options(clf, what, loss, n_epochs, batch_size, rate)
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    samples = read_samples(clf, X, y, sample_weight)
    judges = judges_of(clf, samples, held_out, seed)
    measured_by = MinusRateReduction(clf) if loss == "rate_reduction" else cross_entropy
    augmentation = _augmentation(clf, augment)
    plan = TrainingPlan(parts, n_epochs, batch_size, float(rate), measured_by, augmentation, seed)
    place = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    where = Checkpoint.of(checkpoint)
    tuning = FineTuning(clf, samples, judges, plan, place, _teller(verbose, on_epoch))
    if where is None:
        return tuning.run(None)
    options = {"parts": parts, "loss": loss, "n_epochs": n_epochs, "batch_size": batch_size, "rate": float(rate)}
    options |= {"seed": seed, "augment": getattr(augment, "__qualname__", None) or repr(augment)}
    arrays = [*samples, *(array for judge in judges for array in (judge.is_held_out, *judge.samples))]
    identity = identity_of(clf, arrays, clf.classes_, {"network": clf.network_, "answers": clf.answers_})
    identity["parameters"] = digest_of({"estimator": identity["parameters"], **options}, "options")
    with Progress(where, identity) as progress:
        found = tuning.run(progress)
        progress.done()
    return found


class FineTuning:
    """One training of a classifier: first without the samples that judge it, then with all.

    Parameters
    ----------
    clf : classifier
        Fitted; it is not changed.
    samples : Samples
        All samples.
    judges : list of Judge
        What judges it: a training without each.
    plan : TrainingPlan
    device : torch.device
    tell : callable
        Is told of each :class:`Epoch`.
    """

    def __init__(
        self,
        clf: Any,
        samples: Samples,
        judges: list[Judge],
        plan: TrainingPlan,
        device: torch.device,
        tell: Callable[[Epoch], None],
    ) -> None:
        self.clf, self.samples, self.judges, self.plan = clf, samples, judges, plan
        self.device, self.tell = device, tell

    def run(self, progress: Progress | None) -> Any:
        """The classifier after training, or as it was; with the history of the training."""
        saved = SavedTraining(progress)
        best = None
        while len(saved.verdicts) < len(self.judges):
            found, best = self._judge(self.judges[len(saved.verdicts)], saved)
            saved.verdicts.append(found)
        verdicts = Verdicts.together(saved.verdicts)
        history = verdicts.history(self.plan.parts, was_trained=is_trained(self.clf))
        if history.start_was_kept:
            found = copy(self.clf)
        else:
            if best is None:
                best = self._train_on_all(history.chosen_epoch, saved)
            found = best
            sharpness, doubt, _ = verdicts.calibrations[history.chosen_epoch]
            found._keep_calibration(Calibration(sharpness, doubt, found._class_offsets))
            found.loo_score_ = float(history.held_out_accuracy[history.chosen_epoch])
        found.training_history_ = history
        return found

    def _judge(self, judge: Judge, saved: "SavedTraining") -> tuple[Verdicts, Any]:
        """Train without the samples held out: what each epoch does to them.

        And the classifier of the best epoch, where no samples had to be left out for it.
        """
        some = self.samples.rows(~judge.is_held_out)
        start = start_without(self.clf, some) if judge.is_held_out.any() else self.clf
        training = self._training(start, some, self.plan.n_epochs)
        verdicts = saved.restore(training) or Verdicts.of_start(start, judge.samples)
        best = None
        while training.n_epochs_done < self.plan.n_epochs:
            loss = training.epoch()
            now = self._classifier(training, some)
            verdicts = verdicts.after(loss, now, judge.samples)
            if not judge.is_held_out.any() and verdicts.best_epoch == training.n_epochs_done:
                best = now
            self.tell(self._judged_epoch(len(saved.verdicts) + 1, verdicts))
            saved.offer(training, verdicts)
        return verdicts, best

    def _judged_epoch(self, part: int, verdicts: Verdicts) -> Epoch:
        """What the last epoch did to the samples of a part."""
        stage = STAGES[0] if len(self.judges) == 1 else f"{STAGES[0]}, part {part} of {len(self.judges)}"
        losses, accuracies = verdicts.losses, verdicts.accuracies
        return Epoch(stage, len(losses), self.plan.n_epochs, losses[-1], accuracies[-1], accuracies[0])

    def _train_on_all(self, n_epochs: int, saved: "SavedTraining") -> Any:
        """The classifier itself, trained on all samples for so many epochs, in which the rate rises and falls.

        Where it was trained on all of them already, and interrupted, it is trained as it was.
        """
        built_again = self.judges[0].is_held_out.any()
        training = self._training(self.clf, self.samples, n_epochs if built_again else self.plan.n_epochs)
        saved.restore(training, judged=False)
        while training.n_epochs_done < n_epochs:
            loss = training.epoch()
            self.tell(Epoch(STAGES[1], training.n_epochs_done, n_epochs, loss, np.nan, np.nan))
            saved.offer(training, None)
        return self._classifier(training, self.samples)

    def _training(self, start: Any, samples: Samples, n_epochs: int) -> Training:
        """A start, ready to be trained in single precision."""
        module: ClassifierModule = module_of(start).to(device=self.device, dtype=torch.float32)
        X = torch.from_numpy(np.ascontiguousarray(samples.X, dtype=np.float32)).to(self.device)
        codes, weights = (torch.from_numpy(one).to(self.device) for one in (samples.codes, samples.weights))
        plan = replace(self.plan, n_epochs=n_epochs)
        return Training(module, X, codes.long(), weights.float(), plan)

    def _classifier(self, training: Training, samples: Samples) -> Any:
        """The classifier that a training has come to."""
        found = estimator_of(training.averaged)
        if isinstance(self.plan.loss, MinusRateReduction):
            return with_closed_form_answers(found, *samples)
        return found


class SavedTraining:
    """How far a training has come, in a file, and what an interrupted call of the same one left there.

    Parameters
    ----------
    progress : Progress or None
        None keeps nothing.

    Attributes
    ----------
    verdicts : list of Verdicts
        Of the trainings that are done.
    """

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress
        self.verdicts: list[Verdicts] = []
        self._left: dict[str, Array] = {}
        if progress is not None and progress.left is not None:
            file, progress.left = progress.left, None
            with progress.reading():
                self._left = {name: file.array(name) for name in file.names}
                done = range(int(file.text["trainings done"]))
                self.verdicts = [Verdicts.of_arrays(f"verdict {i}", self._left) for i in done]

    def restore(self, training: Training, *, judged: bool = True) -> Verdicts | None:
        """Bring a training to where it was, once; what had been said of it so far, if anything."""
        left, self._left = self._left, {}
        if self.progress is None or not left or ("now losses" in left) != judged:
            return None
        with self.progress.reading():
            training.restore(left)
            return Verdicts.of_arrays("now", left) if judged else None

    def offer(self, training: Training, verdicts: Verdicts | None) -> None:
        """Write the training if it is time to; to be called after each epoch."""
        if self.progress is None or not self.progress.is_due():
            return
        arrays = training.state() | ({} if verdicts is None else verdicts.arrays("now"))
        for i, one in enumerate(self.verdicts):
            arrays |= one.arrays(f"verdict {i}")
        self.progress.write({"trainings done": len(self.verdicts)}, arrays)


def _check_options(
    clf: Any, what: Sequence[str], loss: str, n_epochs: int, batch_size: int, rate: float
) -> tuple[str, ...]:
    """Refuse options that no training could go with; the parts that are trained, else."""
    if not isinstance(clf, InvariantAnswers):
        raise InputTypeError(
            f"fine_tune takes a fitted ReduNetClassifier or NearestSubspaceClassifier, got {type(clf).__name__}."
        )
    asked = (what,) if isinstance(what, str) else tuple(what)
    for part in asked:
        check_choice("what", part, PARTS)
    check_choice("loss", loss, LOSSES)
    check_whole("n_epochs", n_epochs, 1)
    check_whole("batch_size", batch_size, 1)
    check_positive("rate", rate)
    module = module_of(clf)
    usable = [part for part in PARTS if part in asked and not (part == "answer" and loss == "rate_reduction")]
    parts = tuple(part for part in usable if any(True for _ in trained_parameters(module, (part,))))
    if not parts:
        raise InputError(
            "there is nothing to train: {what} of this classifier, with {loss}, have no numbers that a gradient can "
            "change; pass more of 'answer', 'layers' and 'lift', or another loss.",
            what=Option("what", asked),
            loss=Option("loss", loss),
        )
    return parts


def _augmentation(clf: Any, augment: Any) -> Augmentation | None:
    """What makes other samples of a batch."""
    n_axes = len(clf.sample_shape_) - 1
    if augment is None or callable(augment):
        return augment
    check_choice("augment", augment, ("auto", "deform"))
    if augment == "auto":
        return Deformation() if n_axes > 1 else None
    if not n_axes:
        raise InputError(
            "{augment} moves values along cyclic axes, and samples of this classifier are plain vectors; pass "
            "{none}, or a callable.",
            augment=Option("augment", augment),
            none=Option("augment", None),
        )
    return Deformation()


def _teller(verbose: int, on_epoch: Callable[[Epoch], None] | None) -> Callable[[Epoch], None]:
    """What is told of each epoch: a line on the error stream if verbose, and what was given."""

    def tell(epoch: Epoch) -> None:
        if verbose:
            write_note(str(epoch))
        if on_epoch is not None:
            on_epoch(epoch)

    return tell
