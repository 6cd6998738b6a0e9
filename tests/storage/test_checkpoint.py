"""Progress on disk: the same call goes on, and ends with the same bits."""

import errno
import os
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import redunet
from redunet import Checkpoint, Lift, ReduNet, ReduNetClassifier
from redunet.network.construct import construct
from redunet.network.stored_stage import ConstructionProgress
from redunet.storage import checkpoint as storage
from redunet.storage import fit_identity

from .kill import killed_and_resumed, killed_while_saving
from .models import CODES, IMAGES, NAMES, X, random

pytestmark = pytest.mark.filterwarnings("ignore::redunet.inputs.errors.NoLayerWarning")


class CrashError(Exception):
    """The power went off."""


def crashing(monkeypatch, after):
    """Let every fit crash after so many stages were written."""
    write = ConstructionProgress.write
    count = 0

    def counted(self, *args):
        nonlocal count
        write(self, *args)
        count += 1
        if count == after:
            raise CrashError

    monkeypatch.setattr(ConstructionProgress, "write", counted)


SETTINGS = {
    "auto step": ReduNet("shift", n_layers=12, tol=None),
    "stops by itself": ReduNet("shift", n_layers=400, tol=1e-2),
    "fixed step": ReduNet("shift", n_layers=12, step_size=0.05, tol=None),
    "momentum": ReduNet("shift", n_layers=12, momentum="nesterov", tol=None),
    "subspace": ReduNet("shift", n_layers=8, membership="subspace", rank=1, tol=None),
    "code": ReduNet("shift", n_layers=8, membership="code", tol=None),
    "relu": ReduNet("shift", n_layers=4, membership="relu", step_size=0.01, tol=None),
    "vectors": ReduNet(n_layers=12, tol=None),
}


def samples_for(net):
    return X if net.invariance is None else np.stack([X, X**2, np.abs(X)], axis=1)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_fit_that_crashed_goes_on_and_ends_with_the_same_bytes(name, dtype, tmp_path, monkeypatch):
    net = SETTINGS[name]
    samples = samples_for(net).astype(dtype)
    uninterrupted = ReduNet(**net.get_params()).fit(samples, NAMES)
    uninterrupted.save(tmp_path / "uninterrupted.redunet")
    where = Checkpoint(tmp_path / "progress", layers=1)
    for after in (1, 2, 1):  # three crashes
        with monkeypatch.context() as patched:
            crashing(patched, after)
            with pytest.raises(CrashError):
                ReduNet(**net.get_params()).fit(samples, NAMES, checkpoint=where)
    resumed = ReduNet(**net.get_params()).fit(samples, NAMES, checkpoint=where)
    resumed.save(tmp_path / "resumed.redunet")
    assert (tmp_path / "resumed.redunet").read_bytes() == (tmp_path / "uninterrupted.redunet").read_bytes()
    assert not list((tmp_path / "progress").iterdir())  # nothing is left to go on with


def test_layers_that_are_there_are_not_built_again(tmp_path, monkeypatch):
    net = SETTINGS["auto step"]
    with monkeypatch.context() as patched:
        crashing(patched, 9)
        with pytest.raises(CrashError):
            ReduNet(**net.get_params()).fit(samples_for(net), NAMES, checkpoint=Checkpoint(tmp_path, layers=1))
    seen = []

    def counted(*args, start, **options):
        seen.append(len(start.layers))
        return construct(*args, start=start, **options)

    monkeypatch.setattr("redunet.estimators.building.construct", counted)
    net.fit(samples_for(net), NAMES, checkpoint=tmp_path)
    assert seen == [9]


