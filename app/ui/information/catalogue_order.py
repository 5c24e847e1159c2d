"""The columns of each survey's catalogue, in its order, and the header keys that hold them."""

from __future__ import annotations

from collections.abc import Mapping

Columns = tuple[tuple[str, tuple[str, ...]], ...]
"""Catalogue column names, each with the header keys that may hold it; the first found counts."""

LAMOST: Columns = (
    ("obsid", ("OBSID",)),
    ("designation", ("DESIG",)),
    ("obsdate", ("DATE-OBS",)),
    ("lmjd", ("LMJD",)),
    ("mjd", ("MJD",)),
    ("planid", ("PLANID",)),
    ("spid", ("SPID",)),
    ("fiberid", ("FIBERID",)),
    ("ra", ("RA",)),
    ("dec", ("DEC",)),
    ("snru", ("SNRU", "SN_U")),
    ("snrg", ("SNRG", "SN_G")),
    ("snrr", ("SNRR", "SN_R")),
    ("snri", ("SNRI", "SN_I")),
    ("snrz", ("SNRZ", "SN_Z")),
    ("snrb", ("SNR_B",)),
    ("class", ("CLASS",)),
    ("subclass", ("SUBCLASS",)),
    ("z", ("Z",)),
    ("z_err", ("Z_ERR",)),
    ("objtype", ("OBJTYPE",)),
    ("magtype", ("MAGTYPE",)),
    *((f"mag{number}", (f"MAG{number}",)) for number in range(1, 6)),
    *((f"mag_ps_{band}", (f"MAG_PS_{band.upper()}",)) for band in "grizy"),
    ("tsource", ("TSOURCE", "OBJSOURC")),
    ("fibertype", ("FIB_TYPE", "FIBERTYP")),
    ("tfrom", ("TFROM",)),
    ("tcomment", ("TCOMMENT",)),
    ("offsets", ("OFFSET",)),
    ("offsets_v", ("OFFSET_V",)),
    ("ra_obs", ("RA_OBS",)),
    ("dec_obs", ("DEC_OBS",)),
)
SDSS: Columns = (
    ("specobjid", ("SPECOBJID", "SPEC_ID")),
    ("plate", ("PLATEID", "PLATE", "FIELD")),
    ("mjd", ("MJD",)),
    ("fiberid", ("FIBERID", "FIBER")),
    ("catalogid", ("CATALOGID",)),
    # Not RA and DEC: in these headers they are where the telescope pointed.
    ("ra", ("PLUG_RA", "RAOBJ")),
    ("dec", ("PLUG_DEC", "DECOBJ")),
    ("snmedian", ("SN_MEDIAN_ALL", "SN_MEDIAN")),
    ("class", ("CLASS",)),
    ("subclass", ("SUBCLASS",)),
    ("z", ("Z",)),
    ("zerr", ("Z_ERR",)),
    ("zwarning", ("ZWARNING",)),
    ("sourcetype", ("SOURCETYPE", "OBJTYPE")),
    ("programname", ("PROGRAMNAME",)),
    ("run2d", ("RUN2D", "VERS2D")),
)
DESI: Columns = (
    ("targetid", ("TARGETID",)),
    ("survey", ("SURVEY",)),
    ("program", ("PROGRAM",)),
    ("healpix", ("HEALPIX", "HPXPIXEL")),
    ("tileid", ("TILEID",)),
    ("night", ("NIGHT", "LAST_NIGHT")),
    ("petal", ("PETAL", "PETAL_LOC")),
    ("fiber", ("FIBER",)),
    ("target_ra", ("TARGET_RA",)),
    ("target_dec", ("TARGET_DEC",)),
    ("spectype", ("SPECTYPE",)),
    ("subtype", ("SUBTYPE",)),
    ("z", ("Z",)),
    ("zerr", ("ZERR",)),
    ("zwarn", ("ZWARN",)),
    ("deltachi2", ("DELTACHI2",)),
    ("objtype", ("OBJTYPE",)),
    ("flux_g", ("FLUX_G",)),
    ("flux_r", ("FLUX_R",)),
    ("flux_z", ("FLUX_Z",)),
)
BY_SURVEY: Mapping[str, Columns] = {"LAMOST": LAMOST, "SDSS": SDSS, "BOSS": SDSS, "DESI": DESI}


def columns_of(survey: str) -> Columns:
    """The catalogue columns of a survey; none for an unknown survey."""
    matching = (columns for name, columns in BY_SURVEY.items() if survey.upper().startswith(name))
    return next(matching, ())
