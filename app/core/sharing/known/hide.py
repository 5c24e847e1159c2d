"""Hides known spectra at random places of the list.

The places are drawn among candidates that nobody has touched. The candidate of such a place moves
to the end of the list with all that is known of it, so nothing tells who came later.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from agent.errors import ReadError
from agent.hashing import bytes_hash
from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum
from agent.spectra.spectrum_bytes import to_bytes
from app.core.database import tables
from app.core.database.postgres import count_other_programs
from app.core.database.tables import candidates, facts, inspections, known_answers, packed_spectra
from app.core.errors import SessionError
from app.core.inspections.seen import EVIDENCE, PREFIX
from app.core.progress import Progress, Steps
from app.core.reviewer_name import MAX_NAME, is_reviewer_name
from app.core.session.known_answers import HIDDEN_BY, not_known
from app.core.session.provenance import file_name
from app.core.session.records import Candidate, Change
from app.core.session.session import Session, candidate_of
from app.core.sharing.known.disguise import Style, beside, disguised
from app.core.sharing.known.labelled_list import Labelled
from app.core.sharing.share_out import deal, read_plan
from app.core.spectra.packing import read_spectrum

MOST_RATE = 50.0
MOVES = (inspections, tables.leases, packed_spectra, tables.evidence, tables.assignments)
"""What is known of a candidate and moves with it."""
KEEPS = (tables.log, tables.repeats, tables.measurements)
"""A candidate with a row in any of these stays where it is."""
FRESH = {
    "listed_path": "", "file_sha256": "", "fault": "", "judged_by": 0, "agent_verdict": None,
    "agent_p_yes": None, "agent_model": "", "agent_stopped_by": "", "surprise": None,
    "agents_differ": False, "agent_members": "",
}  # fmt: skip
"""What a place forgets of the candidate that has moved away from it."""
NEIGHBOUR_TRIES = 20  # candidates that are read to find one of the same survey


@dataclass(frozen=True, kw_only=True)
class HideReport:
    members: int
    others: int
    simulated: int
    unreadable: int
    wanted: int  # How many the rate asks for; the list of labels may have fewer.
    inspected: bool  # whether an agent has inspected the list, so that what it lacks would show

    @property
    def hidden(self) -> int:
        return self.members + self.others


@dataclass(frozen=True)
class _Hidden:
    """A known spectrum, ready to be stored at a place."""

    place: int
    given: Labelled
    values: dict[str, Any]
    content: bytes
    is_simulated: bool


def hide_known(
    session: Session,
    labelled: Sequence[Labelled],
    rate: float,
    seed: int = 0,
    *,
    by: str = "",
    progress: Progress | None = None,
) -> HideReport:
    """Hide so many that `rate` percent of what is left to judge has a known answer.

    Half of them are of the class, as far as there are enough. `by` is who does it, by default the
    reviewer.
    """
    by = " ".join((by or session.reviewer).split())
    if not is_reviewer_name(by):
        raise SessionError(f"a person's name is 1 to {MAX_NAME} printable characters")
    if not 0.0 < rate <= MOST_RATE:
        raise SessionError(f"the rate is above 0 and at most {MOST_RATE:g} percent, not {rate:g}")
    draw = random.Random(f"known {seed}")
    with session.database.reading() as connection:
        places, style = _places(connection), Style()
        named = (candidates.c[name] for name in ("object_id", "path", "row"))
        listed = set()
        for name, path, row in connection.execute(select(*named)):
            style.add(name, path)
            listed.add((path, row))
        had = set(connection.execute(select(known_answers.c.source)).scalars())
        inspected = connection.execute(select(inspections.c.id).limit(1)).first() is not None
    wanted = round(len(places) * rate / (100.0 - rate))
    new = [each for each in labelled if (each.path, each.row) not in listed]
    chosen = _chosen([each for each in new if _source(each) not in had], wanted, draw)
    draw.shuffle(places)
    steps = Steps("hiding", len(chosen), progress, None)
    ready, unreadable = [], 0
    for given in chosen:
        steps.step(1)
        try:
            spectrum = read(given.path, given.row)
        except ReadError:
            unreadable += 1
            continue
        place = places.pop()
        neighbour, its_spectrum = _neighbour(session, places or [place], spectrum.survey, draw)
        values, kept = disguised(given, spectrum, neighbour, its_spectrum, style, draw)
        ready.append(_Hidden(place, given, values, to_bytes(kept), spectrum.simulated))
    if not ready:
        raise SessionError("nothing was hidden: none of the known spectra can be read and placed")
    _store(session, ready, by)
    session.changed.emit(Change(aspect="list"))
    members = sum(each.given.is_member for each in ready)
    return HideReport(
        members=members,
        others=len(ready) - members,
        simulated=sum(each.is_simulated for each in ready),
        unreadable=unreadable,
        wanted=wanted,
        inspected=inspected,
    )


def count_places(session: Session) -> int:
    """How many candidates are still untouched, so that a known one can take their place."""
    with session.database.reading() as connection:
        return len(_places(connection))


def rate_of(count: int, places: int) -> float:
    """The rate that hides so many."""
    return 100.0 * count / (count + places)


def _places(connection: Connection) -> list[int]:
    """The candidates that nobody has judged, measured or seen an answer about."""
    query = select(candidates.c.id).where(
        not_known(candidates.c.id),
        candidates.c.path != "",
        *(candidates.c.id.not_in(select(table.c.candidate_id)) for table in KEEPS),
    )
    seen = set()
    for prefix in (PREFIX, EVIDENCE):
        keys = select(facts.c.key).where(facts.c.key.startswith(prefix, autoescape=True))
        for key in connection.execute(keys).scalars():
            seen.add(key.removeprefix(prefix).partition(":")[0])
    found = connection.execute(query.order_by(candidates.c.id)).scalars()
    return [number for number in found if str(number) not in seen]


def _chosen(labelled: Sequence[Labelled], count: int, draw: random.Random) -> list[Labelled]:
    """Members and others in turn, each in an order drawn by the seed."""
    kinds = [[each for each in labelled if each.is_member is kind] for kind in (True, False)]
    for kind in kinds:
        draw.shuffle(kind)
    found: list[Labelled] = []
    while len(found) < count and any(kinds):
        found += [kind.pop() for kind in kinds if kind]
    return found[:count]


def _neighbour(
    session: Session, numbers: Sequence[int], survey: str, draw: random.Random
) -> tuple[Candidate, Spectrum]:
    """A candidate of the same survey with its spectrum; of another one if there is none."""
    found: tuple[Candidate, Spectrum] | None = None
    for number in draw.sample(numbers, min(NEIGHBOUR_TRIES, len(numbers))):
        candidate = session.candidate(number)
        try:
            spectrum = read_spectrum(session, candidate)
        except ReadError:
            continue
        found = found or (candidate, spectrum)
        if spectrum.survey == survey:
            return candidate, spectrum
    if found is not None:
        return found
    raise SessionError(
        "hardly any spectrum of the list can be read, so nothing can be hidden in it"
    )


def _store(session: Session, ready: Sequence[_Hidden], by: str) -> None:
    with session.database.writing() as connection:
        if not session.database.is_file and count_other_programs(connection):
            raise SessionError(
                "somebody has this session open: places in the list would change before their "
                "eyes. Hide known answers when nobody works in it"
            )
        open_places = set(_places(connection))
        for each in ready:
            if each.place not in open_places:
                raise SessionError(
                    "the session was changed meanwhile. Nothing was hidden: try again"
                )
            _make_room(connection, each.place)
            _put(connection, each)
        session.write_fact(connection, HIDDEN_BY, by)
        plan = read_plan(connection)
        if plan is not None:
            deal(connection, plan)


def _make_room(connection: Connection, place: int) -> None:
    """Move the candidate of a place to the end of the list."""
    row = connection.execute(select(candidates).where(candidates.c.id == place)).one()
    candidate_of(row)  # raises SessionError if it is invalid
    highest = connection.execute(select(func.max(candidates.c.id))).scalar_one()
    values = {**row._mapping, "id": highest + 1}
    connection.execute(insert(candidates).values(values))
    if connection.dialect.name != "sqlite":
        sequence = func.pg_get_serial_sequence("candidates", "id")
        connection.execute(select(func.setval(sequence, highest + 1)))
    for table in MOVES:
        moved = update(table).where(table.c.candidate_id == place)
        connection.execute(moved.values(candidate_id=highest + 1))


def _put(connection: Connection, each: _Hidden) -> None:
    listed = select(candidates.c.listed_path).where(candidates.c.id == each.place)
    former = str(connection.execute(listed).scalar_one())
    values = {**FRESH, **each.values, "own": json.dumps(each.values["own"], ensure_ascii=False)}
    if former:
        values["listed_path"] = beside(former, file_name(each.values["path"]))
    connection.execute(update(candidates).where(candidates.c.id == each.place).values(values))
    packed = {"sha256": bytes_hash(each.content), "content": each.content}
    answer = {
        "is_member": each.given.is_member, "class_name": each.given.class_name,
        "simulated": each.is_simulated, "source": _source(each.given),
    }  # fmt: skip
    connection.execute(insert(packed_spectra).values(candidate_id=each.place, **packed))
    connection.execute(insert(known_answers).values(candidate_id=each.place, **answer))


def _source(given: Labelled) -> str:
    return f"{file_name(given.path)}:{given.row}"
