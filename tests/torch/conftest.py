"""One thread of PyTorch in each process: tests run in several, and threads that wait for others waste their cores."""

try:
    import torch
except ModuleNotFoundError:
    pass
else:
    torch.set_num_threads(1)
