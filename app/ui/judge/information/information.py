"""What is known about an object, as rows of names and values. No widgets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication

from agent.spectra.spectrum import Spectrum
from app.core.importing.role_names import LABEL, normalized_name
from app.core.session.own_fields import OwnField
from app.core.session.own_fields import value_text as own_value_text
from app.core.session.records import Candidate, Opinion
from app.core.session.subclass_and_fields import subclass_levels

translate = QCoreApplication.translate
MAX_TEXT = 2000  # characters shown of one value; the headers come from untrusted files
MAX_ROWS = 600
CLASSES = frozenset(LABEL)  # columns that may name the class of an object
FROM_SPECTRUM = (
    ("class", "class_name"),
    ("subclass", "subclass"),
    ("z", "z"),
    ("ra", "ra"),
    ("dec", "dec"),
    ("snr", "snr"),
)

NO_OPINION = Opinion()

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


@dataclass(frozen=True)
class InformationRow:
    name: str
    value: str = ""
    is_heading: bool = False
    is_hidden: bool = False  # the value is left out, because of blind mode


@dataclass(frozen=True, kw_only=True)
class CandidateFacts:
    """What the rows are made from. `label_column` is the list's name for its label; `hides` is
    whether blind mode hides the label."""

    candidate: Candidate
    spectrum: Spectrum | None = None
    label_column: str = ""
    hides: bool = False
    opinion: Opinion = NO_OPINION
    fields: tuple[OwnField, ...] = ()


@dataclass(frozen=True)
class InformationSection:
    """Rows under one heading. `name` is a key, not the text shown."""

    name: str
    rows: tuple[InformationRow, ...]


def sections(facts: CandidateFacts) -> list[InformationSection]:
    """Catalogue values, the list's other columns, the file, and the remaining header keywords."""
    shown: set[str] = set()
    used_keys: set[str] = set()
    catalogue = [*_catalogue_rows(facts, shown, used_keys)]
    listed = [*_list_rows(facts, shown)]
    header = [*_header_rows(facts, used_keys)]
    parts = (
        ("catalogue", catalogue),
        ("opinion", [*_opinion_rows(facts)]),
        ("list", listed),
        ("file", [*_file_rows(facts)]),
        ("header", header[:MAX_ROWS]),
    )
    return [InformationSection(name, tuple(rows)) for name, rows in parts if rows]


def value_text(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.8g}"
    text = "" if value is None else str(value)[:MAX_TEXT]
    return " ".join(text.split())


def _catalogue_rows(
    facts: CandidateFacts, shown: set[str], used_keys: set[str]
) -> Iterator[InformationRow]:
    candidate, spectrum = facts.candidate, facts.spectrum
    meta: Mapping[str, Any] = {} if spectrum is None else spectrum.meta
    columns = () if spectrum is None else columns_of(spectrum.survey)
    if not columns:
        yield from _default_rows(facts, shown)
        return
    reader_values = {} if spectrum is None else _reader_values(spectrum)
    for name, keys in columns:
        key = next((each for each in keys if value_text(meta.get(each))), None)
        own = candidate.own.get(name)
        value = own if value_text(own) else reader_values.get(name)
        if key is not None:
            value = meta[key]
            used_keys.add(key)
        if value_text(value):
            shown.add(name)
            yield _row(facts, name, value)


def _default_rows(facts: CandidateFacts, shown: set[str]) -> Iterator[InformationRow]:
    """Rows for when the file is not read yet, or its survey has no known catalogue."""
    candidate = facts.candidate
    reader_values = {} if facts.spectrum is None else _reader_values(facts.spectrum)
    values = {**reader_values, **_candidate_values(candidate)}
    for name in ("object_id", "ra", "dec", "snr", "class", "subclass", "z"):
        value = values.get(name)
        if name in candidate.own:
            value = candidate.own[name]
        if value_text(value):
            shown.add(name)
            yield _row(facts, name, value)


