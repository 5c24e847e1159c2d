"""The plan of a study: who judges what, in which order, and what they may see of the agent.

It is drawn by lot and frozen before the first verdict: one fact of the session, with its hash.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Row, func, insert, select

from agent.hashing import text_hash
from app.core.database.database import write_facts
from app.core.database.tables import (
    candidates,
    facts,
    inspections,
    judgements,
    known_answers,
    log,
    repeats,
    reviewers,
)
from app.core.errors import SessionError
from app.core.inspections.seen import seen_by
from app.core.queue.blind_filters import FACT as BLIND
from app.core.session import verdict_log
from app.core.session.assignments import STUDY_FACT, assign
from app.core.session.known_answers import read_known_answers
from app.core.session.provenance import file_name, simulated_flags
from app.core.session.records import Change
from app.core.session.session import Session, require_class
from app.core.session.stored_opinions import have_type
from app.core.sharing.known.labelled_list import Labelled
from app.core.sharing.share_out import (
    IN_LOTS,
    SharePlan,
    candidate_words,
    checked_plan,
    drawn,
    in_drawn_order,
    write_plan,
)

Arm = Literal["unaided", "verdict", "advice"]
"""Without the agent; with its verdict alone; with all that it says."""
Design = Literal["split", "crossover", "unaided-first"]
"""Each candidate once, in one arm; twice, in both arms and far apart; or twice in a row, first
without the agent."""
ARMS: tuple[Arm, ...] = get_args(Arm)
DESIGNS: tuple[Design, ...] = get_args(Design)

HASH = "study_sha256"  # the fact with the hash of the plan
FORMAT = 1
MAX_CANDIDATES = 20_000
MAX_PEOPLE = 30
MAX_TEXT = 32_000_000
MAX_WORD = 1000
P_EDGES = (0.02, 0.2, 0.5, 0.8, 0.98)
SNR_EDGES = (5.0, 10.0, 20.0, 50.0)
PARTS = 4  # of a crossover: what came in the first quarter comes in the first quarter again
CHANGED = "the plan of the study was changed after it was frozen: open a backup"


@dataclass(frozen=True)
class Turn:
    """A candidate by its key, what the person may see, and whether it is their second reading."""

    key: str
    arm: Arm
    reading: Literal[1, 2]


@dataclass(frozen=True, kw_only=True)
class StudyPlan:
    design: Design
    aided: Arm
    people: tuple[str, ...]
    seed: int
    retire_after: int  # so many people who agree are enough for a candidate; 0: all judge all
    frozen_at: str
    models: tuple[tuple[str, str], ...]  # name and hash of those whose answers are shown
    answers: Mapping[str, tuple[str, float]] = field(repr=False)
    """Of each candidate by its key: the agent's verdict and p(YES)."""
    turns: Mapping[str, tuple[Turn, ...]] = field(repr=False)  # of each person, in their order
    text: str = field(repr=False)  # as it is stored and hashed

    @property
    def sha256(self) -> str:
        return text_hash(self.text)


def new_study(
    session: Session,
    people: Sequence[str],
    design: Design,
    *,
    aided: Arm = "advice",
    seed: int = 0,
    retire_after: int = 0,
    labelled: Sequence[Labelled] = (),
) -> StudyPlan:
    """Draw a plan over all candidates with an agent's answer, and freeze it.

    Everybody judges every candidate, and nobody may have judged one before. Candidates that are
    among the `labelled` become known answers.
    """
    require_class(session.task)
    share = checked_plan(SharePlan(people=tuple(people), seed=seed))
    if len(share.people) > MAX_PEOPLE:
        raise SessionError(f"a study has at most {MAX_PEOPLE} people")
    if aided == "unaided":
        raise SessionError("a study compares verdicts without the agent with verdicts with it")
    if retire_after and (design != "split" or not 1 < retire_after <= len(share.people)):
        raise SessionError(
            "candidates are retired early only where each is judged once, and after 2 people or "
            "more who agree"
        )
    with session.database.writing() as connection:
        if read_study(connection) is not None:
            raise SessionError("this session has a study already: make a new session for another")
        _refuse_if_begun(connection, share.people)
        _note_known(connection, labelled)
        rows = _balanced(connection, seed)
        if not 2 <= len(rows) <= MAX_CANDIDATES:
            raise SessionError(
                f"a study needs 2 to {MAX_CANDIDATES:,} candidates with an agent's verdict, and "
                f"there are {len(rows):,}: run `spec-o3 vet` first"
            )
        shown = inspections.c.model.in_({row.agent_model for row in rows})
        models = select(inspections.c.model, inspections.c.model_sha256).where(shown).distinct()
        text = json.dumps(
            {
                "format": FORMAT, "session": session.id, "task": session.task.id,
                "design": design, "aided": aided, "people": list(share.people), "seed": seed,
                "retire_after": retire_after, "frozen_at": verdict_log.now(),
                "models": sorted(map(list, connection.execute(models))),
                "candidates": [[_key(row), row.agent_verdict, row.agent_p_yes] for row in rows],
                "turns": _drawn_turns(rows, share.people, design, aided, seed),
            },
            ensure_ascii=False, separators=(",", ":"),
        )  # fmt: skip
        write_facts(connection, {STUDY_FACT: text, HASH: text_hash(text)})
        session.write_fact(connection, BLIND, "yes")
        numbers = [verdict_log.reviewer_id(connection, name) for name in share.people]
        assign(connection, [(row.id, who, "first") for row in rows for who in numbers])
        write_plan(connection, share)
    session.changed.emit(Change(aspect="list"))
    return parsed(text)


