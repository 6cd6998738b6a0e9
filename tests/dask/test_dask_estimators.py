"""Dask estimators: the bits of a local fit to the same blocks, lazy answers, and errors that help."""

import pickle
import subprocess
import sys

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from numpy.testing import assert_allclose
from sklearn.base import clone

import redunet
from redunet import ReduNet, ReduNetClassifier
from redunet.dask import DaskReduNet, DaskReduNetClassifier
from redunet.inputs.errors import InputError, InputTypeError

from .conftest import cluster_of
from .local_blocks import assert_same_model, local_fit

CHUNKS = (300, 1, 0, 499, 400)
CASES = [
    {"construction": "moments"},
    {"construction": "moments", "affine": 5.0, "n_layers": 4},
    {"construction": "samples", "n_layers": 4, "tol": None},
    {"construction": "samples", "n_layers": 4, "tol": None, "momentum": "nesterov", "membership": "subspace"},
]


def lazy(samples, chunks=CHUNKS):
    X, y = samples
    return da.from_array(X, chunks=(chunks, -1)), da.from_array(y, chunks=(chunks,))


@pytest.mark.parametrize("options", CASES, ids=str)
def test_workers_threads_and_a_loop_give_the_same_bits(client, samples, options):
    expected = local_fit(ReduNetClassifier(**options), *samples, CHUNKS)
    assert_same_model(DaskReduNetClassifier(**options).fit(*lazy(samples)), expected)
    for scheduler in ("threads", "synchronous"):
        with dask.config.set(scheduler=scheduler):
            found = DaskReduNetClassifier(**options)
            found.client = None
            assert_same_model(found.fit(*lazy(samples)), expected)


@pytest.mark.parametrize("options", CASES[1:3], ids=str)
def test_one_worker_gives_the_bits_of_two(samples, options):
    expected = local_fit(ReduNetClassifier(**options), *samples, CHUNKS)
    with cluster_of(1) as cluster, Client(cluster, set_as_default=False) as client:
        model = DaskReduNetClassifier(**options, client=client)
        assert model.client_ is client
        assert_same_model(model.fit(*lazy(samples)), expected)


def test_without_a_client_the_threads_of_this_process_do_the_tasks(samples):
    model = DaskReduNetClassifier(construction="moments").fit(*lazy(samples))
    assert model.client_ is None
    assert_same_model(model, local_fit(ReduNetClassifier(construction="moments"), *samples, CHUNKS))


def test_features_are_those_of_the_plain_estimator(client, samples):
    X, y = lazy(samples)
    net = DaskReduNet(n_layers=3).fit(X, y)
    expected = local_fit(ReduNet(n_layers=3), *samples, CHUNKS)
    assert_same_model(net, expected)
    features = net.transform(X)
    assert isinstance(features, da.Array)
    assert (features.dtype, features.chunks) == (np.float64, (CHUNKS, (21,)))
    np.testing.assert_array_equal(features.compute(), expected.transform(samples[0]))
    single = net.transform(X.astype(np.float32))
    assert single.dtype == single.compute().dtype == np.float32
    assert type(net.to_local()) is ReduNet


def test_answers_are_lazy_and_those_of_the_plain_estimator(client, samples):
    X, y = lazy(samples)
    model = DaskReduNetClassifier(construction="moments").fit(X, y)
    local = model.to_local()
    for name, shape in (("predict", ()), ("predict_proba", (3,)), ("distances", (3,)), ("decision_function", (3,))):
        answers, expected = getattr(model, name)(X), getattr(local, name)(samples[0])
        assert isinstance(answers, da.Array)
        assert answers.chunks == (CHUNKS, *((n,) for n in shape))
        assert answers.dtype == answers._meta.dtype == expected.dtype
        np.testing.assert_array_equal(answers.compute(), expected)
        np.testing.assert_array_equal(getattr(model, name)(samples[0]), expected)  # plain samples, plain answers
    assert model.score(X, y) == pytest.approx(local.score(*samples), abs=1e-12)
    weights = da.from_array(np.arange(1200) % 2, chunks=(CHUNKS,))
    assert model.score(X, y, weights) == pytest.approx(local.score(*samples, np.arange(1200) % 2), abs=1e-12)


def test_two_classes_have_one_column_of_decisions(client, samples):
    X, y = samples
    few = X[y != "c"], y[y != "c"]
    chunks = (100, len(few[0]) - 100)
    model = DaskReduNetClassifier(construction="moments").fit(*lazy(few, chunks))
    decisions = model.decision_function(lazy(few, chunks)[0])
    assert decisions.ndim == 1
    np.testing.assert_array_equal(decisions.compute(), model.to_local().decision_function(few[0]))


