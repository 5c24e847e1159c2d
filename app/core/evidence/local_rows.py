"""Rows of a catalogue on this machine, in whatever form it is kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import FloatArray
from app.core.importing.formats.contents import Value

IntArray = NDArray[np.int64]
Row = Sequence[Value]
MAX_COLUMNS = 100


@dataclass(frozen=True, kw_only=True)
class PlacedRows:
    """Rows that were read together."""

    count: int
    numbers: IntArray  # which of them have a position
    places: FloatArray  # Unit vectors of those; (n, 3).
    rows: Callable[[IntArray], Sequence[Row]]
    """The values of some rows, by their numbers in rising order; read when they are asked for."""
    done: int
    of: int | None  # how much of the catalogue has been read, if that is known


def chord(angle: Any) -> Any:
    """The straight distance of two unit vectors so many radians apart."""
    return 2.0 * np.sin(0.5 * angle)
