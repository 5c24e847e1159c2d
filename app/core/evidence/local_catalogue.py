"""Matches the candidates with a catalogue of the user's own: no network, bounded memory."""

import heapq
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sqlalchemy import select

from agent.child_process.rows_in_child import rows_in_child
from agent.errors import WorkbenchError
from agent.spectra.spectrum import FloatArray
from app.core.database.tables import candidates
from app.core.evidence.hats import HatsRows
from app.core.evidence.local_rows import MAX_COLUMNS, IntArray, PlacedRows, Row, chord
from app.core.evidence.store import NewAnswer, save_group_act
from app.core.importing.formats.contents import Cells, ListColumn, Value
from app.core.importing.opening import errors_naming, file_sha256, open_for_import
from app.core.importing.sky import angles, positions, unit_vectors
from app.core.progress import EstimatedProgress, ShouldStop, StoppedError, never, silent
from app.core.session.evidence_services import FILE
from app.core.session.session import Session
from app.services.catalogues.answer import Exchange, Match, answer_of, now
from app.services.catalogues.position import Position
from app.services.catalogues.service import NAME, Service, ServiceColumn, all_services

MATCHES_EACH = 20
MAX_TEXT = 200
ARCSEC = np.pi / 180.0 / 3600.0
MAX_KEPT = 2 * 2**30  # letters of values that are kept till all is read
MEMORY = 2 * MAX_KEPT  # of the child process that reads it
DESCRIBED = ("name", "column", "unit", "ucd", "description", "is_text")
"""What is kept of a column as the source of its values."""
Near = tuple[float, int, str]
"""Separation with a minus sign, so that the farthest is on top of a heap; row; its values as JSON,
which take a fifth of the room of Python objects."""

RELEASE = 12


@dataclass
class LocalTally:
    rows: int = 0
    without_position: int = 0
    found: int = 0
    nothing: int = 0
    notes: list[str] = field(default_factory=list)
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
    ids, sky = _candidates(session)
    near: dict[int, list[Near]] = {}
    told: Any = {}
    work = rows_in_child(
        near_rows, path, radius_arcsec, sky.tolist(), memory=MEMORY, kind=WorkbenchError
    )
    with closing(work) as found:
        for kind, *values in found:
            if kind == "near":
                near[values[0]] = values[1]
            elif kind == "told":
                told = values[0]
            elif should_stop():
                raise StoppedError("the match was stopped: nothing was changed")
            else:
                progress(*values)
    columns = tuple(ServiceColumn(**each) for each in told["columns"])
    service = Service(
        id=name,
        name=path.name,
        kind=FILE,
        url="",
        sends="Nothing.",
        release=told["release"],
        radius_arcsec=radius_arcsec,
        columns=columns,
    )
    tally = LocalTally(**told["tally"], columns=tuple(each.name for each in columns))
    about = {"file": path.name, **told["about"], "rows": tally.rows, "radius_arcsec": radius_arcsec}
    about["columns"] = [{key: each[key] for key in DESCRIBED} for each in told["columns"]]
    exchange = Exchange(
        url=f"file:{path.name}",
        asked_at=now(),
        content=json.dumps(about, ensure_ascii=False).encode(),
        media_type="application/json",
    )
    tally.found, tally.nothing = len(near), len(ids) - len(near)
    new = (
        NewAnswer(
            candidate_id=number,
            answer=answer_of([_match(each, tally.columns) for each in near.get(at, ())]),
            position=Position(ra=float(sky[at, 0]), dec=float(sky[at, 1])),
        )
        for at, number in enumerate(ids)
    )
    save_group_act(session, service, new, exchange)
    return tally


def name_of(path: Path) -> str:
    """A name for a catalogue from that of its file, such as `tycho_2` of Tycho-2.fits.gz."""
    words = re.sub(r"[^a-z0-9]+", "_", path.name.split(".")[0].casefold()).strip("_")
    return words[:40] if words[:1].isalpha() else f"c_{words}"[:40]


def _column(given: ListColumn, used: set[str]) -> ServiceColumn:
    made = re.sub(r"[^a-z0-9]+", "_", given.name.casefold()).strip("_")[:40] or "column"
    made = made if made[0].isalpha() else f"c_{made}"
    names = chain([made], (f"{made}_{n}" for n in range(2, 2000)))
    unique = next(each for each in names if each not in used)
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
    """Numbers of the candidates that have a position, and right ascension and declination."""
    ra, dec = candidates.c.ra, candidates.c.dec
    query = select(candidates.c.id, ra, dec).order_by(candidates.c.id)
    query = query.where(ra.between(-360.0, 360.0), dec.between(-90.0, 90.0))
    rows = session.database.rows(query)
    sky = np.array([(row.ra, row.dec) for row in rows], dtype=float).reshape(-1, 2)
    sky[:, 0] %= 360.0
    return [row.id for row in rows], sky


