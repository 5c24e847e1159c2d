"""The light curves of Gaia's own epochs, which its third release has of stars known to vary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from app.services.catalogues.answer import Exchange, Match, Value
from app.services.catalogues.light_curve import (
    LightCurve,
    Point,
    curves_of,
    is_of_a_star,
    light_curves,
)
from app.services.catalogues.position import Position
from app.services.catalogues.service import Service, ServiceColumn
from app.services.catalogues.tap import match_positions, read_answers
from app.services.web.client import WebClient, never
from app.services.web.errors import BadReply
from app.services.web.pace import ShouldStop

FIRST_DAY = 2_455_197.5
"""Barycentric Julian day from which Gaia's times count."""
MOST = 5000
"""Rows: one for each time that a star was passed over, some 70 in the third release."""
BANDS = {"G": ("time_g", "g"), "BP": ("time_bp", "bp"), "RP": ("time_rp", "rp")}
COLUMNS = {
    "source": "Source", "time_g": "TimeG", "flux_g": "FG", "flux_error_g": "e_FG", "g": "Gmag",
    "time_bp": "TimeBP", "bp": "BPmag", "time_rp": "TimeRP", "rp": "RPmag",
}  # fmt: skip
"""Ours, and those of VizieR's table I/355/epphot."""


def ask_light_curves(
    service: Service, client: WebClient, position: Position, should_stop: ShouldStop = never
) -> tuple[list[LightCurve], Exchange | None]:
    """The light curves near a position by any service that has some. Raises ServiceError."""
    ask = light_curves if service.kind == "ztf" else gaia_light_curves
    return ask(service, client, position, should_stop)


def gaia_light_curves(
    service: Service, client: WebClient, position: Position, should_stop: ShouldStop = never
) -> tuple[list[LightCurve], Exchange]:
    """A series for each band of each star near a position. Raises ServiceError."""
    asked = _with_columns(service)
    (answer,), exchange = match_positions(asked, client, [position], should_stop, most=MOST)
    return _curves(answer.matches), exchange


def read_gaia_light_curves(
    service: Service, position: Position, content: bytes
) -> list[LightCurve]:
    """The series of an answer about a position. Raises BadReply."""
    (answer,) = read_answers(_with_columns(service), [position], content, MOST)
    return _curves(answer.matches)


def _with_columns(service: Service) -> Service:
    """The service as it is asked: its columns are points of a curve, which no filter knows."""
    columns = tuple(ServiceColumn(name=name, column=there) for name, there in COLUMNS.items())
    return replace(service, columns=columns)


def _curves(matches: Iterable[Match]) -> list[LightCurve]:
    points: dict[tuple[str, str], list[Point]] = {}
    for match in matches:
        for band, (time, magnitude) in BANDS.items():
            days, mag = _number(match.values, time), _number(match.values, magnitude)
            if days is None or mag is None:
                continue
            point = days + FIRST_DAY, mag, _error(match.values) if band == "G" else math.nan
            if not is_of_a_star(point):
                raise BadReply("the answer is damaged: it has times or magnitudes of no star")
            points.setdefault((band, str(match.values["source"])), []).append(point)
    return curves_of(points, time="BJD")


def _error(values: Mapping[str, Value]) -> float:
    """Of a G magnitude, by the error of its flux."""
    flux, error = _number(values, "flux_g"), _number(values, "flux_error_g")
    if flux is None or error is None or flux <= 0.0 or error <= 0.0:
        return math.nan
    return 2.5 / math.log(10.0) * error / flux


def _number(values: Mapping[str, Value], name: str) -> float | None:
    value = values[name]
    return float(value) if isinstance(value, float | int) else None
