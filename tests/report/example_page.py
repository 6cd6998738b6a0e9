"""A page with an example of everything: networks that run, points on spheres, pictures, charts, hostile text."""

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from redunet import Lift, ReduNet, ReduNetClassifier
from redunet.network.network import Network
from redunet.numerics.step import extrapolate
from redunet.report.live_network import live_network
from redunet.report.network_data import array_data, history_data

# Networks of the page, in their order; the spheres follow.
NAMES = [
    "waves, softmax",
    "pictures, subspace",
    "pictures, code, pool 2",
    "pictures, contrast",
    "waves, contrast, margin",
    "waves, code, margin",
    "two channels, published, relu",
    "pictures of 8 by 7, momentum",
    "no layers",
]
SPHERES = (len(NAMES), len(NAMES) + 1)


def sinusoids(n=24, length=40):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    t = 2 * np.pi * (np.arange(length) / length + rng.uniform(size=(n, 1)))
    waves = [np.sin(t), np.sign(np.sin(t)), np.sin(t) + np.sin(3 * t)]
    return np.choose(y[:, None], waves) + 0.1 * rng.standard_normal(t.shape), np.array(["sine", "square", "two"])[y]


def digits(n=60):
    X, y = load_digits(n_class=3, return_X_y=True)
    return X[:n].reshape(n, 8, 8) / 16, y[:n]


@dataclass
class Case:
    """A classifier, the samples that the page has, and how many zeros their margin has."""

    model: ReduNetClassifier
    X: Any

    @property
    def shape(self):
        """Lengths of the axes that the sample moves along."""
        lift = self.model.network_.lift
        return lift.grid if lift is not None else self.model.network_.geometry.grid

    def exhibit(self, title):
        """What the page is given."""
        answers = self.model.predict(self.X)
        return live_network(self.model, self.X, answers, "Move the sample.") | {"title": title}

    def moved(self, sample, shift):
        """The sample with its margin, moved; shape (1, n_channels_in, *grid)."""
        values = self.X[sample].reshape(1, *self.model.sample_shape_)
        lift = self.model.network_.lift
        if lift is not None:
            values = lift.padded(values)
        return np.roll(values, shift, axis=tuple(range(2, values.ndim)))

    def blocks(self, sample, shift):
        """Blocks at the entrance and after each layer, and the membership at each, by the readable code."""
        network = self.model.network_
        moved = self.moved(sample, shift)
        V = network.geometry.blocks(moved if network.lift is None else network.lift(moved))
        weights, blocks, memberships = network.geometry.norm_weights, [V], []
        for i, layer in enumerate(network.layers):
            if layer.measure.name != "relu":
                start = extrapolate(blocks[i], blocks[i - 1], layer.momentum, weights) if layer.momentum else blocks[i]
                residuals = layer.measure.residuals(start)[:, 0]
                shares = np.exp(-layer.sharpness * (residuals - residuals.min()))
                memberships.append(shares / shares.sum())
            blocks.append(layer(blocks[i], weights, blocks[i - 1] if i else None))
        return blocks, memberships


def cases():
    """Classifiers of many kinds, by the names above."""
    X, y = sinusoids()
    images, kinds = digits()
    rows = {"n_layers": 4, "tol": None}

    def waves(**options):
        lift = options.pop("lift", Lift("random", 5, 9, random_state=0))
        return Case(ReduNetClassifier("shift", lift=lift, **rows, **options).fit(X, y), X[:4])

    def pictures(lift, width=8, **options):
        narrow = images[:, :, :width]
        return Case(ReduNetClassifier("translation", lift=lift, **rows, **options).fit(narrow, kinds), narrow[:4])

    two_channels = np.stack([X, np.square(X)], axis=1)
    return {
        "waves, softmax": waves(membership="softmax", rank=2),
        "pictures, subspace": pictures(Lift("random", 5, 3, random_state=0), membership="subspace", rank=2),
        "pictures, code, pool 2": pictures(
            Lift("random", 5, 3, random_state=1, threshold="relu", pool=2), membership="code", eps=0.3
        ),
        "pictures, contrast": pictures(Lift("random", 5, 3, random_state=0, contrast=1.5), width=7, rank=2),
        "waves, contrast, margin": waves(
            lift=Lift("random", 5, 9, random_state=0, pad=7, contrast=6, unit_scale=False)
        ),
        "waves, code, margin": waves(membership="code", lift=Lift("random", 10, (5, 9), random_state=0, pad=7)),
        "two channels, published, relu": Case(
            ReduNetClassifier("shift", membership="relu", rank=1, convention="published", step_size=0.02, **rows).fit(
                two_channels, y
            ),
            two_channels[:3],
        ),
        "pictures of 8 by 7, momentum": pictures(
            Lift("random", 4, (3, 5), random_state=2), width=7, membership="softmax", rank=1, momentum=0.5
        ),
        "no layers": Case(
            ReduNetClassifier("shift", lift=Lift("random", 5, 9, random_state=0), n_layers=0, rank=2).fit(X, y), X[:2]
        ),
    }


