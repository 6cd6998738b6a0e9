"""Training a classifier further: judged by samples held out, invariant bit for bit, and able to keep its start."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_digits, load_wine

pytest.importorskip("torch", reason="PyTorch is not installed")
import torch

import redunet
from redunet import Lift, NearestSubspaceClassifier, ReduNetClassifier
from redunet.inputs.errors import InputError, InputTypeError
from redunet.torch import Deformation, estimator_of, fine_tune, module_of, random_start, rate_reduction

# Enough training for small digits.
LONG = {"n_epochs": 6, "batch_size": 25, "rate": 1e-2}


def digits(n=400, first=0):
    """Small digits in any order, with a margin that they can move in."""
    X, y = load_digits(return_X_y=True)
    images = np.pad(X.reshape(-1, 1, 8, 8), ((0, 0), (0, 0), (1, 1), (1, 1))).astype(np.float32)
    some = np.random.default_rng(0).permutation(len(y))[first : first + n]
    return images[some], y[some]


def poor_classifier(X, y, **options):
    """Few random filters and one direction for each class: there is much to learn."""
    lift = Lift("random", 4, 3, "relu", random_state=0)
    options = {"n_layers": 0, "rank": 1, "membership": "subspace", **options}
    return ReduNetClassifier("translation", lift=lift, **options).fit(X, y)


@pytest.fixture(scope="module")
def trained():
    X, y = digits(600)
    start = poor_classifier(X, y)
    return X, y, start, fine_tune(start, X, y, augment=None, **LONG)


def test_training_gains_on_new_samples_where_there_is_much_to_gain(trained):
    _, _, start, found = trained
    new, y = digits(1000, first=600)
    assert found.score(new, y) > start.score(new, y) + 0.02
    history = found.training_history_
    assert 1 <= history.chosen_epoch <= 6
    assert not history.start_was_kept
    assert history.held_out_loss[history.chosen_epoch] < history.held_out_loss[0]
    assert history.loss[-1] < history.loss[0]
    assert found.loo_score_ == history.held_out_accuracy[history.chosen_epoch]


def test_every_translation_has_the_same_bits_after_training(trained):
    X, _, _, found = trained
    expected = found.predict_proba(X[:5])
    for shift in np.ndindex(10, 10):
        assert_array_equal(found.predict_proba(np.roll(X[:5], shift, axis=(2, 3))), expected)


def test_the_start_is_not_changed_by_training(trained):
    X, y, start, _ = trained
    assert start.training_history_ is None
    assert_array_equal(start.predict_proba(X), poor_classifier(X, y).predict_proba(X))


def test_the_same_call_gives_the_same_bits(trained):
    X, y, start, found = trained
    again = fine_tune(start, X, y, augment=None, **LONG)
    assert_array_equal(again.predict_proba(X), found.predict_proba(X))


def test_files_hold_a_trained_classifier_and_its_history(trained, tmp_path):
    X, _, _, found = trained
    found.save(tmp_path / "m.redunet")
    loaded = redunet.load(tmp_path / "m.redunet")
    assert_array_equal(loaded.predict_proba(X), found.predict_proba(X))
    assert repr(loaded.training_history_) == repr(found.training_history_)
    assert_array_equal(loaded.training_history_.held_out_loss, found.training_history_.held_out_loss)


def test_a_trained_classifier_explains_and_becomes_a_module_again(trained):
    X, _, _, found = trained
    explained = found.explain(X[:3])
    assert_array_equal(explained.nearest, found.predict(X[:3]))
    assert_array_equal(estimator_of(module_of(found)).predict(X), found.predict(X))


def test_a_fit_forgets_that_there_was_training(trained):
    X, y, _, found = trained
    again = fine_tune(found, X, y, n_epochs=1)
    assert again.training_history_ is not None
    again.fit(X, y)
    assert again.training_history_ is None


def test_the_start_is_kept_where_labels_say_nothing():
    X, y = digits(200)
    y = np.random.default_rng(0).permutation(y)
    start = poor_classifier(X, y)
    found = fine_tune(start, X, y, n_epochs=3, batch_size=40, rate=5e-3)
    assert found.training_history_.start_was_kept
    assert "the start was kept" in repr(found.training_history_)
    assert_array_equal(found.predict_proba(X), start.predict_proba(X))
    assert found.loo_score_ == start.loo_score_


@pytest.mark.parametrize("interrupted_at", [2, 9, 32])
def test_an_interrupted_training_goes_on_and_ends_with_the_same_bits(trained, tmp_path, interrupted_at):
    X, y, start, found = trained
    checkpoint = redunet.Checkpoint(tmp_path, layers=1)  # written after each epoch
    epochs = []

    def interrupt(epoch):
        epochs.append(epoch)
        if len(epochs) == interrupted_at:
            raise KeyboardInterrupt

    options = {**LONG, "augment": None, "checkpoint": checkpoint}
    with pytest.raises(KeyboardInterrupt):
        fine_tune(start, X, y, on_epoch=interrupt, **options)
    went_on = []
    again = fine_tune(start, X, y, on_epoch=went_on.append, **options)
    assert went_on[0][:2] == epochs[-1][:2]  # the epoch of the interrupt was not written yet
    assert_array_equal(again.predict_proba(X), found.predict_proba(X))
    assert not list(tmp_path.glob("progress*"))


def test_an_interrupted_training_that_others_judge_goes_on_with_the_same_bits(tmp_path):
    X, y = digits()
    start = poor_classifier(X[:300], y[:300])
    options = {**LONG, "held_out": (X[300:], y[300:]), "checkpoint": redunet.Checkpoint(tmp_path, layers=1)}
    found = fine_tune(start, X[:300], y[:300], **options)
    for last in (3, 6):

        def interrupt(epoch, last=last):
            if epoch.number == last:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fine_tune(start, X[:300], y[:300], on_epoch=interrupt, **options)
        again = fine_tune(start, X[:300], y[:300], **options)
        assert_array_equal(again.predict_proba(X), found.predict_proba(X))


def test_a_rate_that_leads_nowhere_is_an_error_with_a_remedy():
    X, y = digits(100)
    start = poor_classifier(X, y)
    with pytest.raises(InputError, match="pass a smaller rate than 1e\\+30"):
        fine_tune(start, X, y, n_epochs=2, rate=1e30, held_out=(X, y))


def test_a_trained_classifier_whose_start_is_kept_is_still_a_trained_one(trained):
    X, y, start, found = trained
    again = fine_tune(found, X, y, n_epochs=1, rate=1e-9)
    assert again.training_history_.start_was_kept
    assert again.training_history_.was_trained
    kept = fine_tune(start, X, y, n_epochs=1, rate=1e-9)
    assert kept.training_history_.start_was_kept
    assert not kept.training_history_.is_of_trained


def test_the_progress_of_another_training_is_refused(trained, tmp_path):
    X, y, start, _ = trained
    checkpoint = redunet.Checkpoint(tmp_path, layers=1)

    def interrupt(epoch):
        if epoch.number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fine_tune(start, X, y, n_epochs=3, checkpoint=checkpoint, on_epoch=interrupt)
    with pytest.raises(InputError, match="another fit: its parameters were others"):
        fine_tune(start, X, y, n_epochs=3, rate=1e-3, checkpoint=checkpoint)


def test_other_samples_may_judge():
    X, y = digits()
    start = poor_classifier(X[:300], y[:300])
    seen = []
    found = fine_tune(
        start, X[:300], y[:300], held_out=(X[300:], y[300:]), n_epochs=4, batch_size=40, rate=5e-3, on_epoch=seen.append
    )
    assert [epoch.stage for epoch in seen] == ["held out"] * 4  # nothing is trained twice
    history = found.training_history_
    assert history.n_held_out == 100
    assert found.score(X[300:], y[300:]) == pytest.approx(history.held_out_accuracy[history.chosen_epoch])
    assert history.held_out_accuracy[0] == pytest.approx(start.score(X[300:], y[300:]))


def test_samples_of_weight_zero_are_left_out():
    X, y = digits(200)
    weights = np.ones(len(y))
    weights[:30] = 0
    start = poor_classifier(X[30:], y[30:])
    one = fine_tune(start, X, y, sample_weight=weights, n_epochs=2, batch_size=40, rate=5e-3)
    other = fine_tune(start, X[30:], y[30:], n_epochs=2, batch_size=40, rate=5e-3)
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    for name in ("loss", "held_out_loss", "n_held_out"):
        assert_array_equal(getattr(one.training_history_, name), getattr(other.training_history_, name))


def test_layers_are_trained_and_nothing_else_where_that_is_asked_for():
    X, y = digits(200)
    start = poor_classifier(X, y, n_layers=2, membership="softmax")
    given = dict(module_of(start).named_parameters())
    found = fine_tune(start, X, y, what="layers", held_out=(X, y), n_epochs=1, batch_size=40, rate=5e-2)
    if not found.training_history_.start_was_kept:
        now = dict(module_of(found).named_parameters())
        for name, values in given.items():
            is_same = torch.allclose(now[name], values, atol=1e-6)
            assert is_same == (not name.startswith("layers") or "class_share" in name), name


def test_training_by_the_rate_reduction_raises_it():
    X, y = digits(300)
    start = poor_classifier(X, y)
    found = fine_tune(
        start, X, y, loss="rate_reduction", held_out=(X, y), n_epochs=6, batch_size=300, rate=2e-2, augment=None
    )
    rates = []
    for one in (start, found):
        features = module_of(one).features(torch.from_numpy(X)).detach()
        rates.append(float(rate_reduction(features, torch.from_numpy(y), start.eps_, invariance="translation")))
    history = found.training_history_
    assert history.parts == ("lift",)  # there are no layers, and the answer follows in closed form
    assert history.loss[-1] < history.loss[0] < 0  # minus the rate reduction
    assert history.start_was_kept or rates[1] > rates[0]


def test_plain_vectors_and_nearest_subspaces_are_trained_too():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for start in (ReduNetClassifier(n_layers=1).fit(X, y), NearestSubspaceClassifier(rank=2).fit(X, y)):
        found = fine_tune(start, X, y, n_epochs=2, held_out=0.2)
        assert found.score(X, y) > 0.9
        assert len(found.training_history_.loss) == 2


def test_verbose_writes_a_line_for_each_epoch(capsys):
    X, y = digits(120)
    fine_tune(poor_classifier(X, y), X, y, n_epochs=2, verbose=1, held_out=(X, y))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("redunet: held out: epoch 1 of 2, loss ")
    assert "accuracy on samples held out" in lines[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"what": ("answer", "everything")}, "what must be one of"),
        ({"what": ()}, "nothing to train"),
        ({"what": "layers"}, "nothing to train"),
        ({"loss": "hinge"}, "loss must be one of"),
        ({"what": "answer", "loss": "rate_reduction"}, "nothing to train"),
        ({"n_epochs": 0}, "n_epochs"),
        ({"batch_size": 0}, "batch_size"),
        ({"rate": -1.0}, "rate"),
        ({"held_out": 0.9}, "held_out must be a share"),
        ({"held_out": (1, 2, 3)}, "held_out must be a share, or a pair"),
        ({"augment": "mirror"}, "augment must be one of"),
    ],
)
def test_bad_options_are_refused_before_any_work(options, message):
    X, y = digits(100)
    start = poor_classifier(X, y)
    with pytest.raises(InputError, match=message):
        fine_tune(start, X, y, **options)


def test_what_cannot_be_trained_is_refused():
    X, y = load_wine(return_X_y=True)
    start = ReduNetClassifier(n_layers=0).fit(X, y)
    with pytest.raises(InputError, match="plain vectors"):
        fine_tune(start, X, y, augment="deform")
    with pytest.raises(InputError, match="class 0 has 2 samples"):
        fine_tune(start, X[np.r_[:2, 60:178]], y[np.r_[:2, 60:178]])
    with pytest.raises(InputError, match="label 7, which is not among"):
        fine_tune(start, X, y + 7)
    with pytest.raises(InputTypeError, match="fine_tune takes a fitted"):
        fine_tune(Lift(), X, y)


def test_a_random_start_has_the_same_architecture_and_knows_nothing():
    X, y = digits(300)
    start = poor_classifier(X, y, n_layers=1, membership="softmax")
    found = random_start(start, 0)
    assert found.score(X, y) < 0.4 < start.score(X, y)
    shapes = [{name: p.shape for name, p in module_of(one).named_parameters()} for one in (start, found)]
    assert shapes[0] == shapes[1]
    assert_array_equal(random_start(start, 0).predict_proba(X), found.predict_proba(X))


def test_signals_of_unequal_lengths_are_refused():
    rng = np.random.default_rng(0)
    X = [rng.standard_normal(30 + i % 5) for i in range(24)]
    y = np.arange(24) % 2
    clf = ReduNetClassifier("shift", lift="pooled").fit(X, y)
    with pytest.raises(InputError, match="unequal lengths, which cannot be trained with"):
        fine_tune(clf, X, y)


def test_deformations_are_small_and_random_and_none_at_amount_zero():
    X = torch.from_numpy(digits(20)[0])
    none = Deformation(0.0)(X, torch.Generator().manual_seed(0))
    assert torch.allclose(none, X, atol=1e-5)
    one, other = (Deformation()(X, torch.Generator().manual_seed(seed)) for seed in (0, 1))
    assert not torch.allclose(one, other)
    assert torch.equal(one, Deformation()(X, torch.Generator().manual_seed(0)))
    near = torch.nn.functional.cosine_similarity(one.flatten(1), X.flatten(1))
    assert near.min() > 0.6
    assert near.max() < 0.9999
    signals = torch.randn((3, 2, 50)).cumsum(dim=2)
    assert Deformation()(signals, torch.Generator().manual_seed(0)).shape == signals.shape


def test_rings_are_deformed_in_the_plane_of_the_image():
    from redunet import PolarGrid
    from redunet.torch import RingDeformation

    images = load_digits().images[:20].astype(np.float32)
    grid = PolarGrid(3, 16).fit(images)
    X = torch.from_numpy(grid.transform(images).astype(np.float32))
    none = RingDeformation(grid, 0.0)(X, torch.Generator().manual_seed(0))
    assert torch.allclose(none, X, atol=1e-3)
    found = RingDeformation(grid)(X, torch.Generator().manual_seed(0))
    assert found.shape == X.shape
    assert torch.nn.functional.cosine_similarity(found.flatten(1), X.flatten(1)).min() > 0.7
    assert not torch.allclose(found, X, atol=0.1)


def test_values_between_positions_are_interpolated_on_a_circle():
    from redunet.torch.deformation import interpolated

    X = torch.arange(12.0).reshape(1, 1, 3, 4)
    rows, columns = torch.meshgrid(torch.arange(3.0), torch.arange(4.0), indexing="ij")
    moved = interpolated(X, torch.stack([rows + 1, columns - 1])[None])
    assert torch.equal(moved, X.roll((-1, 1), (2, 3)))
    halfway = interpolated(X, torch.stack([rows, columns + 0.5])[None])
    assert torch.allclose(halfway, (X + X.roll(-1, 3)) / 2)