def test_a_classifier_goes_on_too(tmp_path, monkeypatch):
    def make():
        return ReduNetClassifier("translation", lift=random(), membership="softmax", n_layers=5, tol=None)

    uninterrupted = make().fit(IMAGES, CODES)
    with monkeypatch.context() as patched:
        crashing(patched, 2)
        with pytest.raises(CrashError):
            make().fit(IMAGES, CODES, checkpoint=Checkpoint(tmp_path, layers=1))
    resumed = make().fit(IMAGES, CODES, checkpoint=Checkpoint(tmp_path, layers=1))
    uninterrupted.save(tmp_path / "a")
    resumed.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def seeded(seed):
    """The state that random_state=None draws from, which nobody sets before a restart."""
    np.random.seed(seed)  # noqa: NPY002 - that is what is meant


DRAWN = {
    "one lift": lambda: ReduNetClassifier("shift", lift=Lift("random", 6, 7), n_layers=5, tol=None),
    "learned": lambda: ReduNetClassifier("shift", lift=Lift("patches", 6, 7), n_layers=5, tol=None),
    "a list": lambda: ReduNetClassifier("shift", lift=[Lift("random", 5, 7), Lift("random", 6, 5)], n_layers=4),
    "auto": lambda: ReduNetClassifier("shift", lift="auto", random_state=None, n_layers=3, tol=None),
    "a depth": lambda: ReduNetClassifier("shift", lift=Lift("random", 4, 7), sharpness="auto", n_layers=4, tol=None),
    "a state": lambda: ReduNetClassifier(
        "shift", lift="auto", random_state=np.random.RandomState(7), n_layers=3, tol=None
    ),
    "a state of the lift": lambda: ReduNetClassifier(
        "shift", lift=Lift("random", 6, 7, random_state=np.random.RandomState(7)), n_layers=4, tol=None
    ),
}


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("stages", [0, 1, 2])
def test_a_lift_that_was_drawn_and_what_was_chosen_with_it_are_not_drawn_again(name, stages, tmp_path, monkeypatch):
    make = DRAWN[name]
    where = Checkpoint(tmp_path / "progress", layers=1)
    seeded(1)
    make().fit(X, NAMES).save(tmp_path / "whole")
    seeded(1)
    with monkeypatch.context() as patched:
        if stages:
            crashing(patched, stages)
        else:  # after the choices, before any layer is written
            patched.setattr(ConstructionProgress, "write", lambda *args: raised(CrashError()))
        with pytest.raises(CrashError):
            make().fit(X, NAMES, checkpoint=where)
    seeded(2)
    monkeypatch.setattr("redunet.estimators.classifier.choose", None)  # nothing is chosen a second time
    resumed = make().fit(X, NAMES, checkpoint=where)
    resumed.save(tmp_path / "resumed")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not list((tmp_path / "progress").iterdir())


def raised(error):
    raise error


def test_a_resumed_fit_answers_its_training_samples(tmp_path, monkeypatch):
    """What the attack saw: old layers behind new filters."""
    make = DRAWN["one lift"]
    with monkeypatch.context() as patched:
        crashing(patched, 3)
        with pytest.raises(CrashError):
            make().fit(X, NAMES, checkpoint=Checkpoint(tmp_path, layers=1))
    resumed = make().fit(X, NAMES, checkpoint=Checkpoint(tmp_path, layers=1))
    lifted = resumed.network_.lift(resumed.network_.lift.padded(X[:, None]))
    again = ReduNet("shift", n_layers=5, tol=None, membership=resumed.membership_, rank=resumed.rank_ or 1)
    again.fit(lifted, NAMES)
    np.testing.assert_allclose(resumed.history_.rate_reduction[0], again.history_.rate_reduction[0], rtol=1e-9)
    assert resumed.score(X, NAMES) >= resumed.loo_score_


