"""Small files in the layouts of the surveys, so that tests of readers need no real data."""

import gzip
from io import BytesIO
from typing import Any

import numpy as np
from astropy.io import fits

from agent.spectra.fits.fits_file import FitsFile
from agent.spectra.fits.source_file import source_of

PIXELS = 240
FIRST, STEP = 3.5682, 0.0016
LOGLAM = FIRST + STEP * np.arange(PIXELS)
WAVELENGTH = 10.0**LOGLAM
FLUX = 100.0 + 10.0 * np.sin(np.arange(PIXELS) / 9.0)
FLUX[7] = -3.0
IVAR = np.full(PIXELS, 0.25)
IVAR[20:23] = 0.0
LINEAR = 4000.0 + 2.0 * np.arange(PIXELS)
FLAGS = np.zeros(PIXELS)
FLAGS[40] = 1  # bad CCD pixel
FLAGS[41] = 8  # bright sky: usable

LAMOST_CARDS: dict[str, Any] = {
    "TELESCOP": "LAMOST", "DATA_V": "LAMOST DR7", "OBSID": 677503031,
    "DESIG": "LAMOST J013730.44+252537.7", "RA": 24.376852, "DEC": 25.427147, "FIBERID": "31",
    "COEFF0": FIRST, "COEFF1": STEP, "CRVAL1": FIRST, "CD1_1": STEP, "CTYPE1": "LINEAR",
    "DC-FLAG": 1, "VACUUM": True, "CLASS": "STAR", "SUBCLASS": "G3", "Z": -0.00012, "SNRU": -9999.0,
    "SNRG": 30.0, "SNRR": 50.0, "SNRI": 60.0, "SNRZ": 10.0,
}  # fmt: skip


DESI_NAME = "coadd-1-80693-thru20210204.fits"


def bytes_of(*hdus: Any) -> bytes:
    out = BytesIO()
    fits.HDUList(list(hdus)).writeto(out)
    return out.getvalue()


def with_cards(hdu: Any, cards: dict[str, Any]) -> Any:
    for keyword, value in cards.items():
        hdu.header[keyword] = value
    return hdu


def table_hdu(columns: dict[str, tuple[str, Any]], name: str = "", **units: str) -> Any:
    made = [
        fits.Column(name=key, format=form, array=values, unit=units.get(key))
        for key, (form, values) in columns.items()
    ]
    hdu = fits.BinTableHDU.from_columns(made)
    if name:
        hdu.header["EXTNAME"] = name
    return hdu


def lamost_image(third: Any = WAVELENGTH, drop: tuple[str, ...] = (), **cards: Any) -> bytes:
    data = np.array([FLUX, IVAR, third, FLAGS, FLAGS], dtype=np.float32)
    kept = {key: value for key, value in (LAMOST_CARDS | cards).items() if key not in drop}
    return bytes_of(with_cards(fits.PrimaryHDU(data), kept))


def lamost_dr1() -> bytes:
    """Row 3 is the normalised flux, there is no OBSID and no DATA_V, S/N keys are SN_x."""
    drop = ("OBSID", "DATA_V", "SNRU", "SNRG", "SNRR", "SNRI", "SNRZ")
    return lamost_image(
        third=FLUX / FLUX.mean(), drop=drop, EXTEN0="Flux Inverse Subcontinuum Andmask Ormask",
        SN_G=20.0, SN_R=40.0,
    )  # fmt: skip


def lamost_table(**cards: Any) -> bytes:
    def vector(values: Any) -> tuple[str, Any]:
        return f"{PIXELS}E", np.asarray(values, dtype=np.float32)[None, :]

    coadd = table_hdu(
        {
            "FLUX": vector(FLUX), "IVAR": vector(IVAR), "WAVELENGTH": vector(WAVELENGTH),
            "ANDMASK": vector(FLAGS), "ORMASK": vector(FLAGS),
            "NORMALIZATION": vector(FLUX / FLUX.mean()),
        },
        "COADD",
    )  # fmt: skip
    primary = with_cards(fits.PrimaryHDU(), LAMOST_CARDS | {"DATA_V": "LAMOST DR10"} | cards)
    return bytes_of(primary, coadd)