def test_frames_of_unknown_sizes_are_taken(client, samples, tmp_path):
    X, y = samples
    table = pd.DataFrame(X, columns=[f"f{i}" for i in range(20)]).assign(label=y)
    for part in range(4):
        table[part * 300 : (part + 1) * 300].to_csv(tmp_path / f"{part}.csv", index=False)
    frame = dd.read_csv(tmp_path / "*.csv")
    features, labels = frame.drop(columns="label"), frame["label"]
    model = DaskReduNetClassifier(construction="moments", n_layers=2).fit(features, labels)
    expected = local_fit(ReduNetClassifier(construction="moments", n_layers=2), X, y, (300,) * 4)
    assert model.feature_names_in_.tolist() == [f"f{i}" for i in range(20)]
    nameless = model.to_local()
    del nameless.feature_names_in_
    assert_same_model(nameless, expected)
    answers = model.predict(features)
    assert np.isnan(answers.shape[0])
    np.testing.assert_array_equal(answers.compute(), expected.predict(X))
    assert model.score(features, labels) == pytest.approx(expected.score(X, y))
    values = features.to_dask_array()  # blocks of unknown sizes
    again = DaskReduNetClassifier(construction="moments", n_layers=2).fit(values, labels)
    assert_same_model(again, expected)


def test_weights_in_the_same_blocks_count(client, samples):
    weights = np.random.default_rng(1).integers(0, 3, 1200).astype(float)
    options = {"construction": "samples", "n_layers": 2}
    model = DaskReduNetClassifier(**options).fit(*lazy(samples), da.from_array(weights, chunks=(CHUNKS,)))
    assert_same_model(model, local_fit(ReduNetClassifier(**options), *samples, CHUNKS, weights))


def test_images_in_blocks_of_several_pieces_are_put_together(client):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((120, 1, 12, 12)), np.arange(120) % 2
    X[y == 1, :, 3:9] += 1.5
    lazy_X = da.from_array(X, chunks=(40, 1, 6, 12))
    model = DaskReduNetClassifier("translation", construction="moments", n_layers=1).fit(lazy_X, da.from_array(y, 30))
    expected = local_fit(ReduNetClassifier("translation", construction="moments", n_layers=1), X, y, (40, 40, 40))
    assert_same_model(model, expected)
    assert model.predict(lazy_X).chunks == ((40, 40, 40),)


def test_the_plain_estimator_saves_loads_and_reports(client, samples, tmp_path):
    model = DaskReduNetClassifier(construction="moments", n_layers=2).fit(*lazy(samples))
    model.save(tmp_path / "model.redunet")
    loaded = redunet.load(tmp_path / "model.redunet")
    assert type(loaded) is ReduNetClassifier
    np.testing.assert_array_equal(loaded.distances(samples[0]), model.distances(samples[0]))
    model.report(tmp_path / "page.html")
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")
    more = model.to_local().partial_fit(samples[0][:10], samples[1][:10])  # moments can still be added to
    assert more.moments_.class_weight.sum() == 1210


def test_the_client_is_not_pickled_and_clones_share_it(client, samples):
    model = DaskReduNetClassifier(construction="moments", client=client).fit(*lazy(samples))
    again = pickle.loads(pickle.dumps(model))
    assert again.client is None
    np.testing.assert_array_equal(again.predict(samples[0]), model.predict(samples[0]))
    twin = clone(model.set_params(eps=0.5))
    assert twin.client is client
    assert twin.eps == 0.5
    assert not hasattr(twin, "network_")
    assert set(model.get_params()) == {*ReduNetClassifier().get_params(), "client"}
    assert set(DaskReduNet().get_params()) == {*ReduNet().get_params(), "client"}
    same = {name: value for name, value in DaskReduNetClassifier().get_params().items() if name != "client"}
    assert same == ReduNetClassifier().get_params()
    assert "client" not in vars(model.to_local())


def test_a_fit_goes_on_from_its_checkpoint(client, samples, tmp_path):
    options = {"construction": "samples", "n_layers": 4, "tol": None}
    where = redunet.Checkpoint(tmp_path, layers=1)
    found = DaskReduNetClassifier(**options).fit(*lazy(samples), checkpoint=where)
    assert_same_model(found, local_fit(ReduNetClassifier(**options), *samples, CHUNKS))


