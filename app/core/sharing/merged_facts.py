"""Merges the inspections of another session, and what people rated, measured and saw there.

Their repeats and assignments, too.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Table, delete, insert, select, update

from agent.ratings.records import Rating
from agent.tasks.task import Task
from agent.trajectory.trajectory_file import MAX_LINE
from app.core.database import tables
from app.core.database.database import write_facts
from app.core.database.paging import pages
from app.core.database.tables import (
    assignments,
    facts,
    inspections,
    log,
    measurements,
    repeats,
)
from app.core.inspections.ratings import PREFIX, numbered, rating_from
from app.core.inspections.seen import PREFIX as SEEN_PREFIX
from app.core.inspections.seen import SeenResult, seen_from, seen_key, seen_text
from app.core.inspections.shown_opinion import MAX_NAME, lock_opinions, update_agent_columns
from app.core.reviewer_name import is_reviewer_name
from app.core.session.assignments import REASONS, store_assignments
from app.core.session.group_acts import MAX_CANDIDATES, act_notes, write_act
from app.core.session.known_answers import known_answer_from
from app.core.session.measurements import measurement_of
from app.core.session.session import MAX_IDS
from app.core.session.stored_opinions import damaged, have_type, opinion_of
from app.core.sharing.log_merge import ReviewerMap, is_timestamp
from app.core.sharing.matching import IdMap
from app.core.sharing.share_out import read_plan, write_plan

MAX_KEY = 300
MAX_SHOWN = 1000
AT_ONCE = 50  # candidates whose trajectories are in memory

Values = dict[str, Any]
KEY = ("candidate_id", "reviewer_id")


def merge_ratings(target: Connection, source: Connection, ids: IdMap) -> None:
    """Take over new and later ratings under the numbers of the target.

    What is no rating is left behind: unlike a verdict, nothing else depends on it.
    """
    query = select(facts).where(facts.c.key.startswith(PREFIX, autoescape=True))
    for rows in pages(source, query, facts.c.key, at_once=MAX_IDS, after=("",)):
        given: dict[str, tuple[Rating, str]] = {}
        for row in rows:
            number, rest = numbered(row.key, PREFIX)
            here_id = None if number is None else ids.get(number)
            rating = rating_from(row.value)
            if here_id is not None and len(rest) <= MAX_KEY and rating is not None:
                given[f"{PREFIX}{here_id}:{rest}"] = rating, row.value
        there = select(facts).where(facts.c.key.in_(given))
        here = {row.key: rating_from(row.value) for row in target.execute(there)}
        new = {}
        for key, (rating, text) in given.items():
            known = here.get(key)
            if known is None or rating.at > known.at:
                new[key] = text
        write_facts(target, new)


def merge_acts(
    target: Connection, source: Connection, lines: IdMap, reviewers: ReviewerMap
) -> None:
    """Note the other session's acts on its lines here.

    Only lines that a merge has brought are marked, and only whole acts of one person: another
    session must not take our own verdicts out of the figures.
    """
    here = {(first, last) for first, last, _ in act_notes(target)}
    until: dict[int, int] = {}
    for first, last, place in sorted(act_notes(source)):
        if lines.get(first) is None or lines.get(last) is None:
            continue
        reviewer = source.execute(select(log.c.reviewer_id).where(log.c.id == first)).scalar_one()
        # On a server, acts of several people may overlap; those of one person do not.
        if first <= until.get(reviewer, 0):
            continue
        until[reviewer] = last
        ends = _lines_here(source, target, (first, last), reviewer, lines, reviewers)
        if ends is not None and ends not in here:
            write_act(target, *ends, place)


def _lines_here(
    source: Connection,
    target: Connection,
    act: tuple[int, int],
    reviewer: int,
    lines: IdMap,
    reviewers: ReviewerMap,
) -> tuple[int, int] | None:
    """The first and last line of an act in the target; None if it is not all there, and alone."""
    query = select(log.c.id, log.c.origin).order_by(log.c.id).limit(MAX_CANDIDATES + 1)
    theirs = query.where(log.c.reviewer_id == reviewer, log.c.id.between(*act))
    numbers = [row.id for row in source.execute(theirs)]
    if not 1 < len(numbers) <= MAX_CANDIDATES or numbers[-1] != act[1]:
        return None
    merged = [lines[number] for number in numbers]
    mine = query.where(
        log.c.reviewer_id == reviewers[reviewer], log.c.id.between(merged[0], merged[-1])
    )
    rows = target.execute(mine).all()
    if [row.id for row in rows] != merged or not all(row.origin for row in rows):
        return None
    return merged[0], merged[-1]


def merge_measurements(
    target: Connection, source: Connection, ids: IdMap, reviewers: ReviewerMap
) -> int:
    """Add the new ones and return their number; one withdrawn anywhere is withdrawn."""
    found = pages(source, select(measurements), measurements.c.id, at_once=MAX_IDS)
    checked = ([_checked(row, ids, reviewers) for row in rows] for rows in found)
    return sum(_merge_withdrawable(target, measurements, given) for given in checked)


def _merge_withdrawable(target: Connection, table: Table, checked: Sequence[Values]) -> int:
    given = {_key(each): each for each in checked}
    withdrawn = {_key(each) for each in checked if each["withdrawn"]}
    there = table.c.candidate_id.in_([each["candidate_id"] for each in checked])
    known: dict[str, list[int]] = {}
    for row in target.execute(select(table).where(there)).mappings():
        known.setdefault(_key(row), []).append(row["id"])
    news = [key for key in given if key not in known]
    if news:
        new = [{**given[key], "withdrawn": key in withdrawn} for key in news]
        target.execute(insert(table), new)
    taken = [number for key in withdrawn & set(known) for number in known[key]]
    target.execute(update(table).where(table.c.id.in_(taken)).values(withdrawn=True))
    return len(news)


def _checked(row: Row[Any], ids: IdMap, reviewers: ReviewerMap) -> Values:
    measurement_of(row)  # raises SessionError if invalid
    if not is_timestamp(row.at):
        raise damaged(f"measurement {row.id} of the other session")
    return _moved(row, ids, reviewers)


def _moved(row: Row[Any], ids: IdMap, reviewers: ReviewerMap) -> Values:
    """What a row says of the candidate and the reviewer as they are in the target."""
    values = {key: value for key, value in row._mapping.items() if key != "id"}
    here = {"candidate_id": ids[row.candidate_id], "reviewer_id": reviewers[row.reviewer_id]}
    return values | here


def _key(values: Any) -> str:
    """All that a row says, except whether it was withdrawn, and its place in the session."""
    local = ("id", "after_id", "withdrawn")
    return repr(sorted((name, value) for name, value in values.items() if name not in local))


# Merges who was assigned what, and which candidates are hidden with a known answer.
def merge_assignments(
    target: Connection, source: Connection, ids: IdMap, reviewers: ReviewerMap
) -> int:
    """Merge the assignments and return the number of new or changed ones; the later one stands."""
    if read_plan(target) is None and (plan := read_plan(source)) is not None:
        write_plan(target, plan)
    added, key = 0, [assignments.c[name] for name in KEY]
    for rows in pages(source, select(assignments), *key, at_once=MAX_IDS):
        given = [_assignment(row, ids, reviewers) for row in rows]
        here = assignments.c.candidate_id.in_([each["candidate_id"] for each in given])
        there = target.execute(select(assignments).where(here)).mappings()
        known = {(row["candidate_id"], row["reviewer_id"]): _order(row) for row in there}
        keys = [(each["candidate_id"], each["reviewer_id"]) for each in given]
        pairs = zip(keys, given, strict=True)
        new = [each for k, each in pairs if k not in known or _order(each) > known[k]]
        store_assignments(target, new)
        added += len(new)
    return added


def merge_known(target: Connection, source: Connection, ids: IdMap, highest: int) -> int:
    """Merge the known answers of candidates that this merge has added, above id `highest`.

    Only of those: another session must not take candidates out of our catalogues.
    """
    found = []
    query = select(tables.known_answers).order_by(tables.known_answers.c.candidate_id)
    for row in source.execute(query):
        known_answer_from(row)  # raises SessionError if it is invalid
        number = ids[row.candidate_id]
        if number > highest:
            found.append({**row._mapping, "candidate_id": number})
    if found:
        target.execute(insert(tables.known_answers), found)
    return len(found)


def _assignment(row: Row[Any], ids: IdMap, reviewers: ReviewerMap) -> Values:
    is_sound = have_type(str, row.reason, row.at) and have_type(bool, row.withdrawn)
    if not is_sound or row.reason not in REASONS or not is_timestamp(row.at):
        raise damaged("an assignment of the other session")
    return _moved(row, ids, reviewers)


def _order(values: Any) -> tuple[str, bool, str]:
    return values["at"], values["withdrawn"], values["reason"]


def merge_seen(target: Connection, source: Connection, ids: IdMap) -> int:
    """Merge the facts of both sessions and return the number of new or changed ones."""
    query = select(facts).where(facts.c.key.startswith(SEEN_PREFIX, autoescape=True))
    added = 0
    for rows in pages(source, query, facts.c.key, at_once=MAX_IDS, after=("",)):
        given = dict(_renumbered(row, ids) for row in rows)
        there = select(facts).where(facts.c.key.in_(given))
        here = {row.key: seen_from(row.value) for row in target.execute(there)}
        both = {key: _combined(here.get(key), seen) for key, seen in given.items()}
        new = {key: seen for key, seen in both.items() if here.get(key) != seen}
        write_facts(target, {key: seen_text(seen) for key, seen in new.items()})
        added += len(new)
    return added


def _renumbered(row: Row[Any], ids: IdMap) -> tuple[str, SeenResult]:
    """The fact under the candidate's id in the target. Raises SessionError if it is invalid."""
    if not have_type(str, row.key, row.value):
        raise damaged("what was seen in the other session")
    number, reviewer = numbered(row.key, SEEN_PREFIX)
    seen = seen_from(row.value)
    is_model = len(seen.model) <= MAX_NAME and seen.model.isprintable()
    if number is None or not is_reviewer_name(reviewer) or not is_model:
        raise damaged("what was seen in the other session")
    return seen_key(ids[number], reviewer), seen


