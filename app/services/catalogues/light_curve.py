"""Light curves, one for each series; of ZTF, Gaia, ATLAS and TESS, and the best period."""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from urllib.parse import urljoin

import numpy as np

from agent.errors import ReadError
from agent.spectra.fits.source_file import source_of
from agent.spectra.spectrum import FloatArray
from agent.web.body import never
from app.services.catalogues.answer import Exchange, Match, Value, finite_number, now
from app.services.catalogues.page import ask_page
from app.services.catalogues.position import ARCSEC_PER_DEG, Position
from app.services.catalogues.service import Service, ServiceColumn
from app.services.catalogues.tap import match_positions, read_answers
from app.services.web.client import Request, WebClient, account_token
from app.services.web.errors import BadReply, NotAllowed, ShouldStop, TooLong
from app.services.web.urls import check_redirect

SOUTHERNMOST = -31.0
BANDS = ("g", "r", "i")
BAD_FLAGS = 32768
COLUMNS = ("oid", "hjd", "mag", "magerr", "catflags", "filtercode")
MAX_POINTS = 200_000
FIRST_HJD, LAST_HJD = 2_455_000.0, 2_475_000.0
"""ZTF began in 2018; times of no survey would make the search for a period endless."""
FAINTEST = 40.0

Point = tuple[float, float, float]  # time, magnitude, and its error or NaN

FIRST_DAY = 2_455_197.5  # Barycentric Julian day from which Gaia's times count
MOST = 5000  # Rows: one for each time that a star was passed over, some 70 in the third release.
GAIA_BANDS = {"G": ("time_g", "g"), "BP": ("time_bp", "bp"), "RP": ("time_rp", "rp")}
GAIA_COLUMNS = {
    "source": "Source", "time_g": "TimeG", "flux_g": "FG", "flux_error_g": "e_FG", "g": "Gmag",
    "time_bp": "TimeBP", "bp": "BPmag", "time_rp": "TimeRP", "rp": "RPmag",
}  # fmt: skip
"""Ours, and those of VizieR's table I/355/epphot."""

ATLAS_TOKEN = "SPEC_O3_ATLAS_TOKEN"
ATLAS_COLUMNS = ("MJD", "m", "dm", "uJy", "duJy", "F", "err", "chi/N")
FIRST_MJD = "57000"  # before its first picture, of 2015; without it, the last month is measured
JD_OF_MJD = 2_400_000.5
LOWEST_SIGNAL = 3.0  # Flux over its error; a fainter one is no measurement of a star.
NO_ANSWER = "the answer is not what the service promises"
MOST_NOISE_UJY, MOST_CHI = 4000.0, 100.0  # beyond them the server's own plots leave a point out

TESS_CURVE = re.compile(r"mast:TESS/product/tess[0-9]{13}-s[0-9]{4}-[0-9]{16}-[0-9]{4}-s_lc\.fits")
"""Of the mission's own pipeline, a point for each 2 minutes; the names are in order of time."""
TESS_FILES = "/api/v0.1/Download/file"
MAX_TESS_FILE = 16 * 2**20  # one has about 2 MB
TRIES = 5  # while the archive says that it still searches


@dataclass(frozen=True, kw_only=True)
class LightCurve:
    """One series of measurements of one filter and field, which has a zero point of its own."""

    series: str  # the archive's number of the object in that field and filter
    band: str
    hjd: FloatArray
    mag: FloatArray
    error: FloatArray  # NaN where the archive gives none
    time: str = "HJD"  # What its Julian days are: heliocentric, barycentric (BJD), or neither (JD).


def light_curves(
    service: Service, client: WebClient, position: Position, should_stop: ShouldStop = never
) -> tuple[list[LightCurve], Exchange | None]:
    """The series near a position; none where the survey has not looked. Raises ServiceError."""
    at = position.at(service.epoch)
    if at.dec < SOUTHERNMOST:
        return [], None
    radius = service.radius_arcsec / ARCSEC_PER_DEG
    fields = {
        "POS": f"CIRCLE {at.ra:.6f} {at.dec:.6f} {radius:.6f}",
        "BANDNAME": ",".join(BANDS),
        "BAD_CATFLAGS_MASK": str(BAD_FLAGS),
        "FORMAT": "csv",
    }
    exchange = ask_page(service, client, service.url, fields, should_stop)
    return read_light_curves(exchange.content), exchange