def test_bad_input_is_refused_with_a_remedy(client, samples):
    X, y = lazy(samples)
    model = DaskReduNetClassifier(construction="moments")
    with pytest.raises(InputTypeError, match=r"X must be a Dask array .* got ndarray; pass dask.array.from_array"):
        model.fit(*samples)
    with pytest.raises(InputTypeError, match=r"y must be a Dask array .*chunks=X.chunks"):
        model.fit(X, samples[1])
    with pytest.raises(InputError, match=r"requires y to be passed, .* to redunet.ReduNet, which takes them without"):
        DaskReduNet().fit(X)
    with pytest.raises(InputError, match="augment makes a class of each sample without a label, but y was passed"):
        DaskReduNet(augment=lambda samples, random: samples).fit(X, y)
    with pytest.raises(InputError, match="1200 samples but y has 1199"):
        model.fit(X, y[:-1].rechunk(500))
    with pytest.raises(InputError, match="5 blocks but y has 3"):
        model.fit(X, dd.from_array(samples[1], chunksize=400))
    with pytest.raises(InputError, match="must have a row for each sample"):
        model.fit(y, y)
    bad = samples[0].copy()
    bad[801, 3] = np.nan
    with pytest.raises(InputError, match="block 4 of X, counted from 0: Input X contains NaN"):
        model.fit(da.from_array(bad, chunks=(CHUNKS, -1)), y)
    with pytest.raises(InputError, match=r"block \d .*none of the 2 classes"):
        model.fit(X, y, classes=["a", "b"])
    wrong = dask.delayed(np.ones)((400, 19))
    with pytest.raises(InputError, match=r"shape \(20,\) in block 0 and of shape \(19,\) in block 1"):
        model.fit(da.concatenate([X[:800].rechunk((800, -1)), da.from_delayed(wrong, (400, 20), float)]), y)
    with pytest.raises(InputError, match="groups cannot be left out"):
        model.fit(X, y, groups=y)
    with pytest.raises(InputError, match="eps must be"):
        DaskReduNetClassifier(eps=-1.0).fit(X, y)
    fitted = DaskReduNetClassifier(construction="moments").fit(X, y)
    with pytest.raises(InputError, match="block 4 of X"):
        fitted.predict(da.from_array(bad, chunks=(CHUNKS, -1))).compute()
    with pytest.raises(InputTypeError, match="X is lazy, and this method takes plain arrays"):
        fitted.partial_fit(X, y)
    assert fitted.score(X, da.full_like(y, "z")) == 0  # a label that was not seen is a miss, as in scikit-learn
    with pytest.raises(InputError, match="class_weight='balanced' needs the number of samples of every class before"):
        DaskReduNetClassifier(class_weight="balanced").fit(X, y)


@pytest.mark.parametrize("construction", ["samples", "moments"])
def test_a_scale_and_weights_of_classes_are_those_of_a_local_fit(client, samples, construction):
    X, y = samples
    X = X * np.linspace(0.1, 50, X.shape[1])
    options = {"standardise": True, "class_weight": {"a": 2.0}, "n_layers": 0, "construction": construction}
    lazily = DaskReduNetClassifier(**options).fit(*lazy((X, y))).to_local()
    local = ReduNetClassifier(**options).fit(X, y)
    assert lazily.network_.scaler is not None
    assert np.mean(lazily.predict(X) == local.predict(X)) > 0.97  # the scale comes from some of the samples
    assert_allclose(lazily.network_.scaler.scale, local.network_.scaler.scale, rtol=0.1)


def test_a_client_that_is_closed_is_refused(cluster, samples):
    with Client(cluster, set_as_default=False) as closed:
        pass
    with pytest.raises(InputError, match="client is not connected to a scheduler"):
        DaskReduNetClassifier(client=closed).fit(*lazy(samples))


def test_dask_is_imported_only_when_it_is_asked_for():
    code = "import sys, redunet; redunet.ReduNetClassifier(); print('dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_without_dask_the_error_says_how_to_install_it():
    code = """
import sys
sys.modules["distributed"] = None
try:
    import redunet.dask
except ImportError as error:
    print(error)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'redunet[dask]'" in found.stdout


@pytest.mark.parametrize("construction", ["samples", "moments"])
def test_kernels_have_landmarks_among_the_samples_that_are_kept(construction):
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    angle, radius = rng.uniform(0, 2 * np.pi, 600), 1 + 2 * y + 0.2 * rng.standard_normal(600)
    X = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    lazy_X, lazy_y = da.from_array(X, chunks=(150, -1)), da.from_array(y, chunks=150)
    model = DaskReduNetClassifier(construction=construction, kernel="rbf", n_landmarks=50, affine=1.0)
    model.fit(lazy_X, lazy_y)
    local = ReduNetClassifier(construction=construction, kernel="rbf", n_landmarks=50, affine=1.0).fit(X, y)
    np.testing.assert_array_equal(model.network_.kernel.landmarks, local.network_.kernel.landmarks)
    np.testing.assert_allclose(model.distances(X), local.distances(X), atol=1e-7)
    assert model.score(X, y) > 0.98
    features = DaskReduNet(construction=construction, kernel="rbf", n_landmarks=50, n_layers=2).fit(lazy_X, lazy_y)
    assert features.transform(lazy_X).shape == features.transform(lazy_X).compute().shape
