"""Columns of a catalogue for each model that inspected, and for each line measured by hand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, literal_column, select

from agent.checked_toml import printable
from app.core.database.database import read_fact
from app.core.database.tables import (
    SUBCLASSED,
    WITH_VELOCITY,
    inspections,
    json_object,
    judgements,
    log,
    measurements,
)
from app.core.errors import SessionError
from app.core.exporting.selection import Selection
from app.core.exporting.table import Column, Kind
from app.core.session.known_answers import not_known
from app.core.session.measurements import RecordedMeasurement, read_measurements
from app.core.session.own_fields import FACT, FieldKind, OwnField, fields_from
from app.core.session.proposals import ASSISTANT, is_assistant
from app.core.session.subclass_and_fields import most_specific
from app.core.session.velocity import Velocity, velocity_from

MAX_MODELS, MAX_LINES = 8, 40
MAX_SLUG, MAX_NAME, HASH = 24, 80, 12
GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "λ": "lambda"}

KINDS: dict[FieldKind, tuple[Kind, str]] = {
    "choice": ("text", "meta.code"),
    "number": ("real", "stat.value"),
    "tick": ("flag", "meta.code"),
    "text": ("text", "meta.note"),
}
"""Kind and UCD of the column of a field."""
SUBCLASS = (
    Column("subclass", "text", "meta.code.class",
           "Sub-class of an accepted object, the most specific that was given"),
    Column("subclass_path", "text", "meta.code.class",
           "The same with the wider classes before it, separated by /"),
)  # fmt: skip
VELOCITY = (
    Column("velocity_kms", "real", "spect.dopplerVeloc.opt",
           "c z of the object in the frame of the file, as the reviewer kept it", "km/s"),
    Column("velocity_err_kms", "real", "stat.error;spect.dopplerVeloc.opt",
           "Error of velocity_kms", "km/s"),
    Column("velocity_source", "text", "meta.code",
           "Where it is from: hand, template, lines, header or list"),
    Column("velocity_quality", "whole", "meta.code.qual", "From 1, a guess, to 4, certain"),
)  # fmt: skip

ORDER_MET = Column(
    "order_met", "text", "meta.code", "Order of the queue in which the verdict was given"
)


@dataclass(frozen=True, kw_only=True)
class InspectedModel:
    """A model and its columns: verdict, p(YES) except of an assistant, and which model that is."""

    name: str
    sha256: str
    columns: tuple[Column, ...]

    @property
    def label(self) -> str:
        return f"{printable(self.name, MAX_NAME)} {printable(self.sha256[:HASH], HASH)}".strip()


@dataclass(frozen=True, kw_only=True)
class MeasuredLine:
    """A line and its columns: EW and its error, FWHM, centroid, and whose measurement that is."""

    name: str
    columns: tuple[Column, ...]


def inspected_models(connection: Connection, used: set[str]) -> tuple[InspectedModel, ...]:
    """The first MAX_MODELS models by name; their columns get names that are not `used`."""
    columns = inspections.c.model, inspections.c.model_sha256
    query = select(*columns).where(not_known(inspections.c.candidate_id)).distinct()
    found = connection.execute(query.order_by(*columns).limit(MAX_MODELS))
    return tuple(_model(str(name), str(sha256), used) for name, sha256 in found.all())


def measured_lines(connection: Connection, used: set[str]) -> tuple[MeasuredLine, ...]:
    """The first MAX_LINES lines by name that have measurements which were not withdrawn."""
    stand = select(measurements.c.line).where(
        measurements.c.withdrawn.is_(False), not_known(measurements.c.candidate_id)
    )
    names = connection.execute(stand.distinct().order_by(measurements.c.line).limit(MAX_LINES))
    return tuple(_line(str(name), used) for name in names.scalars())


def model_cells(
    connection: Connection, ids: Sequence[int], models: Sequence[InspectedModel]
) -> list[Sequence[Any]]:
    if not models:
        return []
    table = inspections.c
    said = table.candidate_id, table.model, table.model_sha256, table.verdict, table.p_yes
    rows = connection.execute(select(*said).where(table.candidate_id.in_(list(ids))))
    found = {(row.candidate_id, row.model, row.model_sha256): row for row in rows}
    cells: list[Sequence[Any]] = []
    for model in models:
        of_model = [found.get((number, model.name, model.sha256)) for number in ids]
        verdicts = [None if each is None else each.verdict for each in of_model]
        cells.append([verdict if verdict in ("YES", "NO") else None for verdict in verdicts])
        if not is_assistant(model.name):  # which gives no probability
            cells.append([None if each is None else each.p_yes for each in of_model])
        cells.append([None if each is None else model.label for each in of_model])
    return cells


def line_cells(
    connection: Connection, ids: Sequence[int], lines: Sequence[MeasuredLine], selection: Selection
) -> list[Sequence[Any]]:
    """The last measurement of each line, by the selected reviewer or by anybody."""
    if not lines:
        return []
    newest: dict[tuple[int, str], RecordedMeasurement] = {}
    for each in read_measurements(connection, ids):
        if selection.reviewer is None or each.reviewer == " ".join(selection.reviewer.split()):
            newest[each.candidate_id, each.measurement.line] = each
    cells: list[Sequence[Any]] = []
    for line in lines:
        rows = [_line_row(newest.get((number, line.name))) for number in ids]
        cells += list(zip(*rows, strict=True))
    return cells


def _line_row(recorded: RecordedMeasurement | None) -> tuple[Any, ...]:
    if recorded is None:
        return (None,) * 5
    found = recorded.measurement
    return found.ew, found.ew_error, found.fwhm_kms, found.centroid, recorded.reviewer


def _model(name: str, sha256: str, used: set[str]) -> InspectedModel:
    shown = printable(name, MAX_NAME)
    if is_assistant(name):
        patterns = ["proposal_{}_verdict", "proposal_{}_by"]
        verdict, who = _free_names(name.removeprefix(ASSISTANT), patterns, used)
        columns = [
            Column(verdict, "text", "meta.code.class", f"YES or NO, as {shown} proposed it"),
            Column(who, "text", "meta.id", "The assistant that proposed it; it is no verdict"),
        ]
    else:
        patterns = ["agent_{}_verdict", "agent_{}_p_yes", "agent_{}_model"]
        verdict, p_yes, model = _free_names(name, patterns, used)
        columns = [
            Column(verdict, "text", "meta.code.class", f"YES or NO, by {shown}"),
            Column(p_yes, "real", "stat.probability", f"p(YES) of {shown}"),
            Column(model, "text", "meta.id", "Model and the start of its hash"),
        ]
    return InspectedModel(name=name, sha256=sha256, columns=tuple(columns))


def _line(name: str, used: set[str]) -> MeasuredLine:
    patterns = ["ew_{}", "ew_err_{}", "fwhm_kms_{}", "centroid_{}", "measured_by_{}"]
    ew, error, fwhm, centroid, who = _free_names(name, patterns, used)
    width = "spect.line.eqWidth"
    shown = printable(name, MAX_NAME)
    return MeasuredLine(
        name=name,
        columns=(
            Column(ew, "real", width, f"Equivalent width of {shown}, > 0 absorption", "Angstrom"),
            Column(error, "real", f"stat.error;{width}", f"Error of {ew}", "Angstrom"),
            Column(fwhm, "real", "spect.line.width", f"Width of {shown} at half depth", "km/s"),
            Column(centroid, "real", "em.wl", f"Centre of {shown}, vacuum, observed", "Angstrom"),
            Column(who, "text", "meta.curation", f"Who measured {shown} by hand"),
        ),
    )


def _free_names(name: str, patterns: Sequence[str], used: set[str]) -> list[str]:
    """The patterns with the name in ASCII letters, digits and _, so that none is used already."""
    spelled = "".join(GREEK.get(letter, letter) for letter in name)
    stem = re.sub(r"[^A-Za-z0-9]+", "_", spelled)[:MAX_SLUG].strip("_") or "x"
    slug, number = stem, 1
    while any(pattern.format(slug).casefold() in used for pattern in patterns):
        number += 1
        slug = f"{stem}_{number}"
    names = [pattern.format(slug) for pattern in patterns]
    used.update(each.casefold() for each in names)
    return names


@dataclass(frozen=True, kw_only=True)
class FurtherOpinionColumns:
    """Sub-class, velocity and order where there is any, and each field of the session."""

    has_subclasses: bool = False
    has_velocities: bool = False
    has_orders: bool = False
    fields: tuple[OwnField, ...] = ()
    columns: tuple[Column, ...] = ()


def further_opinion_columns(connection: Connection, used: set[str]) -> FurtherOpinionColumns:
    """The columns; their names are added to `used`."""
    has_subclasses = _has_opinion(connection, SUBCLASSED)
    has_velocities = _has_opinion(connection, WITH_VELOCITY)
    met = select(log.c.id).where(log.c.order_met != "").limit(1)
    has_orders = connection.execute(met).first() is not None
    fields = fields_from(read_fact(connection, FACT) or "")
    columns = [*(SUBCLASS if has_subclasses else ()), *(VELOCITY if has_velocities else ())]
    columns += [ORDER_MET] if has_orders else []
    used.update(each.name for each in columns)
    for field in fields:
        name = field.name
        while name.casefold() in used:
            name = f"field_{name}"
        used.add(name.casefold())
        kind, ucd = KINDS[field.kind]
        about = f"{field.shown}, filled in by the reviewer"
        if field.choices:
            about += f": {', '.join(field.choices)}"
        columns.append(Column(name, kind, ucd, about, field.unit))
    return FurtherOpinionColumns(
        has_subclasses=has_subclasses,
        has_velocities=has_velocities,
        has_orders=has_orders,
        fields=fields,
        columns=tuple(columns),
    )


def _has_opinion(connection: Connection, such: str) -> bool:
    query = select(judgements.c.log_id).where(literal_column(f"({such})")).limit(1)
    return connection.execute(query).first() is not None


def further_opinion_cells(
    layout: FurtherOpinionColumns,
    subclasses: Sequence[str | None],
    texts: Sequence[str | None],
    velocities: Sequence[str | None],
    orders: Sequence[str | None],
) -> list[Sequence[Any]]:
    """The cells of sub-classes, velocities and values as the tables keep them; None: no opinion."""
    cells: list[Sequence[Any]] = []
    if layout.has_subclasses:
        cells.append([most_specific(each) or None if each else None for each in subclasses])
        cells.append([each or None for each in subclasses])
    if layout.has_velocities:
        given = [_velocity(text) for text in velocities]
        cells += [
            [None if each is None else getattr(each, name) for each in given]
            for name in ("kms", "error_kms", "source", "quality")
        ]
    if layout.has_orders:
        cells.append([each or None for each in orders])
    if layout.fields:
        found = [None if text is None else json_object(text) for text in texts]
        cells += [[_cell(field, values) for values in found] for field in layout.fields]
    return cells


def _velocity(text: str | None) -> Velocity | None:
    try:
        return velocity_from(text or "")
    except (ValueError, RecursionError, SessionError):
        return None


def _cell(field: OwnField, values: dict[str, Any] | None) -> Any:
    """A value of another kind than the field has now is left out."""
    if values is None:
        return None
    value = values.get(field.name)
    if field.kind == "tick":
        return value is True
    if field.kind == "number":
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number else None
    return value if isinstance(value, str) else None
