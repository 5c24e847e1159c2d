"""Shares a list out: each candidate to one person, some to two, and second opinions by a rule.

Hidden candidates with a known answer are dealt like all others. The plan is one fact of the
session, checked when it is read.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, exists, select, update

from app.core.database.database import read_fact, write_facts
from app.core.database.tables import assignments, candidates, facts, judgements
from app.core.errors import SessionError
from app.core.queue.column_values import QueryContext
from app.core.queue.filter_parser import MAX_LENGTH, parse_filter
from app.core.queue.filters import ME, NOBODY, QUEUE_FACT, Filter, FilterError
from app.core.queue.own_columns import own_columns
from app.core.queue.sql_conditions import condition
from app.core.reviewer_name import MAX_NAME, is_reviewer_name
from app.core.session import verdict_log
from app.core.session.assignments import PLAN_FACT, STANDS, Reason, assign, is_assigned_to
from app.core.session.known_answers import not_known
from app.core.session.provenance import file_name
from app.core.session.records import Change
from app.core.session.session import Session
from app.core.session.stored_opinions import damaged, have_type
from app.core.session.verdict_log import MAX_REVIEWERS, find_reviewer, judged_bit

MAX_SEED = 2**53
IN_LOTS = tuple(candidates.c[name] for name in ("id", "object_id", "path", "row"))
"""What is read of candidates for `candidate_words` and `in_drawn_order`."""


@dataclass(frozen=True, kw_only=True)
class SharePlan:
    """`second_when` is a filter as each person sees it; those who judged are asked by it."""

    people: tuple[str, ...]
    overlap: float = 0.0  # percent of the candidates that two people get
    second_when: str = ""
    seed: int = 0


def checked_plan(plan: SharePlan) -> SharePlan:
    """Return it with tidy names, or raise a SessionError that says what is wrong."""
    people = tuple(" ".join(name.split()) for name in plan.people)
    for name in people:
        if not is_reviewer_name(name):
            raise SessionError(f"a reviewer's name is 1 to {MAX_NAME} printable characters")
        if name.casefold() in (ME, NOBODY):
            raise SessionError(f"nobody can be called {name} here: it has a meaning in filters")
    if len(set(people)) < len(people):
        raise SessionError("each person can be named only once")
    if not 0 < len(people) <= MAX_REVIEWERS:
        raise SessionError(f"a list is shared out to 1 to {MAX_REVIEWERS} people")
    if not 0.0 <= plan.overlap <= 100.0:
        raise SessionError(f"the overlap is 0 to 100 percent, not {plan.overlap:g}")
    if len(people) < 2 and (plan.overlap or plan.second_when):
        raise SessionError("an overlap or second opinions need at least two people")
    if not -MAX_SEED < plan.seed < MAX_SEED:
        raise SessionError("the seed is a whole number of up to 15 digits")
    return replace(plan, people=people, second_when=" ".join(plan.second_when.split()))


def parsed_rule(session: Session, rule: str) -> Filter:
    """The rule for second opinions as a filter of this session. Raises FilterError."""
    return parse_filter(rule, [column.name for column in own_columns(session)])


def plan_of(session: Session) -> SharePlan | None:
    """The plan by which the session was shared out last; None if it never was."""
    with session.database.reading() as connection:
        return read_plan(connection)


def read_plan(connection: Connection) -> SharePlan | None:
    text = read_fact(connection, PLAN_FACT)
    if text is None:
        return None
    try:
        values: Any = json.loads(text)
        people, overlap = values["people"], values["overlap"]
        is_sound = (
            isinstance(people, list)
            and have_type(str, values["second_when"], *people)
            and isinstance(overlap, float | int)
            and have_type(int, values["seed"])
            and len(values["second_when"]) <= MAX_LENGTH
        )
        if not is_sound:
            raise ValueError
        given = {"second_when": values["second_when"], "seed": values["seed"]}
        return checked_plan(SharePlan(people=tuple(people), overlap=float(overlap), **given))
    except (ValueError, TypeError, KeyError, RecursionError, SessionError) as error:
        raise damaged("how it was shared out") from error


def write_plan(connection: Connection, plan: SharePlan) -> None:
    write_facts(connection, {PLAN_FACT: json.dumps(asdict(plan), ensure_ascii=False)})


def drawn(seed: int, what: str, *words: object) -> bytes:
    """A draw by a hash: the same on every machine, whatever else is in the list."""
    text = "\0".join((str(seed), what, *map(str, words)))
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def candidate_words(row: Any) -> tuple[str, str, int]:
    """What names a candidate in all copies of a session, as its id does not."""
    return str(row.object_id), file_name(str(row.path)), int(row.row)


def in_drawn_order(rows: Sequence[Any], seed: int, what: str) -> list[Any]:
    """The candidates' rows in an order drawn by the seed."""
    return sorted(rows, key=lambda row: (drawn(seed, what, *candidate_words(row)), row.id))


@dataclass(frozen=True, kw_only=True)
class ShareReport:
    """Numbers of new assignments."""

    plan: SharePlan
    given: Mapping[str, int]  # candidates by person, those given to two included
    to_two: int
    second: int  # second opinions that the rule asked for
    withdrawn: int
    left_out: int  # candidates not shared out, as somebody else has judged them already


