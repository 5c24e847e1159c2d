"""Services on loopback that know the objects of the sample: an answer of every kind for each."""

import json
from collections.abc import Iterable
from io import BytesIO

import numpy as np
from astropy.io import fits
from PIL import Image

from app.core.evidence.store import save
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.services.catalogues.answer import Exchange, Match, Value, answer_of, now
from app.services.catalogues.light_curve import TESS_FILES
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from app.services.catalogues.sky_picture import ARCSEC, PIXELS, SURVEYS
from tests.app.services.fault_server import FaultServer

VALUES: dict[str, object] = {
    "main_id": "V* AM Her", "otype": "AM*", "sp_type": "M4.5+DA", "nbref": 512, "plx_value": 11.4,
    "plx_err": 0.02, "rvz_radvel": -12.3, "rvz_err": 4.1, "Name": "AM Her", "Type": "AM",
    "Period": 0.128927, "max": 12.0, "min": 15.7, "source_id": 2123837555230207744,
    "parallax": 11.37, "parallax_error": 0.02, "pmra": -45.9, "pmra_error": 0.03, "pmdec": 28.1,
    "pmdec_error": 0.03, "ruwe": 1.12, "phot_g_mean_mag": 13.58, "phot_bp_mean_mag": 13.9,
    "phot_rp_mean_mag": 12.8, "bp_rp": 1.1, "phot_variable_flag": "VARIABLE", "FUVmag": 14.9,
    "e_FUVmag": 0.02, "NUVmag": 14.8, "e_NUVmag": 0.02, "umag": 14.4, "gmag": 14.2, "rmag": 13.7,
    "imag": 13.2, "zmag": 12.9, "ymag": 12.7, "Jmag": 11.70, "e_Jmag": 0.02, "Hmag": 11.16,
    "e_Hmag": 0.02, "Kmag": 10.9, "e_Kmag": 0.02, "Qflg": "AAA", "W1mag": 10.4, "e_W1mag": 0.02,
    "W2mag": 10.1, "e_W2mag": 0.02, "W3mag": 9.6, "e_W3mag": 0.05, "W4mag": None, "e_W4mag": None,
    "qph": "AAAU", "Source": 2123837555230207744, "Class": "CV", "ClassSc": 0.87,
}  # fmt: skip
SOLID = (60, 40, 90)