def test_a_random_state_may_have_moved_on_when_the_same_estimator_is_fitted_again(tmp_path, monkeypatch):
    def make():
        return ReduNetClassifier("shift", lift="auto", random_state=np.random.RandomState(3), n_layers=3, tol=None)

    uninterrupted = make().fit(X, NAMES)
    clf = make()
    with monkeypatch.context() as patched:
        crashing(patched, 1)
        with pytest.raises(CrashError):
            clf.fit(X, NAMES, checkpoint=Checkpoint(tmp_path, layers=1))
    with pytest.raises(ValueError, match="its parameters were others"):  # another seed is another fit
        make().set_params(random_state=np.random.RandomState(4)).fit(X, NAMES, checkpoint=tmp_path)
    clf.fit(X, NAMES, checkpoint=tmp_path)
    assert_array_equal(clf.decision_function(X), uninterrupted.decision_function(X))
    assert clf.random_state.randint(2**31) == uninterrupted.random_state.randint(2**31)


def test_layers_are_added_to_the_network_that_the_interrupted_fit_had(tmp_path, monkeypatch):
    def grown(seed):
        lift = Lift("random", 5, 7)
        seeded(seed)
        clf = ReduNetClassifier("shift", lift=lift, n_layers=2, tol=None, warm_start=True, membership="softmax")
        return clf.fit(X, NAMES).set_params(n_layers=5)

    uninterrupted, clf, other = grown(1).fit(X, NAMES), grown(1), grown(2)
    with monkeypatch.context() as patched:
        crashing(patched, 2)
        with pytest.raises(CrashError):
            clf.fit(X, NAMES, checkpoint=Checkpoint(tmp_path, layers=1))
    with pytest.raises(ValueError, match="it added layers to another network"):
        other.fit(X, NAMES, checkpoint=tmp_path)
    clf.fit(X, NAMES, checkpoint=tmp_path)
    assert_array_equal(clf.decision_function(X), uninterrupted.decision_function(X))


def test_progress_of_an_older_format_is_refused(tmp_path):
    net = ReduNet("shift", n_layers=6, tol=None)
    samples = samples_for(net)
    identity = {"version": redunet.__version__, "parameters": "0", "data": "0"}
    storage.write_arrays(tmp_path / storage.PROGRESS_FILE, {"format": 1, "identity": identity}, {"X": np.zeros(3)})
    with pytest.raises(ValueError, match="holds the progress of another fit: its format is another: 1, not 2"):
        net.fit(samples, NAMES, checkpoint=tmp_path)
    assert (tmp_path / storage.PROGRESS_FILE).exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda net, samples: (net, samples + 1e-9), "its samples, labels or weights were others"),
        (lambda net, samples: (net.set_params(eps=0.31), samples), "its parameters were others"),
    ],
)
def test_another_fit_is_refused_and_the_progress_stays(change, message, tmp_path, monkeypatch):
    net = ReduNet("shift", n_layers=6, tol=None)
    samples = samples_for(net)
    where = Checkpoint(tmp_path, layers=1)
    with monkeypatch.context() as patched:
        crashing(patched, 2)
        with pytest.raises(CrashError):
            net.fit(samples, NAMES, checkpoint=where)
    other, others = change(ReduNet("shift", n_layers=6, tol=None), samples)
    with pytest.raises(ValueError, match=f"holds the progress of another fit: {message}"):
        other.fit(others, NAMES, checkpoint=where)
    with monkeypatch.context() as patched:
        patched.setattr(fit_identity, "__version__", "99")
        with pytest.raises(ValueError, match=r"it was written by redunet .*, this is 99"):
            net.fit(samples, NAMES, checkpoint=where)
    ReduNet("shift", n_layers=6, tol=None, verbose=1).fit(
        samples, NAMES, checkpoint=where
    )  # what only shows may differ


def test_a_damaged_progress_file_is_refused(tmp_path, monkeypatch):
    net = ReduNet("shift", n_layers=6, tol=None)
    with monkeypatch.context() as patched:
        crashing(patched, 2)
        with pytest.raises(CrashError):
            net.fit(samples_for(net), NAMES, checkpoint=Checkpoint(tmp_path, layers=1))
    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(redunet.ModelFileError, match="damaged"):
        net.fit(samples_for(net), NAMES, checkpoint=tmp_path)


