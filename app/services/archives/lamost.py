"""LAMOST: the file of an obsid, with a token where the release is not open."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from urllib.parse import quote

from agent.votable.parser import VOTableField
from app.services.archives.archive import FetchedFile, Found, NoSpectrum, NotTold, Wanted, question
from app.services.archives.files import get_first
from app.services.catalogues.position import ARCSEC_PER_DEG, Position, separation_arcsec
from app.services.catalogues.votable_reply import cell_value, whole_rows
from app.services.web.client import WebClient, account_token
from app.services.web.errors import BadReply, NotFound, ShouldStop
from app.services.web.lamost_releases import BASE, RELEASE, VERSIONS

TOKEN_VARIABLE = "SPEC_O3_LAMOST_TOKEN"
_PLACE = re.compile(r"/(dr[0-9]{1,2}/v[0-9.]+)/")
_RELEASE = re.compile(r"(dr[0-9]{1,2})(?:/(v[0-9](?:\.[0-9]{1,2}){0,2}))?(?:/(lrs|mrs))?")
MAX_ROWS = 4 * 2**20  # bytes
MAX_OBSID = 2**31


def lamost_token(base: str = BASE) -> str:
    return account_token(TOKEN_VARIABLE, base)


@dataclass(frozen=True)
class Lamost:
    release: str = ""  # dr11, dr11/v2.0 or dr11/v2.0/mrs; empty: newest first
    base: str = BASE
    token: str = field(default="", repr=False)
    per_second: float = 1.0
    id: str = "lamost"
    sends: str = "The obsid or position, and your token if you have one, go to www.lamost.org."

    def __post_init__(self) -> None:
        self._places()

    def find(
        self,
        wanted: Wanted,
        radius_arcsec: float,
        client: WebClient | None = None,
        should_stop: ShouldStop | None = None,
    ) -> list[Found]:
        """The spectrum of the obsid, of which nothing is asked; else those around the position."""
        obsid = wanted.number("obsid", "obs_id", "lamost_obsid", "combined_obsid")
        if obsid is not None and 0 < obsid < MAX_OBSID:
            return [self._found(obsid, wanted)]
        if client is None or should_stop is None or wanted.ra is None or wanted.dec is None:
            raise NotTold("LAMOST needs an obsid or a position")
        place, near = Position(ra=wanted.ra, dec=wanted.dec), []
        for number, here in self._cone(place, radius_arcsec, client, should_stop):
            distance = separation_arcsec(place, here)
            if 0 < number < MAX_OBSID and distance <= radius_arcsec:
                near.append(replace(self._found(number, wanted), separation_arcsec=distance))
        if not near:
            raise NoSpectrum("LAMOST has no spectrum at this place")
        return sorted(near, key=attrgetter("distance"))

    def _found(self, obsid: int, wanted: Wanted) -> Found:
        urls = []
        for release, version, resolution in self._places():
            place = f"{release}/{version}"
            urls.append(f"{self.base}/openapi/{place}/{resolution}/spectrum/fits?obsid={obsid}")
            if resolution == "lrs":
                urls.append(f"{self.base}/{place}/spectrum/fits/{obsid}")
        release, version, resolution = self._places()[0]
        return Found(
            id=str(obsid),
            stem=f"lamost-{release}-{obsid}" if self.release else f"lamost-{obsid}",
            urls=tuple(urls),
            release=f"{release}/{version}/{resolution}",
            names=(str(obsid),),
            ra=wanted.ra,
            dec=wanted.dec,
        )

    def _cone(
        self, place: Position, radius_arcsec: float, client: WebClient, should_stop: ShouldStop
    ) -> list[tuple[int, Position]]:
        """Obsids with their positions, of the newest release that answers."""
        missing = NotFound("LAMOST has no search by position")
        asked = f"ra={place.ra:.6f}&dec={place.dec:.6f}&sr={radius_arcsec / ARCSEC_PER_DEG:.8f}"
        for release, version, resolution in self._places():
            service = "voservice" if resolution == "lrs" else "medvoservice"
            url = f"{self.base}/{release}/{version}/{service}/conesearch?{asked}"
            try:
                told = question(self._with_token(url), self.per_second, MAX_ROWS)
                return list(_rows(client.ask(told, should_stop).content))
            except NotFound as error:
                missing = error
        raise missing

    def get(self, found: Found, client: WebClient, should_stop: ShouldStop) -> FetchedFile:
        told, pace = self._with_token, self.per_second
        got = get_first(found.urls, client, should_stop, per_second=pace, with_secret=told)
        if self.token and self.token.encode() in got.content[:100_000]:
            raise BadReply("the server sent the token back: the file is not kept")
        place = _PLACE.search(got.url)
        resolution = found.release.rpartition("/")[2]
        return got if place is None else replace(got, release=f"{place.group(1)}/{resolution}")

    def _with_token(self, url: str) -> str:
        if not self.token:
            return url
        return f"{url}{'&' if '?' in url else '?'}token={quote(self.token, safe='')}"

    def _places(self) -> list[tuple[str, str, str]]:
        """Release, version and resolution of all that are to be asked, the newest first."""
        if not self.release:
            # dr12 is refused without an account.
            known = [each for each in VERSIONS.items() if self.token or each[0] != "dr12"]
            return [(release, version, "lrs") for release, version in known]
        match = _RELEASE.fullmatch(self.release.casefold())
        if match is None:
            raise NotTold("a release of LAMOST is written as dr11, dr11/v2.0 or dr11/v2.0/mrs")
        release, version, resolution = match.groups()
        if version is None and release not in VERSIONS:
            raise NotTold(f"give the version of {release} too, as in {RELEASE}")
        return [(release, version or VERSIONS[release], resolution or "lrs")]


def _rows(content: bytes) -> Iterator[tuple[int, Position]]:
    """The rows of a cone search; older releases put the name of a table before their columns."""

    def column(fields: Sequence[VOTableField], name: str) -> int | None:
        names = [field.name.casefold() for field in fields]
        ends = (at for at, each in enumerate(names) if each == name or each.endswith(f"_{name}"))
        return names.index(name) if name in names else next(ends, None)

    def check(fields: Sequence[VOTableField]) -> None:
        if None in (column(fields, name) for name in ("obsid", "ra", "dec")):
            raise BadReply("the answer of LAMOST gives no obsid, ra and dec")

    for fields, row in whole_rows(content, check):
        at = [column(fields, name) for name in ("obsid", "ra", "dec")]
        obsid, ra, dec = (cell_value(row[n], fields[n]) for n in at if n is not None)
        try:
            yield int(obsid or 0), Position(ra=float(ra or "nan"), dec=float(dec or "nan"))
        except (ValueError, OverflowError) as error:
            raise BadReply("a row of LAMOST's answer is no spectrum at a place") from error
