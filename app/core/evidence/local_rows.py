"""Rows of a catalogue on this machine, in whatever form it is kept."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from app.core.importing.formats.contents import ListColumn, Value

FloatArray = NDArray[np.float64]
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


class LocalRows(Protocol):
    @property
    def columns(self) -> Sequence[ListColumn]:
        """At most MAX_COLUMNS."""

    @property
    def release(self) -> str:
        """Names this very content."""

    @property
    def about(self) -> Mapping[str, Any]:
        """What is kept as the source of its values."""

    def blocks(self, candidates: cKDTree, radius: float) -> Iterator[PlacedRows]:
        """The rows; those farther than `radius` (radians) from all candidates may be left out."""

    def notes(self, places: FloatArray) -> list[str]:
        """What the user should know of the match, once it is done, with candidates at `places`."""


def chord(angle: Any) -> Any:
    """The straight distance of two unit vectors so many radians apart."""
    return 2.0 * np.sin(0.5 * angle)
