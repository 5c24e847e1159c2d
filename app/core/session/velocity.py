"""The velocity of an object as a person keeps it: how fast, how sure, and where it is from."""

import json
import math
from dataclasses import asdict, dataclass
from typing import Literal, get_args

from agent.spectra.pixel_grid import LIGHT_KMS
from app.core.errors import SessionError

VelocitySource = Literal["hand", "template", "lines", "header", "list"]

SOURCES = get_args(VelocitySource)
Z_LIMIT = 7.0  # of the most distant quasars
HIGHEST_KMS = Z_LIMIT * LIGHT_KMS
MAX_QUALITY = 4


@dataclass(frozen=True, kw_only=True)
class Velocity:
    """c z in the frame of the file, km/s; `quality` goes from 1, a guess, to 4, certain."""

    kms: float
    error_kms: float | None = None
    source: VelocitySource = "hand"
    quality: int | None = None

    @property
    def shown(self) -> str:
        """As '−172 ± 9 km/s'."""
        number = f"{self.kms:.0f}".replace("-", "\N{MINUS SIGN}")
        error = "" if self.error_kms is None else f" ± {self.error_kms:.0f}"
        return f"{number}{error} km/s"


def checked_velocity(velocity: Velocity | None) -> Velocity | None:
    """Return it, or raise a SessionError that says what cannot be kept."""
    if velocity is None:
        return None
    error, quality = velocity.error_kms, velocity.quality
    if not abs(velocity.kms) <= HIGHEST_KMS:
        raise SessionError(f"a velocity is at most {HIGHEST_KMS:.0f} km/s")
    if error is not None and not 0 <= error < math.inf:
        raise SessionError("the error of a velocity is a number from 0")
    if quality is not None and not 1 <= quality <= MAX_QUALITY:
        raise SessionError(f"the quality of a velocity is a number from 1 to {MAX_QUALITY}")
    if velocity.source not in SOURCES:
        raise SessionError(f"a velocity is from one of {', '.join(SOURCES)}")
    return velocity


def best_velocity(several: list[Velocity]) -> Velocity | None:
    """Of several people's, the one of the highest quality, then that with the smallest error."""

    def how_unsure(velocity: Velocity) -> tuple[int, float]:
        error = math.inf if velocity.error_kms is None else velocity.error_kms
        return -(velocity.quality or 0), error

    return min(several, key=how_unsure, default=None)


def velocity_english(velocity: Velocity) -> str:
    """As '−172 ± 9 km/s (template, quality 3)'."""
    quality = "" if velocity.quality is None else f", quality {velocity.quality}"
    return f"{velocity.shown} ({velocity.source}{quality})"


def velocity_json(velocity: Velocity | None) -> str:
    """As the tables keep it: JSON, or nothing."""
    return "" if velocity is None else json.dumps(asdict(velocity))


def velocity_from(text: str) -> Velocity | None:
    """What `velocity_json` has written. Raises ValueError for anything else, or SessionError."""
    if not text:
        return None
    found = json.loads(text)
    if not isinstance(found, dict) or found.keys() != asdict(Velocity(kms=0.0)).keys():
        raise ValueError("unexpected content")
    kms, error, quality = found["kms"], found["error_kms"], found["quality"]
    numbers = [kms] if error is None else [kms, error]
    if not all(type(each) in (int, float) for each in numbers):
        raise ValueError("unexpected content")
    if type(quality) not in (int, type(None)) or not isinstance(found["source"], str):
        raise ValueError("unexpected content")
    numbers_of_it = {"kms": float(kms), "error_kms": None if error is None else float(error)}
    return checked_velocity(Velocity(**{**found, **numbers_of_it}))
