"""A convolutional network with circular padding and global pooling, trained by back-propagation (PyTorch).

It is as invariant to translation as this project's networks: no strides, no zero padding. It trains with Adam until
its loss on held-out training samples (a fifth) has not improved for a while, and keeps its best state. On signals with
several channels (rings) it convolves along the last axis alone.
"""

import time

import numpy as np

WIDTH, LEARNING_RATE, BATCH = 32, 1e-3, 32
PATIENCE = 15  # evaluations without a better held-out loss


def fit_cnn(X, y, seed, most_seconds=900.0):
    """Train on X (n, channels, *grid); returns a function that answers, and the seconds until the best state."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
    flat = X.ndim == 3
    convolution, norm = (nn.Conv1d, nn.BatchNorm1d) if flat else (nn.Conv2d, nn.BatchNorm2d)
    kernel, padding = (7, 3) if flat else (3, 1)

    def block(n_in, n_out):
        return [convolution(n_in, n_out, kernel, padding=padding, padding_mode="circular"), norm(n_out), nn.ReLU()]

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(
                *block(X.shape[1], WIDTH), *block(WIDTH, WIDTH), *block(WIDTH, 2 * WIDTH), *block(2 * WIDTH, 2 * WIDTH)
            )
            self.head = nn.Linear(2 * WIDTH, int(y.max()) + 1)

        def forward(self, x):
            return self.head(self.body(x).flatten(2).mean(2))

    net = Net()
    optimiser = torch.optim.Adam(net.parameters(), LEARNING_RATE)
    held_out = np.zeros(len(y), dtype=bool)
    rng = np.random.default_rng(seed)
    for j in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == j))
        held_out[rows[: max(1, len(rows) // 5)]] = True
    samples, labels = torch.from_numpy(X.astype(np.float32)), torch.from_numpy(y.astype(np.int64))
    kept = torch.from_numpy(np.flatnonzero(~held_out))
    aside = torch.from_numpy(np.flatnonzero(held_out))
    loss_of = nn.CrossEntropyLoss()
    start = time.perf_counter()
    best_loss, best_state, best_seconds, waited = np.inf, None, 0.0, 0
    # Small sets are seen several times between evaluations, so that one takes at least some 20 steps.
    epochs = max(1, 20 * BATCH // len(kept))
    while waited < PATIENCE and time.perf_counter() - start < most_seconds:
        net.train()
        for _ in range(epochs):
            order = kept[torch.randperm(len(kept))]
            for first in range(0, len(order), BATCH):
                rows = order[first : first + BATCH]
                if len(rows) < 2:
                    continue
                optimiser.zero_grad()
                loss_of(net(samples[rows]), labels[rows]).backward()
                optimiser.step()
        net.eval()
        with torch.no_grad():
            parts = [net(samples[rows]) for rows in aside.split(500)]
            loss = float(loss_of(torch.cat(parts), labels[aside]))
        waited += 1
        if loss < best_loss:
            best_loss, waited = loss, 0
            best_state = {name: value.clone() for name, value in net.state_dict().items()}
            best_seconds = time.perf_counter() - start
    net.load_state_dict(best_state)
    net.eval()

    def predict(new):
        with torch.no_grad():
            parts = torch.from_numpy(new.astype(np.float32)).split(250)
            return torch.cat([net(part).argmax(1) for part in parts]).numpy()

    return predict, best_seconds
