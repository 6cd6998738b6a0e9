"""The slow truth for vectors: one matrix, one inverse, one logarithm of a determinant, no spectrum, no blocks."""

import numpy as np


def rates(Z, codes, eps):
    """R and R_c of the columns of Z, shape (n, m), by definition (eq. 1)."""
    n, m = Z.shape
    _, logdet = np.linalg.slogdet(np.eye(n) + n / (m * eps**2) * Z @ Z.T)
    R, R_c = logdet / 2, 0.0
    for j in np.unique(codes):
        Z_j = Z[:, codes == j]
        m_j = Z_j.shape[1]
        _, logdet = np.linalg.slogdet(np.eye(n) + n / (m_j * eps**2) * Z_j @ Z_j.T)
        R_c += m_j / m * logdet / 2
    return R, R_c


def operators(Z, codes, eps):
    """E, the list of C_j, and the list of γ_j (eqs. 4, 5)."""
    n, m = Z.shape
    alpha = n / (m * eps**2)
    E = alpha * np.linalg.inv(np.eye(n) + alpha * Z @ Z.T)
    C, gamma = [], []
    for j in np.unique(codes):
        Z_j = Z[:, codes == j]
        alpha_j = n / (Z_j.shape[1] * eps**2)
        C.append(alpha_j * np.linalg.inv(np.eye(n) + alpha_j * Z_j @ Z_j.T))
        gamma.append(Z_j.shape[1] / m)
    return E, C, gamma


def layer(Z, codes, eps, eta, lam, relative=True):
    """Columns of Z after one layer, sample by sample (eqs. 11 to 13)."""
    n, _ = Z.shape
    E, C, gamma = operators(Z, codes, eps)
    unit = [n / ((codes == j).sum() * eps**2) if relative else 1.0 for j in np.unique(codes)]
    after = np.empty_like(Z)
    for i, z in enumerate(Z.T):
        weight = np.array([np.exp(-lam * np.linalg.norm(C_j @ z) / u) for C_j, u in zip(C, unit, strict=True)])
        pi = weight / weight.sum()
        step = E @ z - sum(g * p * (C_j @ z) for g, p, C_j in zip(gamma, pi, C, strict=True))
        after[:, i] = (z + eta * step) / np.linalg.norm(z + eta * step)
    return after
