"""Convolutional networks with circular padding and global pooling, trained by back-propagation (PyTorch).

They are as invariant to translation as this project's networks: no zero padding, and no steps of a fixed grid.

``fit_cnn`` trains with Adam until its loss on held-out training samples (a fifth) has not improved for a while, and
keeps its best state. On signals with several channels (rings) it convolves along the last axis alone.

``fit_deformed`` is for images, and stronger: circular translations of a training image would teach it nothing, so
each batch is turned, scaled and sheared a little; and the grid is halved twice, so that the last filters see most of an
image. Of the four grids of every second row and column it goes on with that of the largest norm, which moves along with
the image. Learning rate, number of steps and deformations were chosen on training images that were not drawn.
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


STEPS, STEPS_FOR_MANY = 600, 1500  # of up to MANY samples, and of more
MANY = 500
PEAK_RATE = 5e-3  # of a learning rate that rises and falls once
TURN, SCALE, SHEAR = 0.26, 0.15, 0.2  # largest deformation: radians, logarithm of each side, pixels per pixel


def deformed(images, generator, amount):
    """Each image turned, scaled and sheared by an amount of its own; what comes in from outside is black."""
    import torch
    from torch.nn.functional import affine_grid, grid_sample

    def drawn(largest):
        return (2 * torch.rand(len(images), generator=generator) - 1) * largest * amount

    turn, shear = drawn(TURN), drawn(SHEAR)
    wide, high = drawn(SCALE).exp(), drawn(SCALE).exp()
    maps = torch.zeros(len(images), 2, 3)
    maps[:, 0, 0], maps[:, 0, 1] = turn.cos() * wide, (turn.cos() * shear - turn.sin()) * high
    maps[:, 1, 0], maps[:, 1, 1] = turn.sin() * wide, (turn.sin() * shear + turn.cos()) * high
    return grid_sample(images, affine_grid(maps, images.shape, align_corners=False), align_corners=False)


def halved(x):
    """Every second row and column of each sample: of the four such grids that of the largest norm."""
    n, channels, height, width = x.shape
    parts = x.view(n, channels, height // 2, 2, width // 2, 2).permute(0, 3, 5, 1, 2, 4).flatten(1, 2)
    largest = parts.detach().square().sum((2, 3, 4)).argmax(1)
    return parts[range(n), largest]


def fit_deformed(X, y, seed, amount=1.0):
    """Train on images X (n, channels, height, width), whose sides are multiples of 4, and deformed copies of them.

    ``amount`` is a factor of the deformations. Returns a function that answers.
    """
    import torch
    from torch import nn

    torch.manual_seed(seed)
    torch.set_num_threads(1)

    class Halved(nn.Module):
        def forward(self, x):
            return halved(x)

    def block(n_in, n_out):
        convolution = nn.Conv2d(n_in, n_out, 3, padding=1, padding_mode="circular")
        return [convolution, nn.BatchNorm2d(n_out), nn.ReLU()]

    net = nn.Sequential(
        *(*block(X.shape[1], WIDTH), Halved(), *block(WIDTH, 2 * WIDTH), *block(2 * WIDTH, 2 * WIDTH)),
        *(Halved(), *block(2 * WIDTH, 4 * WIDTH), *block(4 * WIDTH, 4 * WIDTH)),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4 * WIDTH, int(y.max()) + 1)),
    )
    samples, labels = torch.from_numpy(X.astype(np.float32)), torch.from_numpy(y.astype(np.int64))
    n_steps = STEPS if len(y) <= MANY else STEPS_FOR_MANY
    optimiser = torch.optim.AdamW(net.parameters(), PEAK_RATE, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, total_steps=n_steps)
    generator = torch.Generator().manual_seed(seed)
    epochs = 1 + n_steps * BATCH // len(y)
    order = torch.cat([torch.randperm(len(y)) for _ in range(epochs)])
    for rows in order.split(BATCH)[:n_steps]:
        optimiser.zero_grad()
        answers = net(deformed(samples[rows], generator, amount))
        nn.functional.cross_entropy(answers, labels[rows]).backward()
        optimiser.step()
        schedule.step()
    net.eval()

    def predict(new):
        with torch.no_grad():
            parts = torch.from_numpy(new.astype(np.float32)).split(250)
            return torch.cat([net(part).argmax(1) for part in parts]).numpy()

    return predict