def lamost_mrs(
    arms: tuple[str, ...] = ("B", "R"),
    minutes: tuple[int, ...] = (84107335, 84107311),
    coadd: bool = True,
    listed: bool = True,
) -> bytes:
    """Coadd and exposures, whose red arm is stored backwards; FLUX + n in exposure n."""
    grids = {"B": np.linspace(3.690, 3.7316, PIXELS), "R": np.linspace(3.7973, 3.8352, PIXELS)}
    hdus = [with_cards(fits.PrimaryHDU(), LAMOST_CARDS | {"EXTNAME": "Information"})]
    for number, minute in enumerate((0, *minutes) if coadd else minutes):
        for arm in arms:
            turn = slice(None, None, -1 if minute and arm == "R" else 1)
            hdu = table_hdu(
                {
                    "FLUX": ("E", (FLUX + number)[turn]), "IVAR": ("E", IVAR[turn]),
                    "LOGLAM": ("E", grids[arm][turn]),
                    "PIXMASK" if minute else "ANDMASK": ("I", FLAGS[turn]),
                },
                f"{arm}-{minute}" if minute else f"COADD_{arm}",
            )  # fmt: skip
            hdu.header["SNR"] = 40.0 if arm == "B" else 80.0
            if minute:
                hdu.header["EXPTIME"] = 1200
            for start in range(0, len(minutes) if listed and not minute else 0, 3):
                key = "LMJMLIST" if len(minutes) <= 3 else f"LMJMLI{start // 3}"
                hdu.header[key] = "-".join(map(str, sorted(minutes)[start : start + 3]))
            hdus.append(hdu)
    return bytes_of(*hdus)


def sdss(
    upper: bool = False, names: bool = True, exposures: int = 0, **primary_cards: Any
) -> bytes:
    flags = np.zeros(PIXELS, dtype=np.int32)
    flags[50] = 1 << 23  # BRIGHTSKY
    flags[60] = 1 << 24  # NODATA

    def case(name: str) -> str:
        return name.upper() if upper else name

    spectrum = {
        case("flux"): ("E", FLUX), case("loglam"): ("E", LOGLAM), case("ivar"): ("E", IVAR),
        case("and_mask"): ("J", flags),
    }  # fmt: skip
    catalogue = {
        "CLASS": ("6A", ["GALAXY"]), "SUBCLASS": ("21A", ["STARFORMING"]), "PLATE": ("J", [266]),
        "MJD": ("J", [51602]), "FIBERID": ("J", [31]), "PLUG_RA": ("D", [147.32107]),
        "PLUG_DEC": ("D", [-0.0065757249]), "Z": ("E", [0.0020578515]),
        "SN_MEDIAN_ALL": ("E", [7.25]), "RUN2D": ("7A", ["v5_13_0"]), "SPECPRIMARY": ("B", [1]),
    }  # fmt: skip
    cards = {"RA": 145.89219, "DEC": 0.059372, "TELESCOP": "SDSS 2.5-M", "PLATEID": 266}
    hdus = [
        with_cards(fits.PrimaryHDU(), cards | primary_cards),
        table_hdu(spectrum, "COADD" if names else ""),
        table_hdu(catalogue, "SPALL" if names else ""),
        table_hdu({"LINENAME": ("8A", ["H_alpha"]), "LINEZ": ("E", [0.0])}),
    ]
    # Exposures of a real file have 2000 pixels or more.
    long = {name: (form, np.resize(values, 2000)) for name, (form, values) in spectrum.items()}
    hdus += [table_hdu(long, f"B1-{number:08d}") for number in range(exposures)]
    return bytes_of(*hdus)


