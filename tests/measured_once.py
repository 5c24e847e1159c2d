"""Numbers of spectra that tests read anew again and again, measured once for all that are equal."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import fields
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np

from agent.spectra.pixel_grid import kept_with
from agent.spectra.spectrum import Spectrum

EVERYTHING = tuple(each.name for each in fields(Spectrum))


@cache
def hash_of(names: tuple[str, ...]) -> Callable[[Spectrum], bytes]:
    """What hashes the fields of these names, once for each spectrum."""

    @kept_with
    def hashed(spectrum: Spectrum) -> bytes:
        digest = sha256()
        for name in names:
            value = getattr(spectrum, name)
            digest.update(name.encode())
            is_array = isinstance(value, np.ndarray)
            digest.update(value.tobytes() if is_array else repr(value).encode())
        return digest.digest()

    return hashed


def once(
    measure: Callable[..., Any],
    names: tuple[str, ...] = EVERYTHING,
    most: int = 10_000,
    *,
    copied: bool = False,
) -> Callable[..., Any]:
    """`measure`, called once for spectra with equal fields of these names and equal arguments.

    At most so many results are kept; who may change one gets a copy. A function among the
    arguments only spares work, so it does not tell results apart.
    """
    known: dict[tuple[Any, ...], Any] = {}

    def found(spectrum: Spectrum, *more: Any) -> Any:
        key = (hash_of(names)(spectrum), *(each for each in more if not callable(each)))
        if key not in known:
            if len(known) == most:
                known.clear()
            known[key] = measure(spectrum, *more)
        return deepcopy(known[key]) if copied else known[key]

    return found
