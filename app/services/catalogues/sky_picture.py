"""A picture of the sky around a position, from the first survey that covers it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from urllib.parse import urljoin

from agent.web.body import never
from app.services.catalogues.answer import Exchange, Value
from app.services.catalogues.page import ask_page
from app.services.catalogues.position import Position
from app.services.catalogues.service import Service
from app.services.web.client import WebClient
from app.services.web.errors import BadReply, ShouldStop

SURVEYS = (
    ("CDS/P/PanSTARRS/DR1/color-i-r-g", "Pan-STARRS", 2012.0),
    ("CDS/P/DESI-Legacy-Surveys/DR10/color", "DESI Legacy Surveys", 2018.0),
    ("CDS/P/SDSS9/color", "SDSS", 2005.0),
    ("CDS/P/DSS2/color", "DSS2", 1995.0),
)
"""Identifier, name and about the year of the surveys, best first."""
COVERAGE = "/MocServer/query"
PIXELS, ARCSEC = 240, 60.0
MAX_PICTURE = 4 * 2**20
MAX_SCANS = 50  # a progressive JPEG has ten; each goes over the whole picture again
MAX_COVERAGE = 2**20


@dataclass(frozen=True, kw_only=True)
class SkyPicture:
    content: bytes  # JPEG; north is up, east left.
    survey: str
    epoch: float  # about the year in which it was taken
    arcsec: float  # width and height on the sky


def sky_picture(
    service: Service, client: WebClient, position: Position, should_stop: ShouldStop = never
) -> tuple[SkyPicture | None, Exchange]:
    """A picture; None where no survey has been. Raises ServiceError.

    A place outside a survey comes back black and not as an error, so its coverage is asked first.
    """
    covered, exchange = covering(service, client, position, should_stop)
    best = next((each for each in SURVEYS if each[0] in covered), None)
    if best is None:
        return None, exchange
    survey, name, epoch = best
    at = position.at(epoch)
    fields = {
        **{"hips": survey, "ra": f"{at.ra:.6f}", "dec": f"{at.dec:.6f}"},
        **{"fov": f"{ARCSEC / 3600.0:.6f}", "width": str(PIXELS), "height": str(PIXELS)},
        **{"projection": "TAN", "format": "jpg"},
    }
    exchange = ask_page(service, client, service.url, fields, should_stop, max_bytes=MAX_PICTURE)
    check_picture(exchange.content)
    return SkyPicture(content=exchange.content, survey=name, epoch=epoch, arcsec=ARCSEC), exchange


def covering(
    service: Service, client: WebClient, position: Position, should_stop: ShouldStop
) -> tuple[set[str], Exchange]:
    """Which of the surveys have been at a position."""
    ids = " || ".join(f"ID={survey}" for survey, _, _ in SURVEYS)
    at = position.at(service.epoch)
    fields = {
        **{"RA": f"{at.ra:.6f}", "DEC": f"{at.dec:.6f}", "SR": "0.005"},
        **{"get": "id", "fmt": "json", "expr": ids},
    }
    address = coverage_of(service)
    exchange = ask_page(service, client, address, fields, should_stop, max_bytes=MAX_COVERAGE)
    try:
        found = json.loads(exchange.content)
        if not isinstance(found, list):
            raise ValueError
    except (ValueError, RecursionError) as error:
        raise BadReply("the answer about coverage is no list") from error
    named = [each.get("ID") if isinstance(each, dict) else each for each in found]
    return {each for each in named if isinstance(each, str)}, exchange


def coverage_of(service: Service) -> str:
    """Where the coverage of surveys is asked: at the host of the pictures."""
    return urljoin(service.url, COVERAGE)


def stored_picture(content: bytes, said: Mapping[str, Value]) -> SkyPicture:
    """A picture that a session keeps, perhaps a stranger's: one that could have been asked for.

    Raises BadReply.
    """
    check_picture(content)
    for _, survey, epoch in SURVEYS:
        if said == {"survey": survey, "epoch": epoch, "arcsec": ARCSEC}:
            return SkyPicture(content=content, survey=survey, epoch=epoch, arcsec=ARCSEC)
    raise BadReply("the answer is no picture")


def check_picture(content: bytes) -> None:
    """Raise BadReply unless it is a whole JPEG of the size that was asked."""
    from PIL.JpegImagePlugin import JpegImageFile  # Image.open warns of sizes, or raises of its own

    if not content.startswith(b"\xff\xd8") or content.count(b"\xff\xda") > MAX_SCANS:
        raise BadReply("the answer is no picture")
    try:
        with JpegImageFile(BytesIO(content)) as picture:
            size = picture.size
            if size == (PIXELS, PIXELS):
                picture.load()
    except (OSError, SyntaxError, ValueError) as error:
        raise BadReply("the picture is damaged or cut short") from error
    if size != (PIXELS, PIXELS):
        raise BadReply(f"the picture has {size[0]} x {size[1]} pixels")
