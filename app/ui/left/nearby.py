"""Other epochs of a source and its neighbours in the list, with what was said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.core.importing.role_names import plain
from app.core.queue import Neighbour, neighbours
from app.core.records import Candidate, Judgement
from app.core.session import Session

DATES = ("obsdate", "date_obs", "date", "night", "lmjd", "mjd", "mjd_obs")
SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class Nearby:
    neighbour: Neighbour
    date: str
    mine: Judgement | None


def look_nearby(session: Session, candidate: Candidate, radius_arcsec: float) -> list[Nearby]:
    """Nearest first, at most SHOWN. Any thread."""
    found = neighbours(session, candidate, radius_arcsec)[:SHOWN]
    return [
        Nearby(
            neighbour=each,
            date=date_of(each.candidate.own),
            mine=session.judgement(each.candidate.id),
        )
        for each in found
    ]


def date_of(own: Mapping[str, Any]) -> str:
    """Of the observation, where the list tells; empty where it does not."""
    by_name = {plain(name): value for name, value in own.items()}
    for name in DATES:
        value = by_name.get(name)
        if value not in (None, ""):
            return str(value)[:10]
    return ""