def near_rows(path: Path, radius_arcsec: float, sky: list[list[float]]) -> Iterator[Any]:
    """How much is read, the matches of each candidate by its place, and what was read.

    For a child process, which a stranger's catalogue may end.
    """
    places = unit_vectors(*np.array(sky, dtype=float).reshape(-1, 2).T)
    tree, radius = cKDTree(places), radius_arcsec * ARCSEC
    found: dict[int, list[Near]] = {}
    kept = count = without_position = 0
    with errors_naming(path):
        rows: HatsRows | FileRows = HatsRows(path) if path.is_dir() else FileRows(path)
        for block in rows.blocks(tree, radius):
            if len(block.numbers) and len(places):
                kept += _keep(block, tree, float(chord(radius)), count, found)
            if kept > MAX_KEPT:
                raise WorkbenchError(
                    "its values near the candidates take too much memory: give a smaller --radius, "
                    "or a catalogue with fewer columns"
                )
            count += block.count
            without_position += block.count - len(block.numbers)
            yield "progress", block.done, block.of
        notes = rows.notes(places)
    for at, each in found.items():
        yield "near", at, each
    used: set[str] = set()
    told = {
        "tally": {"rows": count, "without_position": without_position, "notes": notes},
        "columns": [asdict(_column(each, used)) for each in rows.columns],
        **{"release": rows.release, "about": rows.about},
    }
    yield "told", told


def _keep(
    block: PlacedRows, tree: cKDTree, reach: float, first: int, found: dict[int, list[Near]]
) -> int:
    """Add the matches of a block; of each candidate the nearest MATCHES_EACH are kept.

    Returns how many bytes of values were added.
    """
    # To ask for the nearest one is much quicker than for all, and most rows have none.
    apart, _ = tree.query(block.places, distance_upper_bound=np.nextafter(reach, np.inf))
    close = np.flatnonzero(apart <= reach)
    if not len(close):
        return 0
    hits = tree.query_ball_point(block.places[close], reach, return_sorted=False)
    rows = block.rows(block.numbers[close])
    added = 0
    for at, row, near in zip(close.tolist(), rows, hits, strict=True):
        values = json.dumps([*map(_value, row)], separators=(",", ":"))
        chords = np.linalg.norm(tree.data[near] - block.places[at], axis=1)
        for number, length in zip(near, chords.tolist(), strict=True):
            apart = round(float(2.0 * np.arcsin(min(length / 2.0, 1.0)) / ARCSEC), 4)
            heap = found.setdefault(number, [])
            one = (-apart, first + at, values)
            if len(heap) < MATCHES_EACH:
                heapq.heappush(heap, one)
                added += len(values)
            else:
                gone = heapq.heappushpop(heap, one)
                added += len(values) - len(gone[2])
    return added


def _match(near: Near, columns: tuple[str, ...]) -> Match:
    values = dict(zip(columns, json.loads(near[2]), strict=True))
    return Match(values=values, separation_arcsec=-near[0])


def _value(value: Value) -> float | int | str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value[:MAX_TEXT] if isinstance(value, str) else value


class FileRows:
    """A file, read from its beginning to its end whatever the candidates are.

    `release` names this very content, `about` is kept as the source of its values.
    """

    def __init__(self, path: Path) -> None:
        opened = open_for_import(path, {})
        ra, dec = opened.roles.number("ra"), opened.roles.number("dec")
        if ra is None or dec is None:
            raise WorkbenchError(f"{path.name}: no columns were recognized as ra and dec")
        self._file, self._roles = opened.file, (ra, dec)
        self.columns = opened.file.columns[:MAX_COLUMNS]
        sha256 = file_sha256(path)
        self.release = sha256[:RELEASE]
        self.about = {"sha256": sha256}

    def blocks(self, candidates: cKDTree, radius: float) -> Iterator[PlacedRows]:
        done = 0
        for block in self._file.blocks():
            ra, dec = (
                angles(block.cells[number], self._file.columns[number].unit, is_ra=not which)
                for which, number in enumerate(self._roles)
            )
            ra, dec, _ = positions(ra, dec)
            # What is no position is None in both.
            table = np.array([ra, dec], dtype=float)
            numbers = np.flatnonzero(np.isfinite(table).all(axis=0))
            done += len(block.lines)
            yield PlacedRows(
                count=len(block.lines),
                numbers=numbers,
                places=unit_vectors(*table[:, numbers]),
                rows=partial(_rows, block.cells[: len(self.columns)]),
                done=done,
                of=self._file.estimate,
            )

    def notes(self, places: FloatArray) -> list[str]:
        return []


def _rows(cells: Sequence[Cells], wanted: IntArray) -> list[Row]:
    columns = [each.values() for each in cells]
    return [[column[number] for column in columns] for number in wanted.tolist()]
