"""The paper's Algorithm 1 as it reads, to measure against: for reading, not for speed.

Full complex spectrum in the unitary convention, one inversion per frequency and operator, one einsum per operator, the
objective after every layer. Samples are the last axis, as in the paper; all cyclic axes together count as frequencies.
"""

import numpy as np


def literal_redunet(Z, labels, *, eps, eta, lam, n_layers, on_layer=None):
    """Build a network and return its features, operators and objective.

    Parameters
    ----------
    Z : real array, shape (n_channels, *grid, n_samples)
        Samples of unit norm.
    labels : int array, shape (n_samples,)
        Classes 0, 1, …
    eps, eta, lam : float
        ε (not ε²), η and λ.
    n_layers : int
    on_layer : callable, optional
        Called before the first layer and after each.

    Returns
    -------
    features : real array of the shape of Z
    layers : list of (E, C)
    objective : list of float
        ΔR after each layer.
    """
    C, *grid, m = Z.shape
    axes = tuple(range(1, 1 + len(grid)))
    T = int(np.prod(grid))
    k = labels.max() + 1
    Pi = [labels == j for j in range(k)]
    alpha = C / (m * eps**2)
    alpha_j = [C / (Pi[j].sum() * eps**2) for j in range(k)]
    gamma = [Pi[j].sum() / m for j in range(k)]
    identity = np.eye(C)

    V = np.fft.fftn(Z, axes=axes, norm="ortho").reshape(C, T, m)
    layers, objective = [], []
    if on_layer is not None:
        on_layer()
    for _ in range(n_layers):
        # Step 1: the operators at each frequency.
        E = np.empty((C, C, T), dtype=complex)
        Cj = np.empty((k, C, C, T), dtype=complex)
        for p in range(T):
            Vp = V[:, p]
            E[:, :, p] = alpha * np.linalg.inv(identity + alpha * Vp @ Vp.conj().T)
            for j in range(k):
                Vpj = Vp[:, Pi[j]]
                Cj[j, :, :, p] = alpha_j[j] * np.linalg.inv(identity + alpha_j[j] * Vpj @ Vpj.conj().T)
        # Step 2: project, assign softly, update, normalise.
        P = [np.einsum("cdp,dpi->cpi", Cj[j], V) for j in range(k)]
        weight = np.exp([-lam * np.linalg.norm(P[j].reshape(C * T, m), axis=0) for j in range(k)])
        soft = weight / weight.sum(axis=0)
        step = np.einsum("cdp,dpi->cpi", E, V)
        for j in range(k):
            step = step - gamma[j] * soft[j] * P[j]
        V = V + eta * step
        V = V / np.linalg.norm(V.reshape(C * T, m), axis=0)
        layers.append((E, Cj))
        # The objective.
        value = 0.0
        for p in range(T):
            Vp = V[:, p]
            value += np.linalg.slogdet(identity + alpha * Vp @ Vp.conj().T)[1]
            for j in range(k):
                Vpj = Vp[:, Pi[j]]
                value -= gamma[j] * np.linalg.slogdet(identity + alpha_j[j] * Vpj @ Vpj.conj().T)[1]
        objective.append(value / (2 * T))
        if on_layer is not None:
            on_layer()
    return np.fft.ifftn(V.reshape(C, *grid, m), axes=axes, norm="ortho").real, layers, objective