def test_wrong_checkpoints_are_told(tmp_path):
    with pytest.raises(TypeError, match=r"checkpoint must be a folder or a redunet\.Checkpoint, got int"):
        ReduNet().fit(X, CODES, checkpoint=3)
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is not a folder to write to"):
        ReduNet().fit(X, CODES, checkpoint=tmp_path / "file")


# --- a folder that cannot be written, and one that is in use ----------------------------------------------------------


def full_disk(monkeypatch, after):
    """Let the disk be full once so many files were written."""
    write = storage.write_arrays
    count = 0

    def written(path, text, arrays):
        nonlocal count
        count += 1
        if count > after:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write(path, text, arrays)

    monkeypatch.setattr(storage, "write_arrays", written)


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_disk_that_fills_up_is_told_once_and_the_fit_goes_on(after, tmp_path, monkeypatch):
    make = DRAWN["one lift"]
    seeded(1)
    uninterrupted = make().fit(X, NAMES)
    seeded(1)
    full_disk(monkeypatch, after)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        clf = make().fit(X, NAMES, checkpoint=Checkpoint(tmp_path, layers=1))
    [one] = [str(one.message) for one in warned if "progress" in str(one.message)]
    assert one.startswith(
        f"the progress of this fit cannot be written to {tmp_path / storage.PROGRESS_FILE}: No space left"
    )
    assert_array_equal(clf.decision_function(X), uninterrupted.decision_function(X))


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(tmp_path, monkeypatch):
    def full(fd, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Lift, "fit_samples", None)
    with monkeypatch.context() as patched:
        patched.setattr("redunet.storage.atomic_write.os.write", full)
        with pytest.raises(ValueError, match=r"is not a folder to write to: .*No space left on device.* Make room"):
            DRAWN["one lift"]().fit(X, NAMES, checkpoint=tmp_path)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match=r"checkpoint='/proc/.*' is not a folder to write to"):
        DRAWN["one lift"]().fit(X, NAMES, checkpoint="/proc/redunet")


def test_a_second_fit_is_kept_out_of_the_folder(tmp_path):
    net = ReduNet(n_layers=2)
    with storage.Progress(Checkpoint(tmp_path), {}):
        message = rf"is used by another fit, of process {os.getpid()} on .*; wait for its end, or pass another folder"
        with pytest.raises(ValueError, match=message):
            net.fit(X, CODES, checkpoint=tmp_path)
    net.fit(X, CODES, checkpoint=tmp_path)
    assert not list(tmp_path.iterdir())


HOLD = """
import os, sys, time
from redunet import Checkpoint
from redunet.storage.checkpoint import Progress
progress = Progress(Checkpoint(sys.argv[1]), {})
child = os.fork() if sys.argv[2] == "fork" else 1
if child == 0:  # a child that outlives its parent
    progress.close()  # of no effect on the parent
    sys.stdout.write(f"{os.getpid()}\\n"); sys.stdout.flush()
elif sys.argv[2] != "fork":
    sys.stdout.write("0\\n"); sys.stdout.flush()
time.sleep(600)
"""


@pytest.mark.parametrize("kind", ["alone", "fork"])
def test_the_lock_lives_as_long_as_its_process(kind, tmp_path):
    net = ReduNet(n_layers=2)
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path), kind], stdout=subprocess.PIPE, text=True)
    child = int(holder.stdout.readline())
    try:
        with pytest.raises(ValueError, match=f"is used by another fit, of process {holder.pid} "):
            net.fit(X, CODES, checkpoint=tmp_path)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        net.fit(X, CODES, checkpoint=tmp_path)
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
        if child:
            os.kill(child, signal.SIGKILL)
    assert not list(tmp_path.iterdir())