def services_at(url: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Settings that turn every service on, at this address."""
    paths = {"tap": "", "ztf": "/nph_light_curves", "gaia_epochs": "", "picture": "/hips2fits"}
    paths |= {"dust": "/nph-dust", "atlas": "/queue/", "tess": "/api/v0/invoke"}
    changes = {f"{each.id}.url": url + paths[each.kind] for each in all_services().values()}
    return tuple(all_services()), changes


def serve_sky(server: FaultServer, candidates: Iterable[Candidate]) -> None:
    """Every service finds each of these candidates."""
    places = [(each.ra, each.dec) for each in candidates if each.ra is not None]
    for service in all_services().values():
        if service.kind != "tap":
            continue
        names = [each.column for each in service.columns]
        names += [each.error for each in service.columns if each.error]
        names += [service.pm_ra, service.pm_dec] if service.pm_ra else []
        values = {name: VALUES.get(name, 0.02) for name in names}
        if service.pm_ra:  # our stars stand still, so that every catalogue finds them in its year
            values |= {service.pm_ra: 0.0, service.pm_dec: 0.0}
        rows = [{**values, service.ra: ra, service.dec: dec} for ra, dec in places]
        server.tables[service.table] = rows
    server.files["/nph-dust"] = dust_map(), "text/xml"
    serve_atlas(server)
    serve_tess(server)
    server.files["/nph_light_curves"] = light_curve(), "text/csv"
    epochs = all_services()["gaia_epochs"]
    server.tables[epochs.table] = [
        {**row, epochs.ra: ra, epochs.dec: dec} for ra, dec in places for row in gaia_epochs()
    ]
    survey = SURVEYS[0][0]
    server.files["/MocServer/query"] = f'["{survey}"]'.encode(), "application/json"
    server.files["/hips2fits"] = picture(), "image/jpeg"


def dust_map() -> bytes:
    """What IRSA's service answers, in the form that it documents."""
    numbers = {"refPixelValueSandF": 0.0740, "refPixelValueSFD": 0.0861}
    numbers |= {"meanValueSandF": 0.0741, "stdSandF": 0.0012, "stdSFD": 0.0014}
    told = "".join(f"<{tag}>\n  {value:.4f} (mag)\n</{tag}>\n" for tag, value in numbers.items())
    return (
        '<?xml version="1.0"?>\n<results status="ok">\n<result>\n<desc>E(B-V) Reddening</desc>\n'
        f"<statistics>\n{told}</statistics>\n</result>\n</results>\n"
    ).encode()


def serve_atlas(server: FaultServer) -> None:
    """A job that is done by the second time that it is asked for, and its table."""
    job = {"url": f"{server.url}/queue/7/", "finishtimestamp": None, "error_msg": None}
    server.files["/queue/"] = json.dumps(job).encode(), "application/json"
    done = job | {"finishtimestamp": "2026-11-28T12:00:00Z"}
    done["result_url"] = f"{server.url}/results/job7.txt"
    server.files["/queue/7/"] = json.dumps(done).encode(), "application/json"
    server.files["/results/job7.txt"] = forced_photometry(), "text/plain"


def forced_photometry() -> bytes:
    """Two filters that vary with 0.128927 days, one faint point and one that the fit disowns."""
    draw = np.random.default_rng(5)
    lines = ["###MJD m dm uJy duJy F err chi/N RA Dec x y maj min phi apfit mag5sig Sky Obs"]
    rest = "120.0 20.0 1.0 2.0 2.5 2.4 10.0 -0.4 19.1 20.0 01a58000o0000"
    for name, middle in (("c", 14.2), ("o", 13.7)):
        mjd = 58_200.0 + np.sort(draw.uniform(0.0, 1500.0, 300))
        mag = middle + 0.4 * np.sin(2.0 * np.pi * mjd / 0.128927) + draw.normal(0.0, 0.03, 300)
        lines += [
            f"{at:.6f} {m:.3f} 0.030 {10 ** ((23.9 - m) / 2.5):.0f} 30 {name} 0 1.1 {rest}"
            for at, m in zip(mjd, mag, strict=True)
        ]
    lines.append(f"58300.0 -19.0 2.0 -10 20 o 0 1.1 {rest}")
    lines.append(f"58301.0 10.0 0.01 400000 20 o 1 1.1 {rest}")
    return ("\n".join(lines) + "\n").encode()


def serve_tess(server: FaultServer, sectors: tuple[int, ...] = (14, 41)) -> None:
    """Observations as MAST lists them, and the file of whichever is asked for."""
    names = [f"tess20{s:02}206045859-s{s:04}-{25155310:016}-0120-s_lc.fits" for s in sectors]
    rows = [{"dataURL": f"mast:TESS/product/{name}", "s_ra": 120.0} for name in names]
    fast = "mast:TESS/product/tess2099206045859-s0099-0000000025155310-0120-a_fast-lc.fits"
    rows += [{"dataURL": fast, "s_ra": 120.0}, {"dataURL": None, "s_ra": None}]
    told = {"status": "COMPLETE", "msg": "", "data": rows, "fields": []}
    server.files["/api/v0/invoke"] = json.dumps(told).encode(), "application/json"
    server.files[TESS_FILES] = tess_file(), "application/octet-stream"


def tess_file(**changes: np.ndarray) -> bytes:
    """A file as the mission makes them: 2,000 points, one of them flagged and one without flux."""
    days = 1683.0 + np.arange(2000) / 720.0
    flux = 5000.0 * 10.0 ** (-0.4 * 0.2 * np.sin(2.0 * np.pi * days / 0.128927))
    values = {"TIME": days, "PDCSAP_FLUX": flux, "PDCSAP_FLUX_ERR": np.full(2000, 5.0)}
    values |= {"QUALITY": np.where(np.arange(2000) == 7, 128, 0)}
    flux[9] = np.nan
    values |= changes
    forms = dict(zip(values, "DEEJ", strict=False))
    columns = [fits.Column(n, forms.get(n, "D"), array=v) for n, v in values.items()]
    table = fits.BinTableHDU.from_columns(columns, name="LIGHTCURVE")
    table.header["BJDREFI"], table.header["BJDREFF"] = 2457000, 0.0
    primary = fits.PrimaryHDU()
    primary.header["TESSMAG"], primary.header["SECTOR"] = 13.2, 41
    made = BytesIO()
    fits.HDUList([primary, table]).writeto(made)
    return made.getvalue()


def light_curve() -> bytes:
    """Two series that vary with 0.128927 days, each with a zero point of its own."""
    draw = np.random.default_rng(3)
    lines = ["oid,hjd,mag,magerr,catflags,filtercode"]
    for series, band, middle in ((686103, "zg", 14.2), (686205, "zr", 13.7)):
        hjd = 2_458_200.0 + np.sort(draw.uniform(0.0, 1500.0, 300))
        mag = middle + 0.4 * np.sin(2.0 * np.pi * hjd / 0.128927) + draw.normal(0.0, 0.03, 300)
        lines += [
            f"{series},{at:.6f},{m:.4f},0.03,0,{band}" for at, m in zip(hjd, mag, strict=True)
        ]
    return ("\n".join(lines) + "\n").encode()


def gaia_epochs() -> list[dict[str, object]]:
    """Fifty passages over a star that varies with 0.128927 days."""
    days = np.sort(np.random.default_rng(4).uniform(1700.0, 2700.0, 50))
    wave = 0.4 * np.sin(2.0 * np.pi * days / 0.128927)
    return [
        {
            "Source": 2123837555230207744, "TimeG": day, "FG": 5000.0, "e_FG": 25.0,
            "Gmag": 13.6 + high, "TimeBP": day + 0.0003, "BPmag": 13.9 + high,
            "TimeRP": day + 0.0004, "RPmag": 12.8 + high if number else None,
        }
        for number, (day, high) in enumerate(zip(days.tolist(), wave.tolist(), strict=True))
    ]  # fmt: skip


def linked(path: object, side: int = PIXELS) -> bytes:
    """An SVG that makes Qt open a file."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{side}" height="{side}"><image xlink:href="{path}" width="9" height="9"/></svg>'
    ).encode()


def store_picture(session: Session, number: int, content: bytes, **said: Value) -> None:
    """As a stranger's session may hold it: the service need not be on."""
    _, survey, epoch = SURVEYS[0]
    values: dict[str, Value] = {"survey": survey, "epoch": epoch, "arcsec": ARCSEC, **said}
    answer = answer_of([Match(values=values, separation_arcsec=0.0)])
    exchange = Exchange(url="https://example.org/", asked_at=now(), content=content)
    here = session.candidate(number)
    position = Position(ra=here.ra or 0.0, dec=here.dec or 0.0)
    save(session, number, all_services()["picture"], answer, exchange, position)


def picture() -> bytes:
    y, x = np.mgrid[0:PIXELS, 0:PIXELS]
    star = 255.0 * np.exp(-((x - PIXELS / 2) ** 2 + (y - PIXELS / 2) ** 2) / 60.0)
    layers = [np.clip(star + level, 0, 255).astype(np.uint8) for level in SOLID]
    made = BytesIO()
    Image.fromarray(np.dstack(layers)).save(made, "JPEG", quality=90)
    return made.getvalue()