def spspec(**cards: Any) -> bytes:
    sigma = np.where(IVAR > 0, 1 / np.sqrt(np.where(IVAR > 0, IVAR, 1)), 0.0)
    data = np.array([FLUX, FLUX * 0, sigma, np.zeros(PIXELS), np.zeros(PIXELS)], np.float32)
    defaults = {
        "TELESCOP": "SDSS 2.5-M", "RA": 150.09221, "DEC": 10.308277, "RAOBJ": 149.46417,
        "DECOBJ": 10.976277, "PLATEID": 1307, "MJD": 52999, "FIBERID": 323, "COEFF0": FIRST,
        "COEFF1": STEP, "VACUUM": True, "SPEC_CLN": 2, "Z": 0.0410313, "SN_G": 11.0, "SN_R": 14.2,
        "SN_I": 13.0,
    }  # fmt: skip
    return bytes_of(with_cards(fits.PrimaryHDU(data), defaults | cards))


TARGETS = (39633559463397282, 39633559467591522, 39633559463398815, -4, 39633560340006508)
DESI_ARMS = {"B": (3600.0, 120), "R": (3600.0 + 0.8 * 110, 120), "Z": (3600.0 + 0.8 * 220, 120)}


def desi(
    targets: tuple[int, ...] = TARGETS,
    without: tuple[str, ...] = (),
    shift: float = 0.0,
    mask: dict[str, tuple[int, ...]] | None = None,
) -> bytes:
    """Arm flux is 10 (row + 1) plus 1, 2, 3 in B, R, Z; ivar 1, 3, 1. `shift` moves R's grid."""
    hdus = [
        with_cards(
            fits.PrimaryHDU(), {"SURVEY": "special", "DEPNAM00": "SPECPROD", "DEPVER00": "fuji"}
        ),
        table_hdu(
            {
                "TARGETID": ("K", np.array(targets)),
                "TARGET_RA": ("D", 120.0 + np.arange(len(targets))),
                "TARGET_DEC": ("D", 80.0 + np.arange(len(targets)) / 10),
            },
            "FIBERMAP",
        ),
    ]
    shape = (len(targets), 120)
    for number, (arm, (start, count)) in enumerate(DESI_ARMS.items()):
        wavelength = start + (shift if arm == "R" else 0.0) + 0.8 * np.arange(count)
        flux = 10.0 * (np.arange(len(targets)) + 1)[:, None] + number + np.ones(shape)
        flags = np.zeros(shape, dtype=np.int32)
        for pixel in (mask or {}).get(arm, ()):
            flags[:, pixel] = 4
        parts = {
            "WAVELENGTH": wavelength,
            "FLUX": flux.astype(np.float32),
            "IVAR": np.full(shape, 3.0 if arm == "R" else 1.0, dtype=np.float32),
            "MASK": flags,
        }
        for part, values in parts.items():
            name = f"{arm}_{part}"
            if name not in without:
                hdus.append(fits.ImageHDU(values, name=name))
    return bytes_of(*hdus)


def redrock(targets: tuple[int, ...] = TARGETS, warn: int = 0) -> bytes:
    count = len(targets)
    return bytes_of(
        fits.PrimaryHDU(),
        table_hdu(
            {
                "TARGETID": ("K", np.array(targets)),
                "Z": ("D", 0.1 + np.arange(count)),
                "ZWARN": ("K", np.full(count, warn)),
                "SPECTYPE": ("6A", ["GALAXY"] * (count - 1) + ["QSO"]),
                "SUBTYPE": ("20A", [""] * count),
            },
            "REDSHIFTS",
        ),
    )


def sigma_of(ivar: Any) -> Any:
    """Errors in erg/s/cm2/A; 0 where there is none."""
    return np.where(ivar > 0, 1e-17 / np.sqrt(np.where(ivar > 0, ivar, 1)), 0.0)


SIGMA = sigma_of(IVAR)
QUALITY = np.where(np.arange(PIXELS) == 40, 2, 0)
FOURMOST_CARDS: dict[str, Any] = {
    "PRODCATG": "SCIENCE.SPECTRUM", "ORIGIN": "ESO-PARANAL", "TELESCOP": "ESO-VISTA",
    "INSTRUME": "QMOST", "OBJECT": "Field 02A", "RA": 314.1146, "DEC": -41.19583,
    "SPECSYS": "HELIOCEN", "FLUXCAL": "ABSOLUTE", "SPEC_RES": 4933.2, "SNR": 12.5,
    "PROCSOFT": "QL1/0.9", "CNAME": "QMOST20562750-4111450", "TRG_UID": 11031146069,
}  # fmt: skip