def _refuse_if_begun(connection: Connection, people: Sequence[str]) -> None:
    """A verdict before the plan, or a look at what the agent said, would spoil the comparison."""
    if connection.execute(select(log.c.id).where(log.c.verdict.is_not(None)).limit(1)).first():
        raise SessionError("there are verdicts already: make a new session from the same list")
    for _, name in seen_by(connection):
        if name in people:
            raise SessionError(
                f"{name} has seen what the agent says of some candidates: make a new session "
                "from the same list"
            )


def _note_known(connection: Connection, labelled: Sequence[Labelled]) -> None:
    """Store the answers to candidates that are the same spectra, or have the same name."""
    answers: dict[object, Labelled] = {each.object_id: each for each in labelled if each.object_id}
    answers |= {(each.path, each.row): each for each in labelled}
    known = read_known_answers(connection)
    records = select(inspections.c.candidate_id, inspections.c.record)
    simulated = {
        row.candidate_id: flag
        for row in connection.execute(records if labelled else records.limit(0))
        for flag in simulated_flags(row.record)
    }
    found = []
    for row in connection.execute(select(candidates).order_by(candidates.c.id)):
        answer = answers.get((row.path, row.row), answers.get(row.object_id))
        if answer is not None and row.id not in known:
            found.append(
                {
                    "candidate_id": row.id, "is_member": answer.is_member,
                    "class_name": answer.class_name, "simulated": simulated.get(row.id, False),
                    "source": f"{file_name(answer.path)}:{answer.row}",
                }
            )  # fmt: skip
    if labelled and not found:
        raise SessionError("none of the candidates is in the list of known answers")
    if found:
        connection.execute(insert(known_answers), found)


def _key(row: Any) -> str:
    """Names a candidate in all copies of the session, as its id does not."""
    return text_hash("\0".join(map(str, candidate_words(row))))[:16]


def _balanced(connection: Connection, seed: int) -> list[Row[Any]]:
    """The candidates with an agent's verdict, so ordered that neighbours are alike in class,
    p(YES) and S/N; those with the same key only once."""
    query = select(candidates).where(
        candidates.c.agent_verdict.is_not(None),
        candidates.c.agent_p_yes.is_not(None),
        candidates.c.fault == "",
    )
    found = {_key(row): row for row in connection.execute(query.order_by(candidates.c.id))}
    known = read_known_answers(connection)

    def stratum(row: Row[Any]) -> tuple[int, int, int]:
        answer = known.get(row.id)
        kind = 2 if answer is None else int(answer.is_member)
        in_p = sum(row.agent_p_yes >= edge for edge in P_EDGES)
        return kind, in_p, sum((row.snr or 0.0) >= edge for edge in SNR_EDGES)

    rows = in_drawn_order(list(found.values()), seed, "study")
    return sorted(rows, key=stratum)


def _drawn_turns(
    rows: Sequence[Row[Any]], people: Sequence[str], design: Design, aided: Arm, seed: int
) -> dict[str, list[tuple[int, Arm]]]:
    """Of each person: number of a candidate and arm, in the order in which they judge.

    Of two neighbours one begins in each arm; of two people one begins a candidate in each.
    """
    arms: tuple[Arm, Arm] = ("unaided", aided)
    keys = [_key(row) for row in rows]
    # Drawn anew for every two neighbours and every two people.
    coins = [drawn(seed, "arms", keys[at - at % 2])[0] % 2 for at in range(len(keys))]
    turns = {}
    for who, name in enumerate(people):
        swapped = (drawn(seed, "person", people[who - who % 2])[0] + who) % 2
        first = [(at + coins[at] + swapped) % 2 for at in range(len(keys))]
        lots = [drawn(seed, "order", name, key) for key in keys]
        order = sorted(range(len(keys)), key=lots.__getitem__)
        once = [(at, arms[first[at]]) for at in order]
        if design == "unaided-first":
            once = [(at, arm) for at in order for arm in arms]
        elif design == "crossover":
            again = [drawn(seed, "again", name, key) for key in keys]
            part = math.ceil(len(order) / PARTS)
            for start in range(0, len(order), part):
                some = sorted(order[start : start + part], key=again.__getitem__)
                once += [(at, arms[1 - first[at]]) for at in some]
        turns[name] = once
    return turns


def read_study(connection: Connection) -> StudyPlan | None:
    """The plan of the session's study. Raises SessionError if it is not as it was frozen."""
    query = select(facts.c.key, facts.c.value).where(facts.c.key.in_((STUDY_FACT, HASH)))
    stored = {row.key: row.value for row in connection.execute(query)}
    if not stored:
        return None
    text = stored.get(STUDY_FACT)
    if not isinstance(text, str) or text_hash(text) != stored.get(HASH):
        raise SessionError(CHANGED)
    return parsed(text)


