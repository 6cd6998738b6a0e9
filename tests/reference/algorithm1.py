"""The paper's Algorithm 1 as it stands: unitary full spectrum, loops over frequencies, samples and classes."""

import numpy as np


def features_and_rates(samples, codes, eps, eta, lam, n_layers):
    """Features of shape (m, n_channels, *grid) after each of n_layers layers, and R − R_c after each of them."""
    m, C, *grid = samples.shape
    axes = tuple(range(2, samples.ndim))
    V = np.fft.fftn(samples, axes=axes, norm="ortho").reshape(m, C, -1)
    T = V.shape[2]
    classes = np.unique(codes)
    alpha = C / (m * eps**2)
    alpha_j = [C / ((codes == j).sum() * eps**2) for j in classes]
    gamma = [(codes == j).mean() for j in classes]

    def objective(V):
        value = 0.0
        for p in range(T):
            Vp = V[:, :, p].T
            value += np.linalg.slogdet(np.eye(C) + alpha * Vp @ Vp.conj().T)[1]
            for j, a, g in zip(classes, alpha_j, gamma, strict=True):
                Vj = Vp[:, codes == j]
                value -= g * np.linalg.slogdet(np.eye(C) + a * Vj @ Vj.conj().T)[1]
        return value / (2 * T)

    objectives = [objective(V)]
    for _ in range(n_layers):
        E, K = np.empty((T, C, C), complex), np.empty((len(classes), T, C, C), complex)
        for p in range(T):
            Vp = V[:, :, p].T
            E[p] = alpha * np.linalg.inv(np.eye(C) + alpha * Vp @ Vp.conj().T)
            for j, a in zip(range(len(classes)), alpha_j, strict=True):
                Vj = Vp[:, codes == classes[j]]
                K[j, p] = a * np.linalg.inv(np.eye(C) + a * Vj @ Vj.conj().T)
        after = np.empty_like(V)
        for i in range(m):
            P = np.array([[K[j, p] @ V[i, :, p] for p in range(T)] for j in range(len(classes))])
            weight = np.exp(-lam * np.array([np.linalg.norm(P_j) for P_j in P]))
            pi = weight / weight.sum()
            for p in range(T):
                compressed = sum(gamma[j] * pi[j] * P[j, p] for j in range(len(classes)))
                after[i, :, p] = V[i, :, p] + eta * (E[p] @ V[i, :, p] - compressed)
            after[i] /= np.linalg.norm(after[i])
        V = after
        objectives.append(objective(V))
    features = np.fft.ifftn(V.reshape(m, C, *grid), axes=axes, norm="ortho")
    return features.real, np.array(objectives)
