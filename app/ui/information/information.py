"""What is known of an object, as rows of names and values. Pure: no widget is touched."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication

from agent.spectra.spectrum import Spectrum
from app.core.importing.role_names import LABEL, plain
from app.core.session.records import Candidate
from app.ui.information.catalogue_order import columns_of

translate = QCoreApplication.translate
MAX_TEXT = 2000
"""Characters of one value: a header of a stranger may hold anything."""
MAX_ROWS = 600
CLASSES = frozenset(LABEL)
"""Columns that may say what an object is."""
FROM_SPECTRUM = (
    ("class", "class_name"),
    ("subclass", "subclass"),
    ("z", "z"),
    ("ra", "ra"),
    ("dec", "dec"),
    ("snr", "snr"),
)


@dataclass(frozen=True)
class InformationRow:
    name: str
    value: str = ""
    is_heading: bool = False
    is_hidden: bool = False
    """In blind mode: its value is not here."""


@dataclass(frozen=True, kw_only=True)
class CandidateFacts:
    """`label_column`: what the list calls its label; `hides`: whether a blind person looks."""

    candidate: Candidate
    spectrum: Spectrum | None = None
    label_column: str = ""
    hides: bool = False


@dataclass(frozen=True)
class InformationSection:
    """`name` is a key for the headings, not what is shown."""

    name: str
    rows: tuple[InformationRow, ...]


def sections(known: CandidateFacts) -> list[InformationSection]:
    """Catalogue, the list's own columns, the file, and what else its header says."""
    taken: set[str] = set()
    used: set[str] = set()
    catalogue = [*_of_catalogue(known, taken, used)]
    listed = [*_of_list(known, taken)]
    header = [*_of_header(known, used)]
    parts = (
        ("catalogue", catalogue),
        ("list", listed),
        ("file", [*_of_file(known)]),
        ("header", header[:MAX_ROWS]),
    )
    return [InformationSection(name, tuple(rows)) for name, rows in parts if rows]


def said(value: object) -> str:
    """A value as people read it, on one line."""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.8g}"
    text = "" if value is None else str(value)[:MAX_TEXT]
    return " ".join(text.split())


def _of_catalogue(
    known: CandidateFacts, taken: set[str], used: set[str]
) -> Iterator[InformationRow]:
    candidate, spectrum = known.candidate, known.spectrum
    meta: Mapping[str, Any] = {} if spectrum is None else spectrum.meta
    columns = () if spectrum is None else columns_of(spectrum.survey)
    if not columns:
        yield from _known_anyway(known, taken)
        return
    of_reader = {} if spectrum is None else _of_reader(spectrum)
    for name, keys in columns:
        key = next((each for each in keys if said(meta.get(each))), None)
        own = candidate.own.get(name)
        value = meta[key] if key is not None else own if said(own) else of_reader.get(name)
        if key is not None:
            used.add(key)
        if said(value):
            taken.add(name)
            yield _row(known, name, value)


def _known_anyway(known: CandidateFacts, taken: set[str]) -> Iterator[InformationRow]:
    """Where the file is not there yet, or of no survey we know the catalogue of."""
    candidate = known.candidate
    of_reader = {} if known.spectrum is None else _of_reader(known.spectrum)
    values = {**of_reader, **_of_candidate(candidate)}
    for name in ("object_id", "ra", "dec", "snr", "class", "subclass", "z"):
        value = values.get(name)
        if name in candidate.own:
            value = candidate.own[name]
        if said(value):
            taken.add(name)
            yield _row(known, name, value)


def _of_list(known: CandidateFacts, taken: set[str]) -> Iterator[InformationRow]:
    candidate = known.candidate
    if "object_id" not in taken and candidate.object_id:
        yield InformationRow("object", said(candidate.object_id))
    if candidate.score is not None:
        yield InformationRow("score", said(candidate.score))
    if candidate.snr is not None and "snr" not in taken:
        yield InformationRow("snr", said(candidate.snr))
    if candidate.label:
        name = known.label_column or "label"
        value = "" if known.hides else said(candidate.label)
        yield InformationRow(name, value, is_hidden=known.hides)
    for name, value in candidate.own.items():
        if name not in taken and said(value):
            yield _row(known, name, value)


def _of_file(known: CandidateFacts) -> Iterator[InformationRow]:
    candidate, spectrum = known.candidate, known.spectrum
    if spectrum is not None:
        survey = " ".join(filter(None, (spectrum.survey, spectrum.release)))
        yield InformationRow(translate("information", "survey"), survey)
        low, high = spectrum.range
        about = translate("information", "{low} to {high} Å, {count} px")
        about = about.replace("{low}", f"{low:.0f}").replace("{high}", f"{high:.0f}")
        about = about.replace("{count}", f"{len(spectrum):,}")
        yield InformationRow(translate("information", "range"), about)
        if spectrum.n_bad:
            yield InformationRow(translate("information", "bad pixels"), f"{spectrum.n_bad:,}")
        if spectrum.simulated:
            yield InformationRow(
                translate("information", "simulated"), translate("information", "yes")
            )
    if candidate.path:
        yield InformationRow(translate("information", "path"), said(candidate.path))
    if candidate.row:
        yield InformationRow(translate("information", "row"), said(candidate.row))


def _of_header(known: CandidateFacts, used: set[str]) -> Iterator[InformationRow]:
    meta: Mapping[str, Any] = {} if known.spectrum is None else known.spectrum.meta
    for key, value in meta.items():
        if key not in used:
            yield _row(known, key, value)


def _row(known: CandidateFacts, name: str, value: object) -> InformationRow:
    return (
        InformationRow(name, is_hidden=True)
        if _tells(known, name, value)
        else InformationRow(name, said(value))
    )


def _tells(known: CandidateFacts, name: str, value: object) -> bool:
    """Whether it gives the list's label away: the very column, or a class that is the same word."""
    label = known.candidate.label
    if not known.hides:
        return False
    if known.label_column and plain(name) == plain(known.label_column):
        return True
    return (
        bool(label) and plain(name) in CLASSES and said(value).casefold() == said(label).casefold()
    )


def _of_reader(spectrum: Spectrum) -> dict[str, object]:
    return {name: getattr(spectrum, field) for name, field in FROM_SPECTRUM}


def _of_candidate(candidate: Candidate) -> dict[str, object]:
    values = {
        "object_id": candidate.object_id,
        "ra": candidate.ra,
        "dec": candidate.dec,
        "snr": candidate.snr,
    }
    return {name: value for name, value in values.items() if said(value)}