def read_light_curves(content: bytes) -> list[LightCurve]:
    """The series of an answer. Raises BadReply."""
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError as error:
        raise BadReply("the answer is no light curve: it is not text") from error
    if not text.startswith("oid"):
        raise BadReply("the answer is no light curve: it does not start with its columns")
    if not text.endswith("\n"):
        raise BadReply("the answer is cut short")
    rows = csv.reader(io.StringIO(text))
    names = next(rows)
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise BadReply(f"the catalogue has changed: it gives no {', '.join(missing)}")
    places = [names.index(name) for name in COLUMNS]
    points: dict[tuple[str, str], list[Point]] = {}
    try:
        for count, row in enumerate(rows):
            if count >= MAX_POINTS:
                raise BadReply(f"a light curve of more than {MAX_POINTS:,} points")
            if len(row) != len(names):
                raise BadReply(f"the answer is damaged: row {count + 1} has {len(row)} cells")
            series, hjd, mag, sigma, flags, band = (row[place] for place in places)
            numbers = float(hjd), float(mag), float(sigma)
            if flags == "0" and all(map(math.isfinite, numbers)):
                points.setdefault((band[-1:], series[:30]), []).append(numbers)
    except (ValueError, csv.Error) as error:
        raise BadReply("the answer is damaged: it has no numbers where they belong") from error
    return curves_of(points)


def curves_of(
    points: Mapping[tuple[str, str], Sequence[Point]], time: str = "HJD"
) -> list[LightCurve]:
    """A curve of the points of each band and series, in the order of time. Raises BadReply."""
    made = []
    for (band, series), found in sorted(points.items()):
        hjd, mag, error = np.array(sorted(found)).T
        is_of_a_star = (hjd > FIRST_HJD) & (hjd < LAST_HJD) & (abs(mag) < FAINTEST)
        if len(found) > MAX_POINTS or not is_of_a_star.all():
            raise BadReply("the answer is damaged: it has times or magnitudes of no star")
        made.append(LightCurve(series=series, band=band, hjd=hjd, mag=mag, error=error, time=time))
    return made


def folded(hjd: FloatArray, period_d: float) -> FloatArray:
    """The phase of each time, from 0 to 1."""
    return np.asarray((hjd - hjd.min(initial=math.inf)) / period_d % 1.0)


def best_period(
    curves: Sequence[LightCurve], shortest_d: float = 0.02, longest_d: float = 100.0
) -> float | None:
    """The period at which the series vary most alike (Lomb-Scargle); None with too few points.

    Each series is taken about its own median, so no offsets between them are needed.
    """
    from astropy.timeseries import LombScargle

    usable = [curve for curve in curves if curve.hjd.size >= 10]
    if not usable:
        return None
    times = np.concatenate([curve.hjd for curve in usable])
    mags = np.concatenate([curve.mag - np.median(curve.mag) for curve in usable])
    errors = np.concatenate([_errors(curve) for curve in usable])
    if np.ptp(times) <= 0.0:
        return None
    frequency, power = LombScargle(times, mags, errors).autopower(
        minimum_frequency=1.0 / longest_d, maximum_frequency=1.0 / shortest_d, samples_per_peak=5
    )
    return None if not power.size else float(1.0 / frequency[int(np.argmax(power))])


def _errors(curve: LightCurve) -> FloatArray:
    """The error of each point; of a series without errors, its scatter stands for them."""
    scatter = max(float(np.std(curve.mag)), 1e-3)
    return np.asarray(np.where(np.isnan(curve.error), scatter, np.maximum(curve.error, 1e-3)))


# The light curves of Gaia's own epochs, which its third release has of stars known to vary.
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
    columns = tuple(ServiceColumn(name=name, column=there) for name, there in GAIA_COLUMNS.items())
    return replace(service, columns=columns)


def _curves(matches: Iterable[Match]) -> list[LightCurve]:
    points: dict[tuple[str, str], list[Point]] = {}
    for match in matches:
        for band, (time, magnitude) in GAIA_BANDS.items():
            days, mag = (finite_number(match.values[name]) for name in (time, magnitude))
            if days is None or mag is None:
                continue
            point = days + FIRST_DAY, mag, _error(match.values) if band == "G" else math.nan
            points.setdefault((band, str(match.values["source"])), []).append(point)
    return curves_of(points, time="BJD")