def _list_rows(facts: CandidateFacts, shown: set[str]) -> Iterator[InformationRow]:
    candidate = facts.candidate
    if "object_id" not in shown and candidate.object_id:
        yield InformationRow("object", value_text(candidate.object_id))
    if candidate.score is not None:
        yield InformationRow("score", value_text(candidate.score))
    if candidate.snr is not None and "snr" not in shown:
        yield InformationRow("snr", value_text(candidate.snr))
    if candidate.label:
        name = facts.label_column or "label"
        value = "" if facts.hides else value_text(candidate.label)
        yield InformationRow(name, value, is_hidden=facts.hides)
    for name, value in candidate.own.items():
        if name not in shown and value_text(value):
            yield _row(facts, name, value)


def _opinion_rows(facts: CandidateFacts) -> Iterator[InformationRow]:
    """Sub-class and own fields, as far as the person has given them."""
    if facts.opinion.subclass:
        levels = " › ".join(subclass_levels(facts.opinion.subclass))
        yield InformationRow(translate("information", "sub-class"), levels)
    titles = {each.name: each.shown for each in facts.fields}
    for name, value in facts.opinion.fields:
        yield InformationRow(titles.get(name, name), own_value_text(value))


def _file_rows(facts: CandidateFacts) -> Iterator[InformationRow]:
    candidate, spectrum = facts.candidate, facts.spectrum
    if spectrum is not None:
        survey = " ".join(filter(None, (spectrum.survey, spectrum.release)))
        yield InformationRow(translate("information", "survey"), survey)
        low, high = spectrum.range
        extent = translate("information", "{low} to {high} Å, {count} px")
        extent = extent.replace("{low}", f"{low:.0f}").replace("{high}", f"{high:.0f}")
        extent = extent.replace("{count}", f"{len(spectrum):,}")
        yield InformationRow(translate("information", "range"), extent)
        if spectrum.n_bad:
            yield InformationRow(translate("information", "bad pixels"), f"{spectrum.n_bad:,}")
        if spectrum.simulated:
            yield InformationRow(
                translate("information", "simulated"), translate("information", "yes")
            )
    if candidate.path:
        yield InformationRow(translate("information", "path"), value_text(candidate.path))
    if candidate.row:
        yield InformationRow(translate("information", "row"), value_text(candidate.row))


def _header_rows(facts: CandidateFacts, used_keys: set[str]) -> Iterator[InformationRow]:
    meta: Mapping[str, Any] = {} if facts.spectrum is None else facts.spectrum.meta
    for key, value in meta.items():
        if key not in used_keys:
            yield _row(facts, key, value)


def _row(facts: CandidateFacts, name: str, value: object) -> InformationRow:
    if _reveals_label(facts, name, value):
        return InformationRow(name, is_hidden=True)
    return InformationRow(name, value_text(value))


def _reveals_label(facts: CandidateFacts, name: str, value: object) -> bool:
    """Whether a value gives the hidden label away: the same column, or a class equal to it."""
    label = facts.candidate.label
    if not facts.hides:
        return False
    if facts.label_column and normalized_name(name) == normalized_name(facts.label_column):
        return True
    return (
        bool(label)
        and normalized_name(name) in CLASSES
        and value_text(value).casefold() == value_text(label).casefold()
    )


def _reader_values(spectrum: Spectrum) -> dict[str, object]:
    return {name: getattr(spectrum, field) for name, field in FROM_SPECTRUM}


def _candidate_values(candidate: Candidate) -> dict[str, object]:
    values = {
        "object_id": candidate.object_id,
        "ra": candidate.ra,
        "dec": candidate.dec,
        "snr": candidate.snr,
    }
    return {name: value for name, value in values.items() if value_text(value)}


def columns_of(survey: str) -> Columns:
    """The catalogue columns of a survey; none for an unknown survey."""
    matching = (columns for name, columns in BY_SURVEY.items() if survey.upper().startswith(name))
    return next(matching, ())
