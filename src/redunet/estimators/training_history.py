"""What training did to a classifier, epoch by epoch, as seen on samples that had no part in it."""

from dataclasses import dataclass

from ..numerics.arrays import Array
from ..storage.expectations import expect, expect_numbers
from ..storage.stored_types import stored_record


@stored_record()
@dataclass(frozen=True, eq=False)
class TrainingHistory:
    """Losses and accuracies of a training; entry 0 is the start, entry e the model after e epochs.

    Parameters
    ----------
    parts : tuple of str
        What was trained: "answer", "layers", "lift".
    loss : float array, shape (n_epochs,)
        Mean loss of the training samples during each epoch.
    held_out_loss : float array, shape (n_epochs + 1,)
        Minus the mean logarithm of the probability of the label, of samples held out.
    held_out_accuracy : float array, shape (n_epochs + 1,)
        Share of these samples that were classified correctly.
    n_held_out : int
        How many they were.
    chosen_epoch : int
        How many epochs the model was trained for in the end; 0 where the start was kept.
    was_trained : bool
        Whether the start had been trained before.
    """

    parts: tuple[str, ...]
    loss: Array
    held_out_loss: Array
    held_out_accuracy: Array
    n_held_out: int
    chosen_epoch: int
    was_trained: bool = False

    @property
    def is_of_trained(self) -> bool:
        """Whether the model is one that no fit could build: it was trained this time, or before."""
        return self.was_trained or not self.start_was_kept

    @property
    def start_was_kept(self) -> bool:
        """Whether no epoch answered the samples held out better than the start, beyond chance."""
        return self.chosen_epoch == 0

    def __repr__(self) -> str:
        before, after = self.held_out_accuracy[0], self.held_out_accuracy[self.chosen_epoch]
        outcome = "the start was kept" if self.start_was_kept else f"epoch {self.chosen_epoch} was kept"
        return (
            f"TrainingHistory({len(self.loss)} epochs of {', '.join(self.parts)}; {outcome}; accuracy on "
            f"{self.n_held_out} samples held out {before:.4f} → {after:.4f})"
        )

    def check_stored(self) -> None:
        """Refuse a history that came from a file and does not fit together."""
        expect(
            isinstance(self.parts, tuple) and all(isinstance(part, str) for part in self.parts), "parts are no words"
        )
        n_epochs = len(self.loss) if getattr(self.loss, "ndim", 0) == 1 else -1
        expect(n_epochs >= 0, "the training history has no losses")
        expect_numbers(self.loss, (n_epochs,), "the training history")
        for values in (self.held_out_loss, self.held_out_accuracy):
            expect_numbers(values, (n_epochs + 1,), "the training history")
        for number in (self.n_held_out, self.chosen_epoch):
            expect(type(number) is int and number >= 0, "the training history has no numbers")
        expect(isinstance(self.was_trained, bool), "the training history does not say what the start was")
        expect(self.chosen_epoch <= n_epochs, "the training history ends before the epoch that was kept")
