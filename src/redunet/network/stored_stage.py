"""A construction that goes on after a crash: its stages as text and arrays of a progress file, and back."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from ..numerics.arrays import Array
from ..storage.checkpoint import Progress
from ..storage.decoding import Decoder
from ..storage.encoding import encode
from ..storage.model_file import FORMAT
from .carrier import Carrier
from .construct import Stage
from .geometry import Geometry
from .recipe import Recipe
from .step_control import StepState
from .stored_layers import StoredLayers, arrays_of_layers


class ConstructionProgress:
    """The progress of one construction: what was chosen before its first layer, and the stage that it is at.

    Parameters
    ----------
    progress : Progress
        Open file of the fit that the construction belongs to.
    """

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self._chosen: tuple[dict[str, Any], Mapping[str, Array]] = ({}, {})

    def choices(self) -> tuple[Recipe, dict[str, Any]] | None:
        """What :meth:`choose` was given by the fit that was interrupted; None where there is nothing."""
        file = self.progress.left
        if file is None or "recipe" not in file.text:
            return None
        decoder = Decoder(file, FORMAT)
        with self.progress.reading():
            values = {name: decoder.decode(one) for name, one in file.text["chosen"].items()}
            constants = file.text["recipe"]
            recipe = Recipe(**{field.name: decoder.decode(constants[field.name]) for field in fields(Recipe)})
        self._remember(recipe, values)
        return recipe, values

    def choose(self, recipe: Recipe, values: dict[str, Any], drawn: str) -> None:
        """Write what was drawn and chosen before the first layer; every stage is written together with it.

        Parameters
        ----------
        recipe : Recipe
        values : dict
            Fitted attributes of the estimator, by name.
        drawn : str
            Digest of its parameters now: drawing changes a random state that is one of them.
        """
        self._remember(recipe, values)
        self.progress.drawn = drawn
        self.progress.write(*self._chosen)

    def _remember(self, recipe: Recipe, values: dict[str, Any]) -> None:
        constants, _ = encode({field.name: getattr(recipe, field.name) for field in fields(Recipe)}, "recipe")
        text, arrays = encode(values, "chosen")
        self._chosen = {"recipe": constants, "chosen": text}, arrays

    def found(self, carrier: Carrier, geometry: Geometry) -> Stage | None:
        """The stage that was written last, its features put into the carrier; None where there is none."""
        file, self.progress.left = self.progress.left, None
        if file is None or "layers" not in file.text:
            return None
        text = file.text
        with self.progress.reading():
            carrier.restore({name: file.array(name) for name in file.names if name in carrier.STATE})
            layers = tuple(StoredLayers(file, text["layers"], geometry))
            if not carrier.STATE:  # its features are too many to be written, and are computed again
                carrier.carry(layers, geometry.norm_weights, more_to_come=True)
            rates = tuple((float(R), float(R_c)) for R, R_c in file.array("rates"))
            steps = StepState(**{field.name: text[field.name] for field in fields(StepState)})
            return Stage(layers, rates, file.array("M"), steps)

    def offer(self, carrier: Carrier, stage: Callable[[], Stage], geometry: Geometry) -> None:
        """Write the stage if it is time to; to be called after each layer."""
        if self.progress.is_due():
            self.write(carrier, stage(), geometry)

    def write(self, carrier: Carrier, stage: Stage, geometry: Geometry) -> None:
        """Write the stage and the features there, in place of the one before."""
        text, arrays = arrays_of_layers(stage.layers, geometry.grid)
        arrays |= {**carrier.state(), "M": stage.M, "rates": np.array(stage.rates)}
        chosen, chosen_arrays = self._chosen
        self.progress.write({"layers": text, **asdict(stage.steps), **chosen}, {**arrays, **chosen_arrays})
