"""Write the files of the zoo for the present format; run once when a format is new, never again for an old one.

python -m tests.storage.make_zoo
"""

import numpy as np

from redunet.storage.model_file import FORMAT

from .models import models, said
from .test_zoo import ZOO

if __name__ == "__main__":
    folder = ZOO / f"format-{FORMAT}"
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} has files already, and files of a format are never changed")
    folder.mkdir(parents=True, exist_ok=True)
    for name, (model, samples) in models().items():
        model.save(folder / f"{name}.redunet")
        np.savez_compressed(folder / f"{name}.npz", samples=samples, said=said(model, samples))