def _combined(here: SeenResult | None, there: SeenResult) -> SeenResult:
    if here is None:
        return there
    # Of two models any would do, but in all sessions it has to be the same one.
    model = min(here.model, there.model) or here.model or there.model
    return SeenResult(model=model, in_blind=here.in_blind or there.in_blind)


# Merges the inspections and repeats of another session.
def merge_inspections(
    target: Connection, source: Connection, ids: IdMap, task: Task
) -> Iterator[tuple[int, int]]:
    """Merge page by page; yields the number of inspections in a page and of new ones."""
    column = inspections.c.candidate_id
    for rows in pages(source, select(column).distinct(), column, at_once=AT_ONCE):
        there = column.in_([row.candidate_id for row in rows])
        found = source.execute(select(inspections).where(there)).all()
        given = [_inspection(row, ids[row.candidate_id]) for row in found]
        numbers = {each["candidate_id"] for each in given}
        lock_opinions(target, numbers)
        query = select(inspections).where(column.in_(numbers))
        existing = {_model_key(row): row for row in target.execute(query).mappings()}
        new = {
            key: each
            for each in given
            if (key := _model_key(each)) not in existing or _later(each) > _later(existing[key])
        }
        replaced = [existing[key]["id"] for key in new if key in existing]
        target.execute(delete(inspections).where(inspections.c.id.in_(replaced)))
        if new:
            target.execute(insert(inspections), list(new.values()))
        for number in sorted({each["candidate_id"] for each in new.values()}):
            update_agent_columns(target, number, task)
        yield len(found), len(new)


