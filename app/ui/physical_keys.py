"""Where a key lies on the keyboard, for layouts that have no Latin letters.

The sign returned is the one a US keyboard has there.
"""

from __future__ import annotations

_ROWS = {2: "1234567890-=", 16: "qwertyuiop[]", 30: "asdfghjkl;'`", 43: "\\zxcvbnm,./"}
_BY_SCAN_CODE = {
    first + place: sign for first, row in _ROWS.items() for place, sign in enumerate(row)
}
"""As Windows has them; X11 and Wayland count from eight more."""
_ON_A_MAC = dict(enumerate("asdfhgzxcv")) | dict(
    zip(
        (*range(11, 36), *range(37, 40), *range(40, 48)),
        "bqweryt123465=97-80]ou[iplj'k;\\,/nm.",
        strict=True,
    )
)
_X11_OFFSET = 8


def sign_there(platform: str, scan_code: int, virtual_key: int) -> str:
    """`platform` as QGuiApplication names it; empty where nobody knows."""
    if platform == "cocoa":
        return _ON_A_MAC.get(virtual_key, "")
    if platform == "windows":
        return _BY_SCAN_CODE.get(scan_code, "")
    return _BY_SCAN_CODE.get(scan_code - _X11_OFFSET, "")
