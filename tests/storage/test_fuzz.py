"""A small run of the fuzzer; ``python -m tests.storage.fuzz`` is the large one."""

from .fuzz import fuzz, peak_of_loading


def test_broken_files_give_the_projects_own_error_or_an_answer(tmp_path):
    counts = fuzz(1500, 0, tmp_path)
    assert sum(counts.values()) == 1500
    assert counts["refused"] > 1000
    assert counts["answered"] > 0  # some changes leave a model whole, or the fuzzer tries too little


def test_loading_a_broken_file_takes_no_more_memory_than_twice_the_file(tmp_path):
    assert peak_of_loading(60, 1, tmp_path) < 2