def fourmost(ucd: str = "em.wl;obs.atmos", **cards: Any) -> bytes:
    """One spectrum of low resolution, as 4MOST gives it to ESO."""
    cells = {"WAVE": LINEAR, "FLUX": 1e-17 * FLUX, "ERR_FLUX": SIGMA, "QUAL": QUALITY}
    vectors = {
        name: (f"{PIXELS}{'J' if name == 'QUAL' else 'E'}", values[None, :])
        for name, values in cells.items()
    }
    units = dict.fromkeys(("FLUX", "ERR_FLUX"), "erg/(s*cm^2*Angstrom)")
    hdu = table_hdu(vectors, "PHASE3SPECTRUM", WAVE="Angstrom", **units)
    hdu.header["TUCD1"] = ucd
    primary = with_cards(fits.PrimaryHDU(), FOURMOST_CARDS | cards)
    return bytes_of(primary, with_cards(hdu, {"TMID": 59827.131944445}))


def fourmost_table(rows: int = 3, in_header: bool = True, **cards: Any) -> bytes:
    """The fibres of an exposure: wavelengths in the header, or by fibre in nm."""
    flux = 1e-17 * FLUX * (1 + np.arange(rows))[:, None]
    spectra = table_hdu(
        {
            "FLUX": (f"{PIXELS}E", flux),
            "FLUX_IVAR": (f"{PIXELS}D", np.tile(1e34 * IVAR, (rows, 1))),
            "QUAL": (f"{PIXELS}J", np.tile(QUALITY, (rows, 1))),
        },
        "SPECTAB",
    )  # fmt: skip
    axis = {"1CRVL1": 400.0, "1CDLT1": 0.2, "1CRPX1": 1.0, "1CUNI1": "nm"}
    fibres = {
        "OBJ_NME": ("12A", [f"target{row}" for row in range(rows)]),
        "OBJ_UID": ("K", np.arange(rows) + 70_000_000_000),
        "OBJ_RA": ("D", 10.0 + np.arange(rows)), "OBJ_DEC": ("D", -30.0 - np.arange(rows)),
        "SNR": ("E", 5.0 + np.arange(rows)), "WAVELMIN": ("D", np.full(rows, 400.0)),
        "SPEC_BIN": ("D", np.full(rows, 0.2)),
    }  # fmt: skip
    return bytes_of(
        with_cards(fits.PrimaryHDU(), {"PROCSOFT": "QL1/1.0"} | cards),
        table_hdu({"OBJECT": ("9A", ["Field 02A"])}, "OBMETATAB"),
        with_cards(spectra, axis) if in_header else spectra, table_hdu(fibres, "FIBMETATAB"),
    )  # fmt: skip


def weave(
    arms: tuple[str, ...] = ("BLUE",), rows: int = 3, without: tuple[str, ...] = (), **cards: Any
) -> bytes:
    """Rows of an arm in ADU; what the sensitivity makes of them is FLUX (row + 1)."""
    first = {"BLUE": 4000.0, "GREEN": 4750.0, "RED": 5900.0}
    hdus = [with_cards(fits.PrimaryHDU(), {"VPH": "LowRes", "OBSMODE": "MOS"} | cards)]
    scale = (1.0 + np.arange(rows))[:, None]
    sensitivity = np.tile(np.where(np.arange(PIXELS) == 60, 0.0, 1e-17), (rows, 1))
    shape = (rows, PIXELS) if rows > 1 else (PIXELS,)
    for arm in arms:
        parts = {
            "DATA": scale * FLUX, "IVAR": np.tile(IVAR, (rows, 1)), "SENSFUNC": sensitivity,
            "DATA_NOSS": scale * FLUX + 50.0,
        }  # fmt: skip
        axis = {"CRVAL1": first[arm], "CD1_1": 2.0, "CRPIX1": 1.0, "CUNIT1": "Angstrom"}
        for part, values in parts.items():
            if part not in without:
                image = fits.ImageHDU(
                    values.reshape(shape).astype(np.float32), name=f"{arm}_{part}"
                )
                hdus.append(with_cards(image, axis))
    fibres = {
        "CNAME": ("20A", [f"WVE_0000000{row}+1234567" for row in range(rows)]),
        "TARGID": ("30A", [f"target{row}" for row in range(rows)]),
        "TARGRA": ("D", 120.0 + np.arange(rows)), "TARGDEC": ("D", 40.0 + np.arange(rows)),
        "TARGUSE": ("1A", ["T"] * (rows - 1) + ["S"] if rows > 1 else ["T"]),
        "Resol": ("E", np.full(rows, 0.8)), "SNR": ("E", 20.0 + np.arange(rows)),
    }  # fmt: skip
    return bytes_of(*hdus, *([] if "FIBTABLE" in without else [table_hdu(fibres, "FIBTABLE")]))


