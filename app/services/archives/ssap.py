"""Any service of spectra that follows the Simple Spectral Access Protocol."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

import numpy as np

from agent.hashing import text_hash
from agent.votable.parser import DTYPES, Cell, VOTableField
from app.services.archives.archive import FetchedFile, Found, NoSpectrum, NotTold, Wanted, question
from app.services.archives.files import get_first, safe_stem
from app.services.catalogues.answer import Value
from app.services.catalogues.position import ARCSEC_PER_DEG, Position, separation_arcsec
from app.services.catalogues.votable_reply import cell_value, rows_of, whole_rows
from app.services.web.client import WebClient
from app.services.web.errors import BadReply, NotAllowed, ShouldStop
from app.services.web.urls import check_base, host_of, is_local

MAX_REPLY = 8 * 2**20
MAX_FOUND = 1000
Row = dict[str, Value]
_NUMBER = re.compile(r"[+-]?[0-9.]{1,30}(?:[eE][+-]?[0-9]{1,3})?")
COLUMNS = {
    "url": (("access.reference",), ("meta.ref.url",), ("accref", "access_url", "acref")),
    "format": (("access.format",), ("meta.code.mime",), ("mime", "access_format", "format")),
    "title": (("dataid.title",), ("meta.title;meta.dataset",), ("ssa_dstitle", "title")),
    "target": (("target.name",), ("meta.id;src",), ("ssa_targname", "target_name")),
    "place": (("char.spatialaxis.coverage.location.value",), (), ("ssa_location", "location")),
    "ra": (("target.pos.spoint.ra",), ("pos.eq.ra;meta.main", "pos.eq.ra"), ("ra", "s_ra")),
    "dec": (("target.pos.spoint.dec",), ("pos.eq.dec;meta.main", "pos.eq.dec"), ("dec", "s_dec")),
}
"""End of the utype, UCD, and name of each column that is used, best first."""

START = 4000


@dataclass(frozen=True)
class Ssap:
    base: str
    per_second: float = 1.0
    id: str = "ssap"

    def __post_init__(self) -> None:
        check_base(self.base)

    @property
    def sends(self) -> str:
        return f"Positions go to {urlsplit(self.base).hostname}."

    def find(
        self, wanted: Wanted, radius_arcsec: float, client: WebClient, should_stop: ShouldStop
    ) -> list[Found]:
        """The spectra around the position, nearest first; those without a position come last."""
        if wanted.ra is None or wanted.dec is None:
            raise NotTold("an SSAP service needs a position")
        place = Position(ra=wanted.ra, dec=wanted.dec)
        url = _question(self.base, place, radius_arcsec)
        content = client.ask(question(url, self.per_second, MAX_REPLY), should_stop).content
        found = [_found(row, self.base, place) for row in _rows(content)]
        # One that gives no position was asked for this cone, and its file tells where it is.
        found = [
            each
            for each in found
            if each.separation_arcsec is None or each.distance <= radius_arcsec
        ]
        if not found:
            raise NoSpectrum("the service has no spectrum at this place")
        return sorted(found, key=attrgetter("distance"))

    def get(self, found: Found, client: WebClient, should_stop: ShouldStop) -> FetchedFile:
        """Its file; through the DataLink table where the address leads to one."""
        got = get_first(found.urls, client, should_stop, per_second=self.per_second)
        if not is_datalink(got.content):
            return got
        to = checked_lead(self.base, this_file(got.content))
        got = get_first((to,), client, should_stop, per_second=self.per_second)
        if is_datalink(got.content):
            raise BadReply("its DataLink table leads to another one")
        return got


def _question(base: str, place: Position, radius_arcsec: float) -> str:
    """The address of a cone; SIZE is its diameter in degrees."""
    parts = urlsplit(base)
    fields = {
        "REQUEST": "queryData",
        "POS": f"{place.ra:.6f},{place.dec:.6f}",
        "SIZE": f"{2.0 * radius_arcsec / ARCSEC_PER_DEG:.8f}",
        "MAXREC": str(MAX_FOUND),
    }
    query = "&".join(filter(None, (parts.query, urlencode(fields, safe=","))))
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


def _rows(content: bytes) -> Iterator[Row]:
    """The rows under our names for the columns. Raises BadReply."""

    def check(fields: Sequence[VOTableField]) -> None:
        if _column(fields, "url") is None:
            raise BadReply("the answer gives no addresses of spectra")

    for fields, row in whole_rows(content, check):
        numbers = {name: _column(fields, name) for name in COLUMNS}
        yield {name: _value(row[n], fields[n]) for name, n in numbers.items() if n is not None}


def _value(cell: Cell, field: VOTableField) -> Value:
    """As any other, and the numbers of an array as text."""
    if not field.is_array or field.is_text or cell is None:
        return cell_value(cell, field)
    if isinstance(cell, str):
        return cell
    return " ".join(map(repr, np.frombuffer(cell, DTYPES[field.datatype]).tolist()))


def _column(fields: Sequence[VOTableField], wanted: str) -> int | None:
    utypes, ucds, names = COLUMNS[wanted]
    facts = [(field.utype.lower(), field.ucd.lower(), field.name.lower()) for field in fields]
    by_utype = (n for end in utypes for n, fact in enumerate(facts) if fact[0].endswith(end))
    by_ucd = (n for ucd in ucds for n, fact in enumerate(facts) if fact[1] == ucd)
    by_name = (n for name in names for n, fact in enumerate(facts) if fact[2] == name)
    return next(chain(by_utype, by_ucd, by_name), None)


def _found(row: Row, base: str, place: Position) -> Found:
    url = row.get("url")
    if not isinstance(url, str):
        raise BadReply("a spectrum of the answer has no address")
    here = _position(row)
    number = text_hash(url)[:12]
    title = str(row.get("target") or row.get("title") or "spectrum")
    return Found(
        id=url,
        stem=f"{safe_stem(title)[:60]}-{number}",
        urls=(checked_lead(base, url),),
        ra=place.ra,
        dec=place.dec,
        separation_arcsec=None if here is None else separation_arcsec(place, here),
    )


def _position(row: Row) -> Position | None:
    ra, dec = row.get("ra"), row.get("dec")
    words = _NUMBER.findall(str(row.get("place") or ""))
    if len(words) >= 2:
        ra, dec = words[-2:]
    try:
        return Position(ra=float(ra), dec=float(dec))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


# Links in an answer: where a service may lead us, and what a DataLink table names.
def is_datalink(content: bytes) -> bool:
    """Whether an answer is a table of links and not the spectrum itself."""
    start = content[:START].lower()
    return b"<votable" in start and (b'"semantics"' in start or b"datalink" in start)


def this_file(content: bytes) -> str:
    """The address of the file itself. Raises BadReply."""
    for row in rows_of(content, ("access_url", "semantics")):
        if str(row["semantics"] or "").rpartition("#")[2] == "this" and row["access_url"]:
            return str(row["access_url"])
    raise BadReply("its DataLink table names no file of the spectrum itself")


def checked_lead(base: str, to: str) -> str:
    """The address, encrypted where the service is. Raises NotAllowed.

    Another public server is allowed by https; a place on the user's own network only where the
    user has chosen that very server.
    """
    url = urljoin(base, to)
    if urlsplit(url).scheme not in ("http", "https"):
        raise NotAllowed("the answer gives an address that is no web address")
    if host_of(url) == host_of(base):
        if base.startswith("https:") and url.startswith("http:"):
            url = "https:" + url.removeprefix("http:")
        check_base(url)
        return url
    if is_local(urlsplit(url).hostname or ""):
        raise NotAllowed("the answer leads to a server on your own network")
    url = "https:" + url.removeprefix("http:") if url.startswith("http:") else url
    check_base(url)
    return url
