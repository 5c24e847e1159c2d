"""Hides known spectra at random places of the list.

The places are drawn among candidates that nobody has touched. The candidate of such a place moves
to the end of the list with all that is known of it, so nothing tells who came later.
"""

import json
import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from agent.errors import ReadError
from agent.hashing import bytes_hash
from agent.spectra.readers import read
from agent.spectra.spectrum import MetaValue, Spectrum
from agent.spectra.spectrum_bytes import to_bytes
from app.core.database import tables
from app.core.database.postgres import count_other_programs
from app.core.database.tables import (
    MIN_TARGETID,
    candidates,
    inspections,
    known_answers,
    packed_spectra,
)
from app.core.errors import SessionError
from app.core.inspections.seen import seen_by
from app.core.progress import Progress, Steps
from app.core.reviewer_name import MAX_NAME, is_reviewer_name
from app.core.session.known_answers import HIDDEN_BY, not_known
from app.core.session.provenance import file_name
from app.core.session.records import Candidate, Change
from app.core.session.session import Session, candidate_of
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
    "agents_differ": False, "agent_members": "", "catalogue_log_odds": None, "p_combined": None,
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
    seen = {number for number, _ in seen_by(connection)}
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
            here = candidates.c.id == each.place
            listed = select(candidates.c.listed_path).where(here)
            former = str(connection.execute(listed).scalar_one())
            own = json.dumps(each.values["own"], ensure_ascii=False)
            values = {**FRESH, **each.values, "own": own}
            if former:
                values["listed_path"] = beside(former, file_name(each.values["path"]))
            connection.execute(update(candidates).where(here).values(values))
            packed = {"sha256": bytes_hash(each.content), "content": each.content}
            answer = {
                "is_member": each.given.is_member, "class_name": each.given.class_name,
                "simulated": each.is_simulated, "source": _source(each.given),
            }  # fmt: skip
            connection.execute(insert(packed_spectra).values(candidate_id=each.place, **packed))
            connection.execute(insert(known_answers).values(candidate_id=each.place, **answer))
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


def _source(given: Labelled) -> str:
    return f"{file_name(given.path)}:{given.row}"


# Makes a spectrum of known class look like the candidates of a list.
# Its name, file name, columns and header are those that a neighbour in the list might have: its own
# where they are written in the same way, else the neighbour's with other last digits.
IDENTITY_DIGITS = 5  # a value with so many digits names something, and two objects do not share it
SPREAD = 0.02
"""Numbers differ from the neighbour's by up to this share, so that no two rows are the same."""
NEARBY_ARCMIN = (3.0, 8.0)
"""From the neighbour: near enough for the same field, too far to be a match of its position."""
MAX_TRIES = 60  # made names; every ten tries one more digit changes


