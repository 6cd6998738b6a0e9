"""Numbers of bytes as people say them."""

UNITS = ("bytes", "kB", "MB", "GB", "TB")


def readable_bytes(n_bytes: float) -> str:
    """A number of bytes in a unit that people use, with three digits: 1234567 is "1.23 MB"."""
    size, unit = float(n_bytes), 0
    while size >= 999.5 and unit < len(UNITS) - 1:  # what would be rounded to 1000 of a unit is 1 of the next
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {UNITS[unit]}"
