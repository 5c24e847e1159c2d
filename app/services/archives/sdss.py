"""SDSS: files by plate, MJD and fibre (DR17), or by field, MJD and catalogue number (DR18 on)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from app.services.archives.archive import FetchedFile, Found, NoSpectrum, NotTold, Wanted, question
from app.services.archives.files import get_first
from app.services.catalogues.position import ARCSEC_PER_DEG, Position, boxes, separation_arcsec
from app.services.web.client import WebClient
from app.services.web.errors import BadReply, ShouldStop

BASE = "https://data.sdss.org/sas"
SKYSERVER = "https://skyserver.sdss.org"
COLUMNS = ("plate", "mjd", "fiberID", "run2d", "ra", "dec", "sciencePrimary")
MAX_FOUND, MAX_ROWS = 100, 2**20  # spectra, and bytes of their table
_RUN2D = re.compile(r"[0-9]{2,3}|v[0-9]+_[0-9]+_[0-9]+")

RELEASES = ("dr17", "dr18", "dr19", "dr20")
PLATE_RELEASE, FIELD_RELEASE = "dr17", "dr20"  # taken where none is given
FIELD_RUN2D = {"dr18": "v6_0_4", "dr19": "v6_1_3", "dr20": "v6_2_1"}
PLATE_RUN2D = "v5_13_2"
FIRST_BOSS_PLATE = 3510
SDSS_RUNS = ("26", "104", "103")
"""Reductions of SDSS-I and -II: the main survey, SEGUE-2, and clusters. Which plate is in which is
not told by its number."""
MAX_PLATE, MAX_MJD, MAX_FIBER, MAX_FIELD, MAX_CATALOGID = 99_999, 99_999, 1000, 999_999, 10**18


@dataclass(frozen=True)
class Sdss:
    release: str = ""  # the newest that can have the spectrum, where it is empty
    base: str = BASE
    per_second: float = 2.0
    id: str = "sdss"
    sends: str = (
        "Plate or field, MJD and fibre or catalogue number go to data.sdss.org; where there are "
        "none, the position goes to skyserver.sdss.org."
    )

    def __post_init__(self) -> None:
        if self.release and self.release not in RELEASES:
            raise NotTold(f"SDSS is fetched from {RELEASES[0]} to {RELEASES[-1]}")

    def find(
        self,
        wanted: Wanted,
        radius_arcsec: float,
        client: WebClient | None = None,
        should_stop: ShouldStop | None = None,
    ) -> list[Found]:
        """The only spectrum of these numbers, of which nothing is asked; else by position."""
        run2d = wanted.text("run2d")
        run2d = run2d if _RUN2D.fullmatch(run2d) else ""
        mjd = wanted.number("mjd", "mjdid")
        plate = wanted.number("plate", "plateid", "plate_id")
        fiber = wanted.number("fiberid", "fiber", "fiber_id")
        if plate is not None and fiber is not None and mjd is not None:
            return [self._on_plate(wanted, plate, mjd, fiber, run2d)]
        field, catalogid = wanted.number("field", "fieldid"), wanted.number("catalogid", "sdss_id")
        if field is not None and catalogid is not None and mjd is not None:
            return [self._in_field(wanted, field, mjd, catalogid, run2d)]
        if client is None or should_stop is None or wanted.ra is None or wanted.dec is None:
            raise NotTold(
                "SDSS needs plate, mjd and fiberid, field, mjd and catalogid, or a position"
            )
        if self.release not in ("", PLATE_RELEASE):
            raise NotTold(f"positions are searched in {PLATE_RELEASE}, not in {self.release}")
        return self._around(wanted, radius_arcsec, client, should_stop)

    def _around(
        self, wanted: Wanted, radius_arcsec: float, client: WebClient, should_stop: ShouldStop
    ) -> list[Found]:
        """Main spectra before repeated ones, then by distance."""
        place = Position(ra=wanted.ra or 0.0, dec=wanted.dec or 0.0)
        around = boxes(place.ra, place.dec, radius_arcsec / ARCSEC_PER_DEG)
        where = " OR ".join(
            f"({_between('ra', *ra)} AND {_between('dec', *dec)})" for ra, dec in around
        )
        sql = f"SELECT TOP {MAX_FOUND} {', '.join(COLUMNS)} FROM SpecObjAll WHERE {where}"
        host = SKYSERVER if self.base == BASE else self.base
        fields = urlencode({"cmd": sql, "format": "csv"})
        url = f"{host}/{PLATE_RELEASE}/SkyServerWS/SearchTools/SqlSearch?{fields}"
        answer = client.ask(question(url, self.per_second, MAX_ROWS), should_stop).content
        found = []
        for plate, mjd, fiber, run2d, ra, dec, is_main in _rows(answer):
            distance = separation_arcsec(place, Position(ra=ra, dec=dec))
            if distance <= radius_arcsec:
                known = run2d if _RUN2D.fullmatch(run2d) else ""
                one = self._on_plate(wanted, plate, mjd, fiber, known)
                found.append((not is_main, replace(one, separation_arcsec=distance)))
        if not found:
            raise NoSpectrum("SDSS has no spectrum at this place")
        return [one for _, one in sorted(found, key=lambda each: (each[0], each[1].distance))]

    def get(self, found: Found, client: WebClient, should_stop: ShouldStop) -> FetchedFile:
        return get_first(found.urls, client, should_stop, per_second=self.per_second)

    def _on_plate(self, wanted: Wanted, plate: int, mjd: int, fiber: int, run2d: str) -> Found:
        if not (plate <= MAX_PLATE and mjd <= MAX_MJD and 1 <= fiber <= MAX_FIBER):
            raise NotTold(f"{plate}-{mjd}-{fiber} is no plate, MJD and fibre")
        release = self.release or PLATE_RELEASE
        if release != PLATE_RELEASE:
            raise NotTold(f"spectra of plates are in {PLATE_RELEASE}, not in {release}")
        name = f"{plate:04d}-{mjd}-{fiber:04d}"
        paths = plate_paths(release, plate, mjd, fiber, run2d)
        return self._found(wanted, release, name, (name,), paths)

    def _in_field(self, wanted: Wanted, field: int, mjd: int, catalogid: int, run2d: str) -> Found:
        if not (field <= MAX_FIELD and mjd <= MAX_MJD and 1 <= catalogid <= MAX_CATALOGID):
            raise NotTold(f"{field}-{mjd}-{catalogid} is no field, MJD and catalogue number")
        release = self.release or FIELD_RELEASE
        if release == PLATE_RELEASE:
            raise NotTold(f"spectra of fields are in releases after {PLATE_RELEASE}")
        run2d = run2d if run2d.startswith("v6") else ""
        name = f"{field:06d}-{mjd}-{catalogid}"
        path = field_path(release, field, mjd, catalogid, run2d)
        return self._found(wanted, release, name, (name, str(catalogid)), (path,))

    def _found(
        self,
        wanted: Wanted,
        release: str,
        name: str,
        names: tuple[str, ...],
        paths: tuple[str, ...],
    ) -> Found:
        return Found(
            id=name,
            stem=f"spec-{name}",
            urls=tuple(f"{self.base}/{path}" for path in paths),
            release=release,
            names=names,
            ra=wanted.ra,
            dec=wanted.dec,
        )


def _between(column: str, low: float, high: float) -> str:
    return f"{column} BETWEEN {low:.8f} AND {high:.8f}"


def _rows(content: bytes) -> Iterator[tuple[int, int, int, str, float, float, bool]]:
    """The rows of a table of SkyServer, after its name and its columns. Raises BadReply."""
    lines = content.decode("utf-8", "replace").splitlines()
    told = [line for line in lines if line.strip() and not line.startswith("#")]
    if not told or told[0].casefold().split(",") != [name.casefold() for name in COLUMNS]:
        raise BadReply("the answer of SDSS is no table of spectra")
    for line in told[1 : MAX_FOUND + 1]:
        try:
            plate, mjd, fiber, run2d, ra, dec, is_main = line.split(",")
            place = Position(ra=float(ra), dec=float(dec))
            yield int(plate), int(mjd), int(fiber), run2d, place.ra, place.dec, is_main == "1"
        except ValueError as error:
            raise BadReply("a row of SDSS's answer is no spectrum at a place") from error


# Where SDSS keeps the spectrum of a plate or field: the paths of its own `sdss_access`.
def plate_paths(release: str, plate: int, mjd: int, fiber: int, run2d: str = "") -> tuple[str, ...]:
    """Paths below `sas/`, most likely first."""
    if run2d:
        runs: tuple[str, ...] = (run2d,)
    else:
        runs = SDSS_RUNS if plate < FIRST_BOSS_PLATE else (PLATE_RUN2D,)
    name = f"{plate:04d}/spec-{plate:04d}-{mjd}-{fiber:04d}.fits"
    trees = ((run, "sdss" if run in SDSS_RUNS else "eboss") for run in runs)
    return tuple(f"{release}/{tree}/spectro/redux/{run}/spectra/lite/{name}" for run, tree in trees)


def field_path(release: str, field: int, mjd: int, catalogid: int, run2d: str = "") -> str:
    """Path below `sas/`; each release of SDSS-V has folders and names of its own."""
    run = run2d or FIELD_RUN2D[release]
    spectra = f"{release}/spectro/boss/redux/{run}/spectra"
    if release == "dr18":
        return f"{spectra}/lite/{field}p/{mjd}/spec-{field}-{mjd}-{catalogid:011d}.fits"
    name = f"{field:06d}/{mjd}/spec-{field:06d}-{mjd}-{catalogid}.fits"
    if release == "dr19":
        return f"{spectra}/lite/{name}"
    return f"{spectra}/daily/lite/{field // 1000:03d}XXX/{name}"
