"""Scikit-learn's callbacks: told of the fit and of each layer, with an estimator that ends there, and able to stop."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from redunet import ReduNet, ReduNetClassifier
from redunet.data.waves import sinusoids

pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")

X, Y = sinusoids(12, 24, random_state=0)


class Diary:
    """Writes down what it is told, and ends the construction after so many layers."""

    def __init__(self, last=None):
        self.last, self.pages, self.layers, self.rates, self.scores = last, [], 0, [], []

    def setup(self, estimator, context):
        self.pages.append("setup")

    def teardown(self, estimator, context):
        self.pages.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.pages.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.pages.append(f"end {context.task_name}")
        if context.task_name != "layer":
            return False
        self.layers += 1
        self.rates.append(float(fitted_estimator.history_.rate_reduction[-1]))
        if hasattr(fitted_estimator, "predict"):
            self.scores.append(fitted_estimator.score(X, Y))
        return self.layers == self.last


@pytest.mark.parametrize("construction", ["samples", "moments"])
def test_callbacks_see_every_layer(construction):
    diary = Diary()
    model = ReduNetClassifier(n_layers=3, membership="softmax", construction=construction).set_callbacks(diary)
    model.fit(X, Y)
    layers = ["begin layer", "end layer"] * model.n_layers_
    assert diary.pages == ["setup", "begin fit", *layers, "end fit", "teardown"]
    assert np.allclose(diary.rates, model.history_.rate_reduction[1:])
    assert diary.scores[-1] == model.score(X, Y)


def test_a_callback_may_end_the_construction():
    diary = Diary(last=2)
    net = ReduNet(n_layers=6, tol=None).set_callbacks(diary).fit(X, Y)
    assert net.n_layers_ == 2
    plain = ReduNet(n_layers=2, tol=None).fit(X, Y)
    np.testing.assert_array_equal(net.transform(X), plain.transform(X))


def test_a_fit_that_fails_is_torn_down():
    diary = Diary()
    model = ReduNetClassifier(n_layers=2).set_callbacks(diary)
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, np.zeros(len(X)))
    assert "end fit" not in diary.pages


def test_estimators_with_callbacks_are_saved_and_searched(tmp_path):
    from sklearn.callback import ProgressBar

    model = ReduNetClassifier(n_layers=1, membership="softmax").set_callbacks(Diary()).fit(X, Y)
    model.save(tmp_path / "model.redunet")
    search = GridSearchCV(ReduNetClassifier(n_layers=1, membership="softmax"), {"eps": [0.1, 0.5]}, cv=2)
    assert search.set_callbacks(ProgressBar()).fit(X, Y).best_score_ > 0.5
