"""Lets the fault server play SDSS, SPARCL, LAMOST and an SSAP service with one star each."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.services.archives.archive import Archive, Wanted
from app.services.archives.lamost import Lamost
from app.services.archives.sdss import Sdss
from app.services.archives.sparcl import Sparcl
from app.services.archives.ssap import Ssap
from tests.agent.spectra.readers import samples
from tests.app.services.fault_server import FaultServer, votable

UUID = "6b6e7a2c-0c1d-11ee-8f6a-525400f334e1"
OBSID = "677503031"
SDSS_PATH = "/dr17/sdss/spectro/redux/26/spectra/lite/0266/spec-0266-51602-0031.fits"
LAMOST_PATH = "/openapi/dr11/v2.0/lrs/spectrum/fits"
SDSS_STAR = Wanted(
    line=1, object_id="0266-51602-0031", ra=147.32107, dec=-0.0065757249,
    ids={"plate": "266", "mjd": "51602", "fiberid": "31"},
)  # fmt: skip
LAMOST_STAR = Wanted(
    line=1, object_id=OBSID, ra=24.376852, dec=25.427147, ids={"obsid": OBSID, "fiberid": "31"}
)
SPARCL_STAR = Wanted(line=1, object_id="39627", ra=359.9999, dec=60.0, ids={"specid": "39627"})
SSAP_STAR = Wanted(line=1, object_id="G 1", ra=24.376852, dec=25.427147)
STARS = {"sdss": SDSS_STAR, "lamost": LAMOST_STAR, "sparcl": SPARCL_STAR, "ssap": SSAP_STAR}
NUMBERS = list(range(4000, 4300, 3))


def sparcl_record(**changed: Any) -> dict[str, Any]:
    flux = [1.0 + 0.1 * (n % 7) for n in range(len(NUMBERS))]
    return {
        "sparcl_id": UUID, "specid": 39627, "targetid": 39627792213580000,
        "data_release": "DESI-DR1", "datasetgroup": "DESI", "ra": 359.9999, "dec": 60.0,
        "redshift": -0.0003, "redshift_err": 1e-5, "redshift_warning": 0,
        "spectype": "STAR", "specprimary": True,
        "wavelength": [float(x) + 0.123456789 for x in NUMBERS], "flux": flux,
        "ivar": [0.25] * len(NUMBERS), "mask": [0, 4, *[0] * (len(NUMBERS) - 2)], **changed,
    }  # fmt: skip


def play_archives(
    server: FaultServer,
    *,
    sdss: bytes | None = None,
    lamost: bytes | None = None,
    records: Sequence[dict[str, Any]] | None = None,
    spectrum: bytes | None = None,
    is_linked: bool = False,
) -> None:
    """Every path of a star answers with its file; what is given replaces it."""
    sdss = samples.sdss() if sdss is None else sdss
    lamost = samples.lamost_table() if lamost is None else lamost
    spectrum = samples.lamost_table() if spectrum is None else spectrum
    records = [sparcl_record()] if records is None else records

    def answer(path: str, fields: Mapping[str, str]) -> tuple[bytes, str]:
        if path == SDSS_PATH:
            return sdss, "application/fits"
        if path == LAMOST_PATH and fields.get("obsid") == OBSID:
            return lamost, "application/fits"
        if path == "/dr10/v2.0/voservice/conesearch":  # which dr11 does not have here
            rows = [["9", "24.38", "25.43"], [OBSID, "24.376853", "25.427147"]]
            names = ["catalogue_obsid", "catalogue_ra", "catalogue_dec"]
            return votable(names, rows, ""), "application/x-votable+xml"
        if path == "/dr17/SkyServerWS/SearchTools/SqlSearch":
            rows = ["8,51000,2,26,147.32107,-0.00657,0", "266,51602,31,26,147.3211,-0.00657,1"]
            table = ["#Table1", "plate,mjd,fiberID,run2d,ra,dec,sciencePrimary", *rows]
            return "\n".join(table).encode(), "text/plain"
        if path == "/find/":
            return _found(records, json.loads(fields["json"])), "application/json"
        if path == "/spectras/":
            ids = json.loads(fields["json"])
            these = [each for each in records if each.get("sparcl_id") in ids]
            return _answer(these), "application/json"
        if path == "/ssap":
            where = "/links" if is_linked else "/spectrum.fits"
            return ssap_reply([(server.url + where, 24.376852, 25.427147)]), "text/xml"
        if path == "/links":
            return links(server.url + "/spectrum.fits"), "application/x-votable+xml"
        if path == "/spectrum.fits":
            return spectrum, "application/fits"
        return b"", ""

    server.answer = answer


def archive(name: str, server: FaultServer, **options: Any) -> Archive:
    """An archive that asks the server, quickly."""
    made = {"sdss": Sdss, "lamost": Lamost, "sparcl": Sparcl}
    if name == "ssap":
        return Ssap(server.url + "/ssap", per_second=200.0)
    return made[name](base=server.url, per_second=200.0, **options)


def ssap_reply(rows: Sequence[tuple[str, float, float]]) -> bytes:
    fields = (
        '<FIELD name="accref" datatype="char" arraysize="*" utype="ssa:Access.Reference"/>'
        '<FIELD name="targ" datatype="char" arraysize="*" utype="ssa:Target.Name"/>'
        '<FIELD name="loc" datatype="double" arraysize="2" '
        'utype="ssa:Char.SpatialAxis.Coverage.Location.Value"/>'
    )
    cells = "".join(
        f"<TR><TD>{url}</TD><TD>G 1</TD><TD>{ra} {dec}</TD></TR>" for url, ra, dec in rows
    )
    return (
        '<?xml version="1.0"?><VOTABLE version="1.3"><RESOURCE type="results">'
        '<INFO name="QUERY_STATUS" value="OK"/>'
        f"<TABLE>{fields}<DATA><TABLEDATA>{cells}</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>"
    ).encode()


def links(url: str) -> bytes:
    rows = [["1", url + ".png", "#preview"], ["1", url, "#this"]]
    return votable(["ID", "access_url", "semantics"], rows, "")


def _found(records: Sequence[dict[str, Any]], question: dict[str, Any]) -> bytes:
    found = [each for each in records if all(_fits(each, test) for test in question["search"])]
    names = question["outfields"]
    return _answer([{name: each.get(name) for name in names if name in each} for each in found])


def _fits(record: dict[str, Any], test: list[Any]) -> bool:
    name, *values = test
    value = record.get(name)
    if name in ("ra", "dec"):
        return value is not None and values[0] <= value <= values[1]
    return value in values


def _answer(records: Sequence[dict[str, Any]]) -> bytes:
    head = {"status": {"success": True, "info": [], "warnings": []}}
    return json.dumps([head, *records], default=np.ndarray.tolist).encode()
