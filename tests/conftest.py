"""Settings of all tests."""

import os

from hypothesis import settings

# scikit-learn skips its check of array API input without it. SciPy reads it when it is first imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# The same examples everywhere: a failure on one machine is a failure on all.
settings.register_profile("redunet", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("redunet")
