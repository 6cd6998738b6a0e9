"""How figures of the gallery look."""

import matplotlib as mpl

from redunet.fast import compile_notice
from redunet.plot import COLOURS


def calm(gallery_conf, fname):
    """Thin lines, no boxes, colours that colour-blind readers can tell apart."""
    compile_notice._said = True  # no message about compilation in the output of an example
    mpl.rcParams |= {
        "axes.prop_cycle": mpl.cycler(color=COLOURS),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": 10,
        "axes.labelsize": 9,
        "figure.dpi": 110,
        "font.size": 9,
        "legend.frameon": False,
        "lines.linewidth": 1.6,
    }
