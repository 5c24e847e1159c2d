"""The date of an observation, from the header of its file or from the list, as an ISO date."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from app.core.importing.role_names import normalized_name

DAYS = ("date_obs", "obsdate", "obs_date", "date", "night")
MODIFIED_JULIAN = ("mjd", "mjd_obs", "lmjd", "tai")
ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
MJD_ZERO = date(1858, 11, 17)
MJDS = 15_000.0, 90_000.0
"""From 1899 to 2105; other numbers are no dates."""


def observation_date(header: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    """`2014-02-19`; empty if neither the header nor the list says when it was."""
    for values in (header, own):
        by_name = {normalized_name(name): value for name, value in values.items()}
        for name in DAYS:
            if found := ISO.match(str(by_name.get(name, ""))[:40].strip()):
                return found.group()
        for name in MODIFIED_JULIAN:
            if day := date_of_mjd(by_name.get(name)):
                return day
    return ""


def date_of_mjd(value: object) -> str:
    """The civil date of a modified Julian date; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return ""
    try:
        number = float(value)
    except ValueError:
        return ""
    if not MJDS[0] < number < MJDS[1]:
        return ""
    return (MJD_ZERO + timedelta(days=int(number))).isoformat()