def sphere(dimension):
    """Points on the circle or the sphere after each of ten layers."""
    rng = np.random.default_rng(dimension)
    labels = np.arange(60) % dimension
    points = np.eye(dimension)[labels] + 0.6 * np.abs(rng.standard_normal((60, dimension)))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    model = ReduNet(n_layers=10, affine=False, tol=None).fit(points[:40], labels[:40])
    network = model.network_
    shown = [
        Network(network.geometry, network.layers[:depth], network.dtype).features(points)
        for depth in range(len(network.layers) + 1)
    ]
    return {
        "kind": "sphere",
        "title": f"Points on S{dimension - 1}",
        "caption": "Features after each layer.",
        "dimension": dimension,
        "classes": [f"class {j + 1}" for j in range(dimension)],
        "labels": labels.tolist(),
        "new": (np.arange(60) >= 40).tolist(),
        "layers": list(range(len(shown))),
        "points": array_data(np.stack(shown)),
        "history": history_data(model.history_),
    }


def charts():
    """Exhibits that only show."""
    rng = np.random.default_rng(0)
    images, kinds = digits(12)
    similar = np.abs(np.corrcoef(images.reshape(12, -1)))
    values = [rng.normal(mean, 1, 400) for mean in (0, 2)]
    series = []
    for name, column in zip(("same class", "other class"), values, strict=True):
        counts, edges = np.histogram(column, bins=20)
        series.append({"label": name, "edges": edges, "counts": counts})
    return [
        {
            "kind": "gallery",
            "title": "Digits",
            "caption": "The images.",
            "images": [
                {"label": str(kind), "values": array_data(image)} for image, kind in zip(images, kinds, strict=True)
            ],
        },
        {
            "kind": "histogram",
            "title": "Values",
            "caption": "How often.",
            "xlabel": "value",
            "ylabel": "samples",
            "series": series,
        },
        {
            "kind": "heatmap",
            "title": "Similarity",
            "caption": "Of features.",
            "xlabel": "sample",
            "ylabel": "sample",
            "values": array_data(similar),
            "low": 0.0,
            "high": 1.0,
        },
    ]


HOSTILE = '</script><script>document.title = "broken"</script><!--<script> & /*SCRIPTS*/ /*STYLE*/'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><path d="M2 18L20 4L38 12" stroke="#000"/></svg>'


def report_data(networks):
    """Data of the page."""
    rows = [
        {
            "experiment": "moving",
            "title": "Samples that move",
            "quantity": quantity,
            "paper": paper,
            "published": published,
            "ours": ours,
            "seconds": seconds,
            "note": note,
        }
        for quantity, paper, published, ours, seconds, note in (
            ("accuracy at random shifts", 0.98, 0.9765, 0.9912, 12.3, None),
            ("rate reduction (nats)", None, None, -1.25, 200, HOSTILE),
            ("speed", 1, None, 8695, None, "times the algorithm as the paper states it"),
        )
    ]
    other = {**rows[0], "experiment": "points on spheres", "title": "Points on the circle and the sphere"}
    moving = [case.exhibit(name) for name, case in networks.items()]
    text = "First paragraph: what was done,\nand why it matters to anybody at all.\n\nSecond paragraph."
    return {
        "title": "A report",
        "subtitle": f"For a test {HOSTILE}",
        "version": "0.1.0",
        "summary": [*rows, other],
        "experiments": [
            {
                "name": "moving",
                "title": "Samples that move",
                "text": text,
                "seconds": 12.3,
                "rows": rows,
                "figures": [],
                "exhibits": moving,
            },
            {
                "name": "points on spheres",
                "title": "Points on the circle and the sphere",
                "text": text,
                "seconds": 3.0,
                "rows": [other],
                "figures": [
                    {"caption": "A line.", "svg": SVG, "png": None, "file": "line.svg"},
                    {"caption": "A dot.", "svg": None, "png": dot(), "file": "dot.png"},
                ],
                "exhibits": [sphere(2), sphere(3), *charts()],
            },
        ],
    }


def dot():
    """A tiny PNG."""
    from io import BytesIO

    from PIL import Image

    file = BytesIO()
    Image.new("RGB", (4, 2), "teal").save(file, "png")
    return base64.b64encode(file.getvalue()).decode()