def _later(values: Any) -> tuple[str, str, str]:
    """The later inspection by one model replaces the other; at the same time, one of them does."""
    rest = (values[name] for name in ("verdict", "p_yes", "stopped_by", "well_formed"))
    return values["at"], values["record"], repr(list(rest))


def _model_key(values: Any) -> tuple[int, str, str]:
    return values["candidate_id"], values["model"], values["model_sha256"]


def _inspection(row: Row[Any], number: int) -> Values:
    is_sound = (
        have_type(str, row.model, row.model_sha256, row.at, row.stopped_by, row.record)
        and is_timestamp(row.at)
        and row.verdict in (None, "YES", "NO")
        and (row.p_yes is None or (isinstance(row.p_yes, float | int) and 0 <= row.p_yes <= 1))
        and len(row.record) <= MAX_LINE
    )
    if not is_sound:
        raise damaged(f"inspection {row.id} of the other session")
    values = {key: value for key, value in row._mapping.items() if key != "id"}
    return values | {"candidate_id": number}


def merge_repeats(
    target: Connection, source: Connection, ids: IdMap, lines: IdMap, reviewers: ReviewerMap
) -> int:
    """Merge the repeats and return the number of new ones; one withdrawn anywhere is withdrawn."""
    found = pages(source, select(repeats), repeats.c.id, at_once=MAX_IDS)
    checked = ([_repeat(row, ids, lines, reviewers) for row in rows] for rows in found)
    return sum(_merge_withdrawable(target, repeats, given) for given in checked)


def _repeat(row: Row[Any], ids: IdMap, lines: IdMap, reviewers: ReviewerMap) -> Values:
    opinion_of(row)  # raises SessionError if invalid
    is_sound = have_type(str, row.at, row.shown) and isinstance(row.seconds, float | int | None)
    is_sound = is_sound and is_timestamp(row.at) and len(row.shown) <= MAX_SHOWN
    if not is_sound or not have_type(bool, row.withdrawn):
        raise damaged(f"repeat {row.id} of the other session")
    return _moved(row, ids, reviewers) | {"first_id": lines[row.first_id], "after_id": 0}
