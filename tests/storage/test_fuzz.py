"""A small run of the fuzzer; ``python -m tests.storage.fuzz`` is the large one."""

from .fuzz import fuzz


def test_broken_files_give_the_projects_own_error_or_finite_answers():
    tally = fuzz(0, 1200, seed=0)
    assert not tally.failures, next(iter(tally.failures.items()))
    assert sum(tally.counts.values()) == 1200
    assert tally.counts["refused"] > 800
    assert tally.counts["answered"] > 20  # some changes leave a model whole, or the fuzzer tries too little