PFS_FLAGS = {"MP_BAD": 0, "MP_CR": 3, "MP_NO_DATA": 8, "MP_BAD_FLUXCAL": 14, "MP_OVERLAP": 15}
PFS_MASK = np.zeros(PIXELS, dtype=np.int32)
PFS_MASK[[30, 31, 32, 33]] = 1 << 8, 1 << 14, 1 << 3, 1 << 15
PFS_NM = 400.0 + 0.5 * np.arange(PIXELS)


def _nanojansky(flux: Any) -> Any:
    """Of a flux in 1e-17 erg/s/cm2/A at the wavelengths of PFS_NM."""
    return flux * (10.0 * PFS_NM) ** 2 / 2.99792458e3


def pfs_object(
    visits: tuple[int, ...] = (101, 101), wcs: bool = True, without: str = "", **cards: Any
) -> bytes:
    """One object, with the wavelengths as pfs.datamodel writes them: in metres, CRPIX1 + 1."""
    middle, step = 1e-9 * PFS_NM.mean(), 1e-9 * 0.5
    axis = {
        "CTYPE1": "WAVE", "CUNIT1": "m", "CRVAL1": middle, "CDELT1": step,
        "CRPIX1": 0.5 * PIXELS + 1.5,
    }  # fmt: skip
    flux = _nanojansky(FLUX)
    variance = np.where(IVAR > 0, _nanojansky(1.0) ** 2 / np.where(IVAR > 0, IVAR, 1.0), 0.0)
    target = table_hdu({"filterName": ("4A", ["g_hsc"]), "fiberFlux": ("E", [5.0])}, "TARGET")
    identity = {"CATID": 10_091, "TRACT": 1, "OBJID": 25_769_810_000, "RA": 150.5, "DEC": 2.25}
    observed = {
        "visit": ("J", list(visits)), "arm": ("1A", ["b"] * len(visits)),
        "pfiNominal": ("2D", np.zeros((len(visits), 2))),
    }  # fmt: skip
    hdus = {
        "FLUX": fits.ImageHDU(flux.astype(np.float32), name="FLUX"),
        "MASK": with_cards(fits.ImageHDU(PFS_MASK, name="MASK"), _hierarch(PFS_FLAGS)),
        "TARGET": with_cards(target, identity | cards),
        "SKY": fits.ImageHDU(0 * FLUX.astype(np.float32), name="SKY"),
        "COVAR": fits.ImageHDU(np.stack([variance, 0 * FLUX, 0 * FLUX]), name="COVAR"),
        "OBSERVATIONS": table_hdu(observed, "OBSERVATIONS"),
    }
    if wcs:
        with_cards(hdus["FLUX"], axis)
    else:
        hdus["WAVELENGTH"] = fits.ImageHDU(PFS_NM, name="WAVELENGTH")
    return bytes_of(fits.PrimaryHDU(), *(hdu for name, hdu in hdus.items() if name != without))


def _hierarch(flags: dict[str, int]) -> dict[str, int]:
    return {name if len(name) <= 8 else f"HIERARCH {name}": bit for name, bit in flags.items()}


