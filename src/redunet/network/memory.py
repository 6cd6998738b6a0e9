"""Whether a construction fits into memory, asked before it begins."""

import os
from pathlib import Path

import numpy as np

from ..inputs.byte_sizes import readable_bytes
from .network import Network
from .recipe import Recipe

# Share of the free memory that a fit may ask for.
LARGEST_SHARE = 0.9
# Moments, those of more samples, their eigenvectors and operators, and what layers do to them.
COPIES_OF_MOMENTS = 8
# Where Linux says how much a group of processes may use and uses, new and old.
CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def refuse_too_large(
    network: Network, n_samples: int, n_classes: int, recipe: Recipe, *, all_layers: bool = False
) -> None:
    """Refuse a fit that would not fit, with the estimate and what to do about it.

    ``all_layers`` says that ``tol`` is not expected to end the layers early.
    """
    needed, free = bytes_needed(network, n_samples, n_classes, recipe, all_layers=all_layers), free_memory()
    if free is not None and needed > LARGEST_SHARE * free:
        shorter = "" if network.dtype == np.float32 else "X.astype('float32') halves it; "
        layers = "fewer layers, or tol=1e-4, keep less; " if recipe.tol is None and recipe.n_layers > 1 else ""
        layers = "fewer layers (n_layers) keep less; " if all_layers and recipe.n_layers > 1 else layers
        channels = "fewer channels or a larger pool in the lift, or " if network.lift is not None else ""
        channels = "fewer landmarks (n_landmarks), or " if network.kernel is not None else channels
        raise MemoryError(
            f"this fit needs about {readable_bytes(needed)} of memory and {readable_bytes(free)} are free. {shorter}"
            f"{layers}{channels}fewer samples need less."
        )


def refuse_large_moments(network: Network, n_classes: int) -> None:
    """Refuse to gather moments that would not fit, with the estimate and what to do about it."""
    n_freqs, n_channels = network.block_shape
    one = n_freqs * n_channels**2 * (16 if network.geometry.grid else 8)
    needed, free = float(COPIES_OF_MOMENTS * (n_classes + 1) * one), free_memory()
    if free is not None and needed > LARGEST_SHARE * free:
        many = "fewer channels, or a larger pool, in the lift" if network.lift is not None else "fewer features"
        many = "fewer landmarks (n_landmarks)" if network.kernel is not None else many
        raise MemoryError(
            f"construction='moments' keeps {n_freqs} × {n_channels} × {n_channels} numbers for each of {n_classes} "
            f"classes; with what is made of them that is about {readable_bytes(needed)} of memory, and "
            f"{readable_bytes(free)} are free. Pass {many}, or construction='samples'."
        )


def bytes_needed(
    network: Network, n_samples: int, n_classes: int, recipe: Recipe, *, all_layers: bool = False
) -> float:
    """About how much memory a construction takes, above its samples.

    Features, twice where the step is adapted; class moments in double precision, with what is made of them; the
    operators of one layer as real matrices; and the layers themselves where ``tol`` will not end them early.
    """
    n_freqs, paired = len(network.geometry.norm_weights), 2 if network.geometry.grid else 1
    n_channels = network.n_coordinates
    itemsize = network.dtype.itemsize
    features = n_samples * n_freqs * n_channels * paired * itemsize
    copies = 3 if recipe.step_size is None or recipe.momentum else 2
    matrices = (n_classes + 1) * n_freqs * n_channels**2
    moments = 4 * matrices * paired * 8
    layer = matrices * paired * itemsize
    n_stored = max(1, recipe.n_layers) if recipe.tol is None or all_layers else 1
    return float(copies * features + moments + 3 * layer + n_stored * layer)


def free_memory() -> int | None:
    """Bytes that this process may still take; None where the system does not say."""
    found = []
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                found.append(1024 * int(line.split()[1]))
    except OSError:
        names = getattr(os, "sysconf_names", {})
        if "SC_PHYS_PAGES" in names and "SC_PAGE_SIZE" in names:
            found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for limit, used in CGROUPS:
        try:
            found.append(int(Path(limit).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):  # no group, or no limit
            continue
    return max(0, min(found)) if found else None
