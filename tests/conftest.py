"""Settings of all tests."""

from hypothesis import settings

# The same examples everywhere: a failure on one machine is a failure on all.
settings.register_profile("redunet", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("redunet")
