"""Numbers of bytes as people say them."""

import pytest

from redunet.inputs.byte_sizes import readable_bytes


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1234, "1.23 kB"),
        (999_499, "999 kB"),
        (999_500, "1 MB"),
        (2_100_000_000, "2.1 GB"),
        (7.5e12, "7.5 TB"),
    ],
)
def test_bytes_are_said_in_a_unit_that_needs_three_digits(n_bytes, text):
    assert readable_bytes(n_bytes) == text
