"""Matches the candidates with a catalogue in a file of the user's: no network, bounded memory."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sqlalchemy import select

from agent.errors import WorkbenchError
from app.core.database.tables import candidates
from app.core.evidence.store import NewAnswer, save_together
from app.core.importing.formats.contents import ListColumn, RowBlock, Value
from app.core.importing.opening import OpenedList, file_sha256, open_for_import
from app.core.importing.sky import angles, positions
from app.core.progress import EstimatedProgress, ShouldStop, StoppedError, never, silent
from app.core.session.evidence_services import FILE
from app.core.session.session import Session
from app.services.catalogues.answer import Exchange, Match, answer_of, now
from app.services.catalogues.position import Position
from app.services.catalogues.service import NAME, Service, ServiceColumn, all_services

MATCHES_EACH = 20
MAX_COLUMNS = 100
MAX_TEXT = 200
ARCSEC = np.pi / 180.0 / 3600.0
FloatArray = NDArray[np.float64]
Near = tuple[float, int, Match]
"""Separation with a minus sign, so that the farthest is on top of a heap; row; match."""


@dataclass
class LocalTally:
    rows: int = 0
    without_position: int = 0
    found: int = 0
    nothing: int = 0
    service: Service | None = None
    columns: tuple[str, ...] = field(default=())


def match_local(
    session: Session,
    path: Path,
    name: str,
    radius_arcsec: float,
    *,
    progress: EstimatedProgress = silent,
    should_stop: ShouldStop = never,
) -> LocalTally:
    """Match every candidate with a position; the values become evidence as `NAME.column`."""
    if not NAME.fullmatch(name) or name in all_services() or name == "own":
        raise WorkbenchError(
            f"{name[:40]!r} cannot be the name of the catalogue: it has small letters, digits and "
            "_, and is no service's. Give another with --name"
        )
    if path.is_dir():
        raise WorkbenchError(
            f"{path.name} is a folder: catalogues in the HATS layout are not read. Give one of its "
            "Parquet files"
        )
    opened = open_for_import(path, {})
    ra, dec = opened.roles.number("ra"), opened.roles.number("dec")
    if ra is None or dec is None:
        raise WorkbenchError(f"{path.name}: no columns were recognized as ra and dec")
    service = _service(opened, path, name, radius_arcsec)
    ids, places = _candidates(session)
    tally = LocalTally(service=service, columns=tuple(each.name for each in service.columns))
    near = _all_near(opened, (ra, dec), service, places, tally, progress, should_stop)
    exchange = Exchange(
        url=f"file:{path.name}", asked_at=now(), content=_description(service, path, tally),
        media_type="application/json",
    )  # fmt: skip
    new = []
    for at, number in enumerate(ids):
        answer = answer_of([match for _, _, match in near.get(at, ())])
        tally.found += bool(answer.matches)
        tally.nothing += not answer.matches
        lon, lat = _degrees(places[at])
        new.append(
            NewAnswer(candidate_id=number, answer=answer, position=Position(ra=lon, dec=lat))
        )
    save_together(session, service, new, exchange)
    return tally


def name_of(path: Path) -> str:
    """A name for a catalogue from that of its file, such as `tycho_2` of Tycho-2.fits.gz."""
    words = re.sub(r"[^a-z0-9]+", "_", path.name.split(".")[0].casefold()).strip("_")
    return words[:40] if words[:1].isalpha() else f"c_{words}"[:40]


def _service(opened: OpenedList, path: Path, name: str, radius_arcsec: float) -> Service:
    used: set[str] = set()
    columns = tuple(_column(each, used) for each in opened.file.columns[:MAX_COLUMNS])
    return Service(
        id=name,
        name=path.name,
        kind=FILE,
        url="",
        release=file_sha256(path)[:12],
        sends="Nothing.",
        radius_arcsec=radius_arcsec,
        columns=columns,
    )


def _column(given: ListColumn, used: set[str]) -> ServiceColumn:
    made = re.sub(r"[^a-z0-9]+", "_", given.name.casefold()).strip("_")[:40] or "column"
    made = made if made[0].isalpha() else f"c_{made}"
    unique = next(
        each for each in (made, *(f"{made}_{n}" for n in range(2, 2000))) if each not in used
    )
    used.add(unique)
    return ServiceColumn(
        name=unique,
        column=given.name,
        unit=given.unit,
        ucd=given.ucd,
        description=given.description,
        is_text=given.kind not in ("int", "float"),
    )


def _candidates(session: Session) -> tuple[list[int], FloatArray]:
    """Numbers and unit vectors of the candidates that have a position."""
    query = select(candidates.c.id, candidates.c.ra, candidates.c.dec).order_by(candidates.c.id)
    query = query.where(candidates.c.ra.is_not(None), candidates.c.dec.between(-90.0, 90.0))
    with session.database.reading() as connection:
        rows = connection.execute(query).all()
    table = np.array([(row.ra, row.dec) for row in rows], dtype=float).reshape(-1, 2)
    return [row.id for row in rows], unit_vectors(table[:, 0], table[:, 1])


def unit_vectors(ra: FloatArray, dec: FloatArray) -> FloatArray:
    lon, lat = np.radians(ra), np.radians(dec)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)


def _degrees(vector: FloatArray) -> tuple[float, float]:
    x, y, z = map(float, vector)
    return float(np.degrees(np.arctan2(y, x)) % 360.0), float(
        np.degrees(np.arctan2(z, np.hypot(x, y)))
    )


def _all_near(
    opened: OpenedList,
    roles: tuple[int, int],
    service: Service,
    places: FloatArray,
    tally: LocalTally,
    progress: EstimatedProgress,
    should_stop: ShouldStop,
) -> dict[int, list[Near]]:
    """The matches of each candidate, by its place among them; the catalogue is read once."""
    tree = cKDTree(places)
    chord = 2.0 * np.sin(0.5 * service.radius_arcsec * ARCSEC)
    found: dict[int, list[Near]] = {}
    for block in opened.file.blocks():
        if should_stop():
            raise StoppedError("the match was stopped: nothing was changed")
        here, rows = _block_places(opened, block, roles)
        tally.rows += len(block.lines)
        tally.without_position += len(block.lines) - len(rows)
        if len(rows) and len(places):
            hits = tree.query_ball_point(here, chord, return_sorted=False)
            _keep(block, rows, here, hits, places, service, tally.rows, found)
        progress(tally.rows, opened.file.estimate)
    return found


def _block_places(
    opened: OpenedList, block: RowBlock, roles: tuple[int, int]
) -> tuple[FloatArray, list[int]]:
    """Unit vectors of the rows with a position, and the numbers of these rows in the block."""
    ra, dec = (
        angles(block.cells[number], opened.file.columns[number].unit, is_ra=number == roles[0])
        for number in roles
    )
    ra, dec, _ = positions(ra, dec)
    rows = [n for n, pair in enumerate(zip(ra, dec, strict=True)) if None not in pair]
    table = np.array([(ra[n], dec[n]) for n in rows], dtype=float).reshape(-1, 2)
    return unit_vectors(table[:, 0], table[:, 1]), rows


def _keep(
    block: RowBlock,
    rows: Sequence[int],
    here: FloatArray,
    hits: Sequence[Sequence[int]],
    places: FloatArray,
    service: Service,
    first: int,
    found: dict[int, list[Near]],
) -> None:
    """Add the matches of a block; of each candidate the nearest MATCHES_EACH are kept."""
    values: list[list[Value]] | None = None
    for at, near in enumerate(hits):
        for number in near:
            if values is None:
                values = [cells.values() for cells in block.cells[: len(service.columns)]]
            chord = float(np.linalg.norm(here[at] - places[number]))
            apart = round(float(2.0 * np.arcsin(min(chord / 2.0, 1.0)) / ARCSEC), 4)
            row = {
                column.name: _value(cells[rows[at]])
                for column, cells in zip(service.columns, values, strict=True)
            }
            heap = found.setdefault(number, [])
            one = (-apart, first + at, Match(values=row, separation_arcsec=apart))
            push = heapq.heappush if len(heap) < MATCHES_EACH else heapq.heappushpop
            push(heap, one)


def _value(value: Value) -> float | int | str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value[:MAX_TEXT] if isinstance(value, str) else value


def _description(service: Service, path: Path, tally: LocalTally) -> bytes:
    """What is kept of the catalogue as the source of its values."""
    about = {
        "file": path.name,
        "sha256": file_sha256(path),
        "rows": tally.rows,
        "radius_arcsec": service.radius_arcsec,
        "columns": [
            {"name": each.name, "column": each.column, "unit": each.unit, "ucd": each.ucd,
             "description": each.description, "is_text": each.is_text}
            for each in service.columns
        ],
    }  # fmt: skip
    return json.dumps(about, ensure_ascii=False).encode()
