"""The dust in a direction by IRSA's maps, and Gaia's magnitudes without it."""

import math
import re
from collections.abc import Mapping

from agent.web.body import never
from app.services.catalogues.answer import Answer, Exchange, Match, Value, answer_of, finite_number
from app.services.catalogues.page import ask_page
from app.services.catalogues.position import Position
from app.services.catalogues.service import Service
from app.services.web.client import WebClient
from app.services.web.errors import BadReply, ShouldStop

MAX_REPLY = 100_000  # bytes; an answer has some 3,000
SMALLEST_DEG = 2.0  # of the pictures that are made with each answer, which we do not fetch
HIGHEST = 1000.0  # E(B-V); the map's own highest are near 100
COEFFICIENTS = {"g": 2.740, "bp": 3.374, "rp": 2.035, "bp_rp": 1.339}
"""Per E(B-V), of mean stars: Casagrande and VandenBerg 2018, MNRAS 479, L102."""
MAPS_ERROR = 0.16  # of the value itself: Schlegel, Finkbeiner and Davis 1998


def ask_dust(
    service: Service, client: WebClient, position: Position, should_stop: ShouldStop = never
) -> tuple[Answer, Exchange]:
    """What the maps have at a position. Raises ServiceError."""
    at = position.at(service.epoch)
    fields = {"locstr": f"{at.ra:.6f} {at.dec:.6f}", "regSize": str(SMALLEST_DEG)}
    exchange = ask_page(service, client, service.url, fields, should_stop, max_bytes=MAX_REPLY)
    return read_dust(service, exchange.content), exchange


def read_dust(service: Service, content: bytes) -> Answer:
    """Raises BadReply where not every number is there."""
    if b'<results status="ok"' not in content or not content.rstrip().endswith(b"</results>"):
        raise BadReply("the answer tells of no dust, or is cut short")
    values: dict[str, Value] = {}
    for each in service.columns:
        values[each.name] = _number(content, f"refPixelValue{each.column}")
        values[f"{each.name}_error"] = _number(content, each.error)
    return answer_of([Match(values=values, separation_arcsec=0.0)])


def _number(content: bytes, tag: str) -> float:
    found = re.search(rf"<{tag}>\s*([0-9.]{{1,20}})\s*\(mag\)\s*</{tag}>".encode(), content)
    try:
        value = float(found[1]) if found else math.nan
    except ValueError:
        value = math.nan
    if not 0.0 <= value < HIGHEST:
        raise BadReply(f"the answer is damaged: it gives no {tag}")
    return value


def reddening(answer: Answer | None) -> tuple[float, float] | None:
    """E(B-V) with its error, of which the map's own is the larger part."""
    values = {} if answer is None or answer.nearest is None else answer.nearest.values
    ebv, scatter = (finite_number(values.get(name)) for name in ("ebv", "ebv_error"))
    return None if ebv is None else (ebv, math.hypot(scatter or 0.0, MAPS_ERROR * ebv))


def without_dust(values: Mapping[str, Value], dust: tuple[float, float]) -> dict[str, Value]:
    """Gaia's values of a star behind all the dust in its direction."""
    made = dict(values)
    for name, coefficient in COEFFICIENTS.items():
        value, error = (finite_number(values.get(each)) for each in (name, f"{name}_error"))
        if value is not None:
            made[name] = value - coefficient * dust[0]
            made[f"{name}_error"] = math.hypot(error or 0.0, coefficient * dust[1])
    return made