def test_a_forked_child_leaves_the_progress_of_its_parent_alone(tmp_path):
    with storage.Progress(Checkpoint(tmp_path), {"version": "1"}) as progress:
        (tmp_path / storage.PROGRESS_FILE).write_bytes(b"of the parent")
        child = os.fork()
        if child == 0:
            try:
                progress.write({}, {})
                progress.done()
                progress.close()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert (tmp_path / storage.PROGRESS_FILE).read_bytes() == b"of the parent"
        assert (tmp_path / storage.LOCK_FILE).exists()


def test_writing_is_put_off_where_it_takes_long(tmp_path, monkeypatch):
    clock = [0.0]
    written = []
    monkeypatch.setattr(storage.time, "monotonic", lambda: clock[0])

    def slow(path, text, arrays):
        written.append(clock[0])
        clock[0] += 3.0  # takes three seconds

    monkeypatch.setattr(storage, "write_arrays", slow)
    progress = storage.Progress(Checkpoint(tmp_path, seconds=10.0), {})

    for _ in range(400):
        clock[0] += 1.0
        if progress.is_due():
            progress.write({}, {})
    assert written[0] == 10.0
    assert np.diff(written).min() >= 3.0 / storage.WRITING_SHARE


def test_kill_9_at_random_moments(tmp_path):
    """A few of the moments that ``python -m tests.storage.kill`` tries fifty of."""
    assert killed_and_resumed(tmp_path, n_kills=3, seed=0) == []
    assert killed_while_saving(tmp_path, n_kills=3, seed=0) == []


# --- warm start -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["auto step", "fixed step", "vectors", "subspace", "code"])
def test_warm_start_adds_the_layers_that_a_whole_fit_would_have(name):
    net = SETTINGS[name]
    samples = samples_for(net)
    uninterrupted = ReduNet(**net.get_params()).set_params(n_layers=8).fit(samples, NAMES)
    grown = ReduNet(**net.get_params()).set_params(n_layers=5, warm_start=True).fit(samples, NAMES)
    first = grown.network_.layers[0]
    grown.set_params(n_layers=8).fit(samples, NAMES)
    assert grown.n_layers_ == 8
    assert grown.network_.layers[0] is first
    assert len(grown.history_) == 9
    np.testing.assert_allclose(grown.transform(samples), uninterrupted.transform(samples), atol=1e-9)
    np.testing.assert_allclose(grown.history_.rate_reduction, uninterrupted.history_.rate_reduction, rtol=1e-9)


def test_warm_start_of_a_classifier_keeps_its_lift_and_its_choices():
    clf = ReduNetClassifier("shift", lift="auto", n_layers=2, tol=None, warm_start=True).fit(X, NAMES)
    lift, rank = clf.lift_, clf.rank_
    clf.set_params(n_layers=4).fit(X, NAMES)
    assert clf.n_layers_ == 4
    assert clf.lift_ is lift
    assert clf.rank_ == rank
    assert_array_equal(clf.predict(np.roll(X, 3, axis=1)), clf.predict(X))


@pytest.mark.parametrize(
    ("options", "samples", "message"),
    [
        ({"n_layers": 2}, X, "n_layers=2 and there are 4 already; pass a larger"),
        ({"n_layers": "auto"}, X, "pass a number for n_layers"),
        ({"n_layers": 6}, X[:, :20], "their shape, type or classes are others"),
    ],
)
def test_warm_start_refuses_what_it_cannot_go_on_with(options, samples, message):
    clf = ReduNetClassifier("shift", lift=random(), n_layers=4, tol=None, warm_start=True).fit(X, NAMES)
    with pytest.raises(ValueError, match=message):
        clf.set_params(**options).fit(samples, NAMES)


def test_a_loaded_model_can_grow(tmp_path):
    net = ReduNet(n_layers=3, tol=None, warm_start=True).fit(X, NAMES)
    net.save(tmp_path / "m")
    loaded = redunet.load(tmp_path / "m").set_params(n_layers=5).fit(X, NAMES)
    net.set_params(n_layers=5).fit(X, NAMES)
    assert_array_equal(loaded.transform(X), net.transform(X))
