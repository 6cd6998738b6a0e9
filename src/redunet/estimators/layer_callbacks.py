"""Scikit-learn's callbacks (1.9 and later): told of each layer, and able to end the construction."""

from collections.abc import Callable
from typing import Any, TypeVar

from ..network.construct import Construction, Observer

Method = TypeVar("Method", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:  # an older scikit-learn has none
    CallbackSupportMixin, _with_callbacks = object, None


class TakesCallbacks(CallbackSupportMixin):  # type: ignore[misc]
    """What estimators have where scikit-learn has callbacks; nothing elsewhere."""


def with_callbacks(method: Method) -> Method:
    """A method that ends the callbacks of its estimator, however it ends itself."""
    found: Method = method if _with_callbacks is None else _with_callbacks(method)
    return found


class LayerCallbacks(Observer):
    """Hands layers on to the callbacks of an estimator: a task for the fit, and one for each layer in it.

    Parameters
    ----------
    estimator : estimator
        With callbacks, whose fit has begun.
    n_layers : int
        Layers at most.
    attributes_of : callable
        Given the construction, the fitted attributes of an estimator that ends where it is.
    """

    reads_eigenvectors = True

    def __init__(self, estimator: Any, n_layers: int, attributes_of: Callable[[Construction], dict[str, Any]]) -> None:
        self.estimator, self.attributes_of = estimator, attributes_of
        self.context = estimator._init_callback_context(max_subtasks=n_layers)

    def begin(self, construction: Construction) -> None:
        """The fit begins to build layers."""
        self.context.call_on_fit_task_begin(estimator=self.estimator)

    def layer_added(self, construction: Construction) -> bool:
        """Another layer was built; True if a callback wants no more."""
        task = self.context.subcontext(task_name="layer")
        task.call_on_fit_task_begin(estimator=self.estimator)
        return bool(self._end(task, construction))

    def end(self, construction: Construction) -> None:
        """The last layer was built."""
        self._end(self.context, construction)

    def _end(self, task: Any, construction: Construction) -> Any:
        return task.call_on_fit_task_end(
            estimator=self.estimator, reconstruction_attributes=lambda: self.attributes_of(construction)
        )


def has_callbacks(estimator: Any) -> bool:
    """Whether an estimator was given callbacks, by itself or by one that it is a part of."""
    return bool(getattr(estimator, "_skl_callbacks", None)) or hasattr(estimator, "_parent_callback_ctx")
