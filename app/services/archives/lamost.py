"""LAMOST: the file of an obsid, with a token where the release is not open."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from agent.engines.remote.address import key_in_keyring
from app.services.archives.archive import FetchedFile, Found, NotTold, Wanted
from app.services.archives.files import get_first
from app.services.web.client import WebClient
from app.services.web.errors import BadReply, ShouldStop

BASE = "https://www.lamost.org"
RELEASE = "dr10/v2.0"
TOKEN_VARIABLE = "SPEC_O3_LAMOST_TOKEN"
_RELEASE = re.compile(r"(dr[0-9]{1,2})(?:/(v[0-9](?:\.[0-9]{1,2}){0,2}))?(?:/(lrs|mrs))?")
SECOND_VERSIONS = ("dr7", "dr8", "dr9", "dr10")  # releases whose public version is v2.0
MAX_OBSID = 2**31


def lamost_token(base: str = BASE) -> str:
    """Of the user's account, from the environment or the keyring; empty if there is none."""
    host = urlsplit(base).hostname or ""
    return os.environ.get(TOKEN_VARIABLE, "").strip() or key_in_keyring(host) or ""


@dataclass(frozen=True)
class Lamost:
    release: str = ""  # Release, version and resolution: dr10, dr10/v2.0 or dr10/v2.0/mrs.
    base: str = BASE
    token: str = field(default="", repr=False)
    per_second: float = 1.0
    id: str = "lamost"
    sends: str = "The obsid, and your token if you have one, go to www.lamost.org."

    def __post_init__(self) -> None:
        self._parts()

    def find(
        self,
        wanted: Wanted,
        radius_arcsec: float,
        client: WebClient | None = None,
        should_stop: ShouldStop | None = None,
    ) -> list[Found]:
        """The spectrum of the obsid; nothing is asked."""
        obsid = wanted.number("obsid", "obs_id", "lamost_obsid", "combined_obsid")
        if obsid is None or not 0 < obsid < MAX_OBSID:
            raise NotTold("LAMOST needs an obsid")
        release, version, resolution = self._parts()
        place = f"{release}/{version}"
        urls = [f"{self.base}/openapi/{place}/{resolution}/spectrum/fits?obsid={obsid}"]
        if resolution == "lrs":
            urls.append(f"{self.base}/{place}/spectrum/fits/{obsid}")
        return [
            Found(
                id=str(obsid),
                stem=f"lamost-{release}-{obsid}",
                urls=tuple(urls),
                release=f"{place}/{resolution}",
                names=(str(obsid),),
                ra=wanted.ra,
                dec=wanted.dec,
            )
        ]

    def get(self, found: Found, client: WebClient, should_stop: ShouldStop) -> FetchedFile:
        told, pace = self._with_token, self.per_second
        got = get_first(found.urls, client, should_stop, per_second=pace, with_secret=told)
        if self.token and self.token.encode() in got.content[:100_000]:
            raise BadReply("the server sent the token back: the file is not kept")
        return got

    def _with_token(self, url: str) -> str:
        if not self.token:
            return url
        return f"{url}{'&' if '?' in url else '?'}token={quote(self.token, safe='')}"

    def _parts(self) -> tuple[str, str, str]:
        text = (self.release or RELEASE).casefold()
        match = _RELEASE.fullmatch(text)
        if match is None:
            raise NotTold("a release of LAMOST is written as dr10, dr10/v2.0 or dr10/v2.0/mrs")
        release, version, resolution = match.groups()
        if version is None and release not in SECOND_VERSIONS:
            raise NotTold(f"give the version of {release} too, as in {RELEASE}")
        return release, version or "v2.0", resolution or "lrs"