def study_of(session: Session) -> StudyPlan | None:
    with session.database.reading() as connection:
        return read_study(connection)


@lru_cache(maxsize=2)
def parsed(text: str) -> StudyPlan:
    """Raises SessionError if the text is no plan, whoever wrote it."""
    try:
        if len(text) > MAX_TEXT:
            raise ValueError
        values: Any = json.loads(text)
        words = [values["frozen_at"], *(word for pair in values["models"] for word in pair)]
        if not have_type(str, *values["people"], *words):
            raise ValueError
        people = checked_plan(SharePlan(people=tuple(values["people"]), seed=values["seed"])).people
        answers = {str(key): (verdict, float(p)) for key, verdict, p in values["candidates"]}
        keys = list(answers)
        turns = {name: _turns(values["turns"][name], keys) for name in people}
        is_sound = (
            values["format"] == FORMAT
            and values["design"] in DESIGNS
            and values["aided"] in ARMS[1:]
            and type(values["retire_after"]) is int
            and all(len(each.encode()) <= MAX_WORD for each in words)  # and no half of a letter
            and len(keys) == len(values["candidates"]) <= MAX_CANDIDATES
            and all(v in ("YES", "NO") and 0.0 <= p <= 1.0 for v, p in answers.values())
            and len(people) <= MAX_PEOPLE
        )
        if not is_sound:
            raise ValueError
        return StudyPlan(
            **{name: values[name] for name in ("design", "aided", "seed", "retire_after")},
            frozen_at=values["frozen_at"],
            models=tuple((name, sha256) for name, sha256 in values["models"]),
            people=people,
            answers=answers,
            turns=turns,
            text=text,
        )
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, SessionError) as error:
        raise SessionError(CHANGED) from error


def _turns(given: Any, keys: Sequence[str]) -> tuple[Turn, ...]:
    found, seen = [], Counter[int]()
    for at, arm in given:
        if arm not in ARMS or not 0 <= at < len(keys) or seen[at] > 1:
            raise ValueError
        found.append(Turn(keys[at], arm, 2 if seen[at] else 1))
        seen[at] += 1
    return tuple(found)


def numbers_by_key(session: Session) -> dict[str, int]:
    """Ids of the session's candidates by their keys."""
    rows = session.database.rows(select(*IN_LOTS))
    return {_key(row): row.id for row in reversed(rows)}


def turns_left(
    session: Session, plan: StudyPlan, numbers: Mapping[str, int], reviewer: str = ""
) -> list[Turn]:
    """What a person, by default this session's reviewer, has still to judge, next one first."""
    reviewer = reviewer or session.reviewer
    with session.database.reading() as connection:
        who = verdict_log.find_reviewer(connection, reviewer)
        judged = select(judgements.c.candidate_id).where(judgements.c.verdict.is_not(None))
        first = set(connection.execute(judged.where(judgements.c.reviewer_id == who)).scalars())
        again = select(repeats.c.candidate_id).where(~repeats.c.withdrawn)
        second = set(connection.execute(again.where(repeats.c.reviewer_id == who)).scalars())
        retired = _retired(connection, plan)
    return [
        turn
        for turn in plan.turns.get(reviewer, ())
        if (at := numbers.get(turn.key)) is not None
        and at not in (first if turn.reading == 1 else second)
        and at not in retired
    ]


def readings_left(session: Session, plan: StudyPlan) -> dict[str, tuple[int, int]]:
    """How many readings each person has still to give, of how many."""
    numbers = numbers_by_key(session)
    return {
        name: (len(turns_left(session, plan, numbers, name)), len(turns))
        for name, turns in plan.turns.items()
    }


def _retired(connection: Connection, plan: StudyPlan) -> set[int]:
    """Candidates on which so many people agree that the plan asks nobody else."""
    if not plan.retire_after:
        return set()
    query = (
        select(judgements.c.candidate_id)
        .join(reviewers, reviewers.c.id == judgements.c.reviewer_id)
        .where(judgements.c.verdict.in_(("ACCEPT", "REJECT")), reviewers.c.name.in_(plan.people))
        .group_by(judgements.c.candidate_id, judgements.c.verdict)
        .having(func.count() >= plan.retire_after)
    )
    return set(connection.execute(query).scalars())


def merge_study(target: Connection, source: Connection, *, is_copy: bool) -> None:
    """Take over the plan of a copy that has one; raises SessionError where two plans meet."""
    here, there = read_study(target), read_study(source)
    if there is not None and here is None and is_copy:
        write_facts(target, {STUDY_FACT: there.text, HASH: there.sha256, BLIND: "yes"})
    elif here is not None and (there is None or there.sha256 != here.sha256):
        other = "no study" if there is None else f"the plan {there.sha256[:12]}"
        raise SessionError(
            f"this session follows the study plan {here.sha256[:12]} and the other one {other}: "
            "merge only copies of one study"
        )