def share_out(session: Session, plan: SharePlan, *, anew: bool = False) -> ShareReport:
    """Give every candidate that nobody has yet to somebody, in one transaction.
    With `anew`, what people have not judged yet is taken back first.
    """
    plan = checked_plan(plan)
    parsed_rule(session, plan.second_when)
    with session.database.writing() as connection:
        write_plan(connection, plan)
        # Their queues begin with what is theirs, whatever they looked at before.
        queues = [f"{QUEUE_FACT}:{name}" for name in plan.people]
        connection.execute(delete(facts).where(facts.c.key.in_(queues)))
        withdrawn = 0
        if anew:
            is_judged = _is_judged(assignments.c.candidate_id, assignments.c.reviewer_id)
            taken = update(assignments).where(STANDS, ~is_judged)
            taken = taken.values(withdrawn=True, at=verdict_log.now())
            withdrawn = connection.execute(taken).rowcount
        given, to_two, left_out = deal(connection, plan)
    second = assign_second_opinions(session)
    session.changed.emit(Change(aspect="list"))
    return ShareReport(
        plan=plan, given=given, to_two=to_two, second=second, withdrawn=withdrawn, left_out=left_out
    )


def share_out_the_rest(session: Session) -> ShareReport:
    """Share out what came later, such as another list, as the list was shared out before."""
    plan = plan_of(session)
    if plan is None:
        raise SessionError("this session is not shared out yet: name the people with --to")
    return share_out(session, plan)


def deal(connection: Connection, plan: SharePlan) -> tuple[dict[str, int], int, int]:
    """Deal what nobody has; how many each person got, how many two got, and how many nobody."""
    numbers = {name: verdict_log.reviewer_id(connection, name) for name in plan.people}
    people = list(numbers.values())
    has_person = exists().where(assignments.c.candidate_id == candidates.c.id, STANDS)
    query = select(*IN_LOTS, candidates.c.judged_by).where(~has_person)
    found = connection.execute(query.order_by(candidates.c.id)).all()
    free = in_drawn_order(found, plan.seed, "deal")
    rows = [row for row in free if not row.judged_by or _judges(row, people)]
    given: list[tuple[int, int, Reason]] = []
    first: dict[int, int] = {}
    turn = 0
    for row in rows:
        judges = _judges(row, people)
        first[row.id] = judges[0] if judges else people[turn % len(people)]
        turn += not judges
        given.append((row.id, first[row.id], "first"))
    drawn_rows = in_drawn_order(rows, plan.seed, "overlap")
    # One of each person's after the other, so that all share the overlap evenly.
    queues = [[row for row in drawn_rows if first[row.id] == number] for number in people]
    turns = [row for each in zip_longest(*queues) for row in each if row is not None]
    to_two = turns[: round(len(rows) * plan.overlap / 100)]
    for index, row in enumerate(to_two):
        others = [number for number in people if number != first[row.id]]
        given.append((row.id, others[index // len(people) % len(others)], "overlap"))
    assign(connection, given)
    counts = {
        name: sum(person == number for _, person, _ in given) for name, number in numbers.items()
    }
    return counts, len(to_two), len(free) - len(rows)


def _judges(row: Row[Any], people: Sequence[int]) -> list[int]:
    """Those of the people who have judged it already."""
    return [number for number in people if row.judged_by & judged_bit(number)]


# Asks for second opinions where a rule has become true of somebody's verdict. The rule is a
# filter, as the person who judged would see it. Who is asked is drawn from the seed and the
# candidate alone, so all copies of a session ask the same person.
def assign_second_opinions(session: Session) -> int:
    """Assign those that the rule asks for by now; returns how many are new."""
    plan = plan_of(session)
    if plan is None or not plan.second_when or session.is_read_only:
        return 0
    try:
        tree = parsed_rule(session, plan.second_when)
    except FilterError:  # a column that it names is not in this session
        return 0
    with session.database.writing() as connection:
        found = {name: find_reviewer(connection, name) for name in plan.people}
        numbers = {name: number for name, number in found.items() if number is not None}
        if len(numbers) < 2:
            return 0
        wanted: list[tuple[int, int, Reason]] = []
        for name, number in numbers.items():
            others = [each for each in numbers if each != name]
            for row in connection.execute(_asking(tree, number, session.database.is_file)):
                lots = {
                    each: drawn(plan.seed, "second", each, *candidate_words(row)) for each in others
                }
                wanted.append((row.id, numbers[min(others, key=lots.__getitem__)], "second"))
        assign(connection, wanted)
    if wanted:
        touched = frozenset(number for number, *_ in wanted)
        session.changed.emit(Change(aspect="list", candidate_ids=touched))
    return len(wanted)


def _asking(tree: Filter, reviewer: int, is_file: bool) -> Any:
    """Candidates of which the rule is true for that person, and which only they have or judged."""
    here = assignments.c.candidate_id == candidates.c.id
    is_theirs = exists().where(here, is_assigned_to(reviewer))
    has_other = exists().where(here, STANDS, assignments.c.reviewer_id != reviewer)
    by_nobody_else: ColumnElement[bool] = candidates.c.judged_by == judged_bit(reviewer)
    return (
        select(*IN_LOTS)
        .order_by(candidates.c.id)
        .where(
            *(is_theirs, _is_judged(candidates.c.id, reviewer), by_nobody_else, ~has_other),
            *(not_known(candidates.c.id), condition(tree, QueryContext(reviewer, is_file))),
        )
    )


def _is_judged(candidate: Any, reviewer: Any) -> ColumnElement[bool]:
    return exists().where(
        judgements.c.candidate_id == candidate,
        judgements.c.reviewer_id == reviewer,
        judgements.c.verdict.is_not(None),
    )