def pfs_objects(rows: int = 3, packed: bool = True, native: bool = True) -> bytes:
    """A coadd of several objects; their flags are packed, and again in the table of fluxes."""
    number = np.arange(rows, dtype=np.int16)
    scale = (1.0 + number)[:, None]
    flux = _nanojansky(scale * FLUX).astype(np.float32)
    variance = np.tile(np.where(IVAR > 0, _nanojansky(1.0) ** 2 / 0.25, 0.0), (rows, 1))
    flags = "".join(f"{name}: {bit}\n" for name, bit in PFS_FLAGS.items())
    kind = fits.CompImageHDU if packed else fits.ImageHDU
    cells = {
        "wavelength": ("QD()", np.tile(PFS_NM, (rows, 1)) if native else [[]] * rows),
        "flux": ("QE()", flux if native else [[]] * rows),
        "error": ("QE()", np.sqrt(variance) if native else [[]] * rows),
        "mask": ("QJ()", np.tile(PFS_MASK, (rows, 1)) if native else [[]] * rows),
    }
    return bytes_of(
        fits.PrimaryHDU(),
        table_hdu(
            {
                "targetId": ("I", number), "catId": ("J", [7] * rows),
                "objId": ("K", number + 9_000), "patch": ("PA()", ["1,1"] * rows),
                "ra": ("D", 150.0 + number), "dec": ("D", 2.0 + number),
            },
            "TARGET",
        ),
        table_hdu({"targetId": ("I", number), "visit": ("J", [1] * rows)}, "OBSERVATIONS"),
        fits.ImageHDU(PFS_NM, name="WAVELENGTH"),
        fits.ImageHDU(flux, name="FLUX"),
        kind(np.tile(PFS_MASK, (rows, 1)), name="MASK"),
        table_hdu({f"row_{n}": ("PE()", variance) for n in range(3)}, "COVAR"),
        table_hdu({"targetId": ("I", number), "metadata": ("PA()", [flags] * rows)}, "METADATA"),
        table_hdu({"targetId": ("I", number)} | cells, "FLUXTABLE"),
    )  # fmt: skip


def image_1d(flux: Any = FLUX, extensions: dict[str, Any] | None = None, **cards: Any) -> bytes:
    hdus = [with_cards(fits.PrimaryHDU(np.asarray(flux, dtype=np.float32)), cards)]
    hdus += [fits.ImageHDU(values, name=name) for name, values in (extensions or {}).items()]
    return bytes_of(*hdus)


def fits_table(
    columns: dict[str, tuple[str, Any]], primary: dict[str, Any] | None = None, **units: str
) -> bytes:
    return bytes_of(
        with_cards(fits.PrimaryHDU(), primary or {}), table_hdu(columns, "SPECTRUM", **units)
    )


def text(columns: tuple[Any, ...] = (WAVELENGTH, FLUX), head: str = "", glue: str = " ") -> bytes:
    lines = [glue.join(f"{value:.6f}" for value in row) for row in zip(*columns, strict=True)]
    return (head + "\n".join(lines) + "\n").encode()


VOTABLE = """<?xml version="1.0" encoding="utf-8"?>
<VOTABLE version="1.3" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">{doctype}
<RESOURCE><INFO name="OBJECT" value="HD 1"/>
<TABLE name="spectrum">
<FIELD name="x1" ucd="em.wl" unit="nm" datatype="double"/>
<FIELD name="y1" ucd="phot.flux.density;em.wl" unit="erg/s/cm2/nm" datatype="float"/>
<FIELD name="y2" ucd="stat.error;phot.flux.density" datatype="float"/>
<DATA>{data}</DATA></TABLE></RESOURCE></VOTABLE>
"""


def votable(data: str | None = None, doctype: str = "") -> bytes:
    if data is None:
        rows = (
            f"<TR><TD>{w / 10:.7f}</TD><TD>{f:.5f}</TD><TD>2</TD></TR>"
            for w, f in zip(WAVELENGTH, FLUX, strict=True)
        )
        data = f"<TABLEDATA>{''.join(rows)}</TABLEDATA>"
    return VOTABLE.format(data=data, doctype=doctype).encode()


def gz(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def opened(data: bytes) -> FitsFile:
    return source_of(data, "a.fits").fits


def card(text: str) -> bytes:
    return text.encode().ljust(80)