def _error(values: Mapping[str, Value]) -> float:
    """Of a G magnitude, by the error of its flux."""
    flux, error = (finite_number(values[name]) for name in ("flux_g", "flux_error_g"))
    if flux is None or error is None or flux <= 0.0 or error <= 0.0:
        return math.nan
    return 2.5 / math.log(10.0) * error / flux


# ATLAS measures at a position when it is asked to, as a job in a queue.
def atlas_light_curves(
    service: Service, client: WebClient, position: Position, should_stop: ShouldStop = never
) -> tuple[list[LightCurve], Exchange]:
    """A series for each filter, of the light at a position. Raises ServiceError."""
    token = account_token(ATLAS_TOKEN, service.url)
    if not token:
        raise NotAllowed(
            "ATLAS wants the token of your account: keep it in the keyring, by the name of its "
            "server, or in SPEC_O3_ATLAS_TOKEN"
        )
    headers = {"Authorization": f"Token {token}", "Accept": "application/json"}
    asked_at, until = now(), monotonic() + service.timeout_s

    def ask(url: object, form: Mapping[str, str] | None = None) -> bytes:
        if not isinstance(url, str):
            raise BadReply(NO_ANSWER)
        check_redirect(service.url, url)  # The token goes to no other server.
        late = TooLong(f"no whole answer in {service.timeout_s:.0f} s")
        if (left := until - monotonic()) <= 0.0:
            raise late
        request = Request(
            url=url, form=form, headers=headers, total_s=left, per_second=service.per_second
        )
        try:
            return client.ask(request, should_stop).content
        except TooLong as error:  # which tells the time that was left
            raise late from error

    at = position.at(service.epoch)
    form = {"ra": f"{at.ra:.6f}", "dec": f"{at.dec:.6f}", "mjd_min": FIRST_MJD}
    # Of the pictures themselves, not of their difference from an older one.
    job = _object(ask(service.url, {**form, "use_reduced": "true", "send_email": "false"}))
    place = job.get("url")
    while not job.get("finishtimestamp"):
        job = _object(ask(place))
    if job.get("error_msg"):
        raise BadReply(f"the service refuses the question: {str(job['error_msg'])[:200]}")
    content = ask(job.get("result_url"))
    if token.encode() in content:
        raise BadReply("the server sent the token back: the file is not kept")
    exchange = Exchange(url=str(job["result_url"]), asked_at=asked_at, content=content)
    return read_atlas_light_curves(content), exchange


def _object(content: bytes) -> Mapping[str, object]:
    try:
        told = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadReply(NO_ANSWER) from error
    if not isinstance(told, dict):
        raise BadReply(NO_ANSWER)
    return told


def read_atlas_light_curves(content: bytes) -> list[LightCurve]:
    """The series of a table of forced photometry. Raises BadReply."""
    text = content.decode("ascii", "replace")
    if not text.startswith("###MJD") or not text.endswith("\n"):
        raise BadReply("the answer is no light curve, or is cut short")
    head, *rows = text.splitlines()
    names = head.removeprefix("###").split()
    if missing := [name for name in ATLAS_COLUMNS if name not in names]:
        raise BadReply(f"the catalogue has changed: it gives no {', '.join(missing)}")
    if len(rows) > MAX_POINTS:
        raise BadReply(f"a light curve of more than {MAX_POINTS:,} points")
    points: dict[tuple[str, str], list[Point]] = {}
    for count, row in enumerate(rows):
        cells = row.split()
        if len(cells) != len(names):
            raise BadReply(f"the answer is damaged: row {count + 1} has {len(cells)} cells")
        cell = dict(zip(names, cells, strict=True))
        try:
            numbers = {name: float(cell[name]) for name in ATLAS_COLUMNS if name != "F"}
        except ValueError as error:
            raise BadReply("the answer is damaged: it has no numbers where they belong") from error
        noise, chi = numbers["duJy"], numbers["chi/N"]
        is_good = numbers["err"] == 0.0 and 0.0 < noise < MOST_NOISE_UJY and chi < MOST_CHI
        if is_good and numbers["uJy"] >= LOWEST_SIGNAL * noise:
            point = numbers["MJD"] + JD_OF_MJD, numbers["m"], numbers["dm"]
            if not math.isfinite(point[2]):
                raise BadReply("the answer is damaged: it has times or magnitudes of no star")
            points.setdefault((cell["F"][:10], "forced"), []).append(point)
    return curves_of(points, time="JD")


