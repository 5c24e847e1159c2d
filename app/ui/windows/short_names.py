"""Shorter names of a diagnostic window, as astronomers write them: "He II" for "He II 4686, Hβ"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

NEXT_LINE = re.compile(r",\s| and | to |、|与|至")
"""What stands between the lines of a window."""
LEAVES_OUT = tuple(
    map(
        re.compile,
        (
            r"^排除 | excluded$|^伴星的 | of the companion$",
            r"(?<=..)(?<!High) (?:\d{4}|(?![IVX]+$)\w{3,}|[\u4e00-\u9fff]{2,}|(?<=II )K)$",
            r"(?<=[\u4e00-\u9fff]{2})(?:线系|系限|线|伴星)$",
            r"^High |^高次",
        ),
    )
)
"""What may go of a name: a wavelength, "lines", the K of "Ca II K", but not its II."""


@lru_cache(maxsize=64)
def short_names(label: str) -> tuple[str, ...]:
    """The label, then ever shorter names of its first line."""
    return tuple(dict.fromkeys(_shorter(label)))


def _shorter(label: str) -> Iterator[str]:
    yield label
    for gap in reversed(list(NEXT_LINE.finditer(label))):
        yield label[: gap.start()].rstrip()
    name = NEXT_LINE.split(label)[0].strip()
    while name:
        yield name
        shorter = (each.sub("", name, count=1) for each in LEAVES_OUT)
        name = next((each for each in shorter if each != name), "")
