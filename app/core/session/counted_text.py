"""Numbers of things in English words."""

from __future__ import annotations


def counted_text(count: int, what: str, many: str = "") -> str:
    """'1 row' or '2,000 rows'; `many` is the plural where it is not formed with an s."""
    return f"{count:,} {what if count == 1 else many or what + 's'}"