# TESS: of the newest sector in which the mission itself has measured the star.
def tess_light_curves(
    service: Service, client: WebClient, position: Position, should_stop: ShouldStop = never
) -> tuple[list[LightCurve], Exchange]:
    """One series, or none where there is no file of this star. Raises ServiceError."""
    at = position.at(service.epoch)
    only = {"obs_collection": "TESS", "dataproduct_type": "timeseries"}
    params = {
        "columns": "*",
        "filters": [{"paramName": name, "values": [value]} for name, value in only.items()],
        "position": f"{at.ra:.6f}, {at.dec:.6f}, {service.radius_arcsec / ARCSEC_PER_DEG:.6f}",
    }
    asked = {"service": "Mast.Caom.Filtered.Position", "format": "json", "params": params}
    fields = {"request": json.dumps(asked)}
    for _ in range(TRIES):
        exchange = ask_page(service, client, service.url, fields, should_stop)
        told = _object(exchange.content)
        if told.get("status") != "EXECUTING":
            break
    rows = told.get("data")
    if told.get("status") != "COMPLETE" or not isinstance(rows, list):
        raise BadReply(f"the service refuses the question: {str(told.get('msg', ''))[:200]}")
    names = (str(row.get("dataURL")) for row in rows if isinstance(row, dict))
    newest = max(filter(TESS_CURVE.fullmatch, names), default=None)
    if newest is None:
        return [], exchange
    place, uri = urljoin(service.url, TESS_FILES), {"uri": newest}
    exchange = ask_page(service, client, place, uri, should_stop, max_bytes=MAX_TESS_FILE)
    return read_tess_light_curves(exchange.content), exchange


@np.errstate(all="ignore")  # of numbers that no telescope writes
def read_tess_light_curves(content: bytes) -> list[LightCurve]:
    """The good points of a file of the mission, as magnitudes about that of its catalogue."""
    try:
        file = source_of(content, "tess.fits").fits
        hdu = file.named("LIGHTCURVE")
        if hdu is None:
            raise BadReply("the answer is no light curve, or is cut short")
        names = ("TIME", "PDCSAP_FLUX", "PDCSAP_FLUX_ERR", "QUALITY")
        days, flux, error, flags = (np.asarray(hdu.table.column(n), np.float64) for n in names)
        keys = ("BJDREFI", "BJDREFF", "TESSMAG", "SECTOR")
        start, rest, middle, sector = (
            hdu.header.number(key) if key.startswith("BJD") else file.primary.header.number(key)
            for key in keys
        )
    except ReadError as fault:
        raise BadReply(f"the answer is damaged: {fault}") from fault
    if start is None or middle is None or days.ndim != 1:
        raise BadReply(NO_ANSWER)
    is_good = (flags == 0.0) & np.isfinite(days) & (flux > 0.0) & (error > 0.0)
    days, flux, error = (each[is_good] for each in (days + start + (rest or 0.0), flux, error))
    mag = middle - 2.5 * np.log10(flux / np.median(flux)) if flux.size else flux
    points = list(zip(days.tolist(), mag.tolist(), (1.0857 * error / flux).tolist(), strict=True))
    return curves_of({("T", f"{sector or 0:.0f}"): points} if points else {}, time="BJD")


# How each kind of service is asked, and what it sent is read; Gaia's is that of a catalogue.
KINDS = {
    "ztf": (light_curves, read_light_curves),
    "atlas": (atlas_light_curves, read_atlas_light_curves),
    "tess": (tess_light_curves, read_tess_light_curves),
}


def ask_light_curves(
    service: Service, client: WebClient, position: Position, should_stop: ShouldStop = never
) -> tuple[list[LightCurve], Exchange | None]:
    """The light curves near a position by any service that has some. Raises ServiceError."""
    ask, _ = KINDS.get(service.kind, (gaia_light_curves, None))
    return ask(service, client, position, should_stop)