@dataclass(eq=False)
class Style:
    """How the list writes names of objects and of files, and which of them are taken."""

    names: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)

    def add(self, name: str, path: str) -> None:
        """Learn from a candidate's name and path."""
        file = file_name(path)
        self.names.add(name)
        self.files.add(file)
        self.patterns |= {pattern(name), pattern(file)}

    def free(self, text: str, model: str, taken: set[str], draw: random.Random) -> str:
        """The name itself if it is not taken and is written like the list's.

        Otherwise the model with other last digits; if all that were tried are taken, the name.
        """
        if text and text not in taken and pattern(text) in self.patterns:
            return text
        for attempt in range(MAX_TRIES):
            made = varied(model, draw, digits=2 + attempt // 10)
            if made not in taken:
                return made
        return text


def beside(path: str, file: str) -> str:
    """The path of a file in the same folder, at an address, too."""
    return path.removesuffix(file_name(path)) + file


def pattern(text: str) -> str:
    """How a name is written: each digit as 9."""
    return re.sub(r"\d", "9", text)


def varied(text: str, draw: random.Random, digits: int = 2) -> str:
    """The text with other last digits; those of a suffix such as .fits.gz stay."""
    stem, dot, suffix = text.partition(".fit")
    places = [index for index, letter in enumerate(stem) if letter in "0123456789"][-digits:]
    letters = list(stem)
    for index in places:
        # At most 5 except at the end: in a name such as J1234+5059 minutes must stay below 60.
        top = 9 if index == places[-1] else 5
        letters[index] = str(draw.randint(0, top))
    return "".join(letters) + dot + suffix


def disguised(
    given: Labelled,
    spectrum: Spectrum,
    neighbour: Candidate,
    neighbour_spectrum: Spectrum,
    style: Style,
    draw: random.Random,
) -> tuple[dict[str, Any], Spectrum]:
    """The values of a candidate, and the spectrum that the session keeps for it.

    The new names are added to those that are taken, so that each is given once.
    """
    name = style.free(given.object_id, neighbour.object_id, style.names, draw)
    model = file_name(neighbour.path)
    if neighbour.object_id and neighbour.object_id in model:
        # The file's name follows that of the object where the neighbour's does.
        file = model.replace(neighbour.object_id, name)
    else:
        file = style.free(file_name(given.path), model, style.files, draw)
    style.names.add(name)
    path, row = beside(neighbour.path, file), neighbour.row
    if neighbour.row:  # a file of many spectra: the same file, another row
        path = neighbour.path
        row = int(varied(str(neighbour.row), draw, 4)) if row >= MIN_TARGETID else row + 1
    else:
        style.files.add(file)
    ra, dec = _position(given, spectrum, neighbour, draw)
    is_own = name == given.object_id
    kept = replace(
        spectrum,
        object_id=name if not is_own or not spectrum.object_id else spectrum.object_id,
        ra=None if neighbour_spectrum.ra is None else ra,
        dec=None if neighbour_spectrum.dec is None else dec,
        class_name=_like(neighbour_spectrum.class_name, spectrum.class_name),
        subclass=_like(neighbour_spectrum.subclass, spectrum.subclass),
        z=_like(neighbour_spectrum.z, spectrum.z),
        snr=_like(neighbour_spectrum.snr, spectrum.snr),
        survey=neighbour_spectrum.survey,
        release=neighbour_spectrum.release,
        format=neighbour_spectrum.format,
        medium_in_file=neighbour_spectrum.medium_in_file,
        path=path,
        row=row,
        rows=neighbour_spectrum.rows,
        # Whether it is simulated says the table of known answers, once the candidate is judged.
        simulated=neighbour_spectrum.simulated,
        meta=_meta(spectrum.meta, neighbour_spectrum.meta, draw, is_own=is_own),
        warnings=(),
    )
    values = {
        "object_id": name,
        "path": path,
        "row": row,
        "ra": ra,
        "dec": dec,
        "score": altered(neighbour.score, draw),
        "label": neighbour.label,
        "snr": _like(neighbour.snr, given.snr if given.snr is not None else spectrum.snr),
        "own": _own_columns(given.own, neighbour.own, draw),
    }
    return values, kept


def _position(
    given: Labelled, spectrum: Spectrum, neighbour: Candidate, draw: random.Random
) -> tuple[float | None, float | None]:
    """The true position where there is one, else a place near the neighbour."""
    if neighbour.ra is None or neighbour.dec is None:
        return None, None
    for each in (given, spectrum):
        if each.ra is not None and each.dec is not None:
            return each.ra, each.dec
    far, angle = draw.uniform(*NEARBY_ARCMIN) / 60.0, draw.uniform(0.0, 2.0 * math.pi)
    dec = max(-89.9, min(89.9, neighbour.dec + far * math.sin(angle)))
    ra = (neighbour.ra + far * math.cos(angle) / math.cos(math.radians(dec))) % 360.0
    return round(ra, 6), round(dec, 6)


def _like(neighbours: Any, own: Any) -> Any:
    """The spectrum's own value, else the neighbour's; none where the neighbour has none."""
    if neighbours in (None, ""):
        return neighbours
    return neighbours if own in (None, "") else own


def _meta(
    own: Mapping[str, MetaValue],
    neighbours: Mapping[str, MetaValue],
    draw: random.Random,
    *,
    is_own: bool,
) -> dict[str, MetaValue]:
    """The neighbour's keys, with the spectrum's own values where it has them."""
    return {
        key: own[key]
        if key in own and type(own[key]) is type(value) and (is_own or not _identifies(value))
        else altered(value, draw)
        for key, value in neighbours.items()
    }


def _own_columns(
    given: Mapping[str, Any], neighbours: Mapping[str, Any], draw: random.Random
) -> dict[str, Any]:
    """The list's further columns, with the known spectrum's values where its list has them."""
    return {
        key: given[key]
        if given.get(key) and isinstance(given[key], type(value))
        else altered(value, draw)
        for key, value in neighbours.items()
    }


def _identifies(value: object) -> bool:
    """Whether a value names one object, such as an identifier or a file."""
    is_named = isinstance(value, str) or type(value) is int
    return is_named and sum(letter.isdigit() for letter in str(value)) >= IDENTITY_DIGITS


def altered(value: Any, draw: random.Random) -> Any:
    """The neighbour's value, altered where it identifies the neighbour or is a measured number."""
    if isinstance(value, float) and math.isfinite(value):
        _, _, decimals = repr(value).partition(".")
        return round(value * (1.0 + draw.uniform(-SPREAD, SPREAD)), len(decimals.split("e")[0]))
    if not _identifies(value):
        return value
    made = varied(str(value), draw)
    return made if isinstance(value, str) else int(made)
