"""The readings of a study as arrays: of a session, or simulated."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from agent.spectra.spectrum import FloatArray
from app.core.database.tables import candidates, json_object, log, repeats
from app.core.session.known_answers import read_known_answers
from app.core.session.records import Verdict
from app.core.session.session import Session
from app.core.session.verdict_log import find_reviewer
from app.core.sharing.study_plan import ARMS, Design, StudyPlan, Turn, numbers_by_key

Codes = NDArray[np.int64]

RIGHT, WRONG, UNDECIDED = 0, 1, 2
ACCEPT, REJECT, UNSURE = VERDICTS = tuple(Verdict)
BREAK_MIN = 30.0  # a longer pause begins another sitting


@dataclass(frozen=True, kw_only=True, eq=False)
class Readings:
    """One element of each array a reading, in the order of time; below that, one a candidate."""

    design: Design
    people: tuple[str, ...]
    person: Codes
    candidate: Codes
    arm: Codes  # index in ARMS
    verdict: Codes  # index in VERDICTS
    seconds: FloatArray
    minute: FloatArray  # since the sitting began

    is_member: FloatArray  # 1 or 0 where the answer is known, else NaN
    agent_yes: FloatArray  # 1 or 0
    p_yes: FloatArray
    snr: FloatArray
    class_name: tuple[str, ...]

    deviating: Mapping[str, int]
    """Readings that did not go by the plan, by the reason; they are in none of the arrays."""

    @cached_property
    def result(self) -> FloatArray:
        """RIGHT, WRONG or UNDECIDED of each reading; NaN where the answer is not known."""
        member = self.is_member[self.candidate]
        said = np.where(self.verdict == VERDICTS.index(ACCEPT), 1.0, 0.0)
        found = np.where(said == member, float(RIGHT), float(WRONG))
        found[self.verdict == VERDICTS.index(UNSURE)] = UNDECIDED
        found[np.isnan(member)] = np.nan
        return found

    @cached_property
    def agent_wrong(self) -> FloatArray:
        """1 where the agent is wrong about the candidate, 0 where right, NaN if not known."""
        off = np.not_equal(self.agent_yes, self.is_member).astype(np.float64)
        return np.where(np.isnan(self.is_member), np.nan, off)

    def pairs(self) -> tuple[Codes, Codes]:
        """Indices of the readings without and with the agent by one person of one candidate."""
        aided = self.arm != ARMS.index("unaided")
        key = self.candidate * len(self.people) + self.person
        own, other = np.flatnonzero(~aided), np.flatnonzero(aided)
        _, first, second = np.intersect1d(key[own], key[other], return_indices=True)
        return own[first], other[second]


class _Given(NamedTuple):
    verdict: str
    seconds: float
    at: str
    shown: Mapping[str, Any]


def readings_of(session: Session, plan: StudyPlan) -> Readings:
    """The readings that stand, without those that deviate from the plan."""
    numbered = numbers_by_key(session)
    place = {key: at for at, key in enumerate(plan.answers)}
    with session.database.reading() as connection:
        numbers = {name: find_reviewer(connection, name) for name in plan.people}
        people = {number: name for name, number in numbers.items() if number is not None}
        first = _first_readings(connection, list(people))
        again = select(repeats).where(repeats.c.reviewer_id.in_(people), ~repeats.c.withdrawn)
        rows = connection.execute(again.order_by(repeats.c.id))
        second = {(row.reviewer_id, row.candidate_id): _given(row) for row in rows}
        answers = read_known_answers(connection)
        rows = connection.execute(select(candidates.c.id, candidates.c.snr))
        signal = {row.id: row.snr for row in rows}
    found, deviating = [], Counter[str]()
    for reviewer, name in people.items():
        for turn in plan.turns[name]:
            number = numbered.get(turn.key, 0)
            given = (first if turn.reading == 1 else second).get((reviewer, number))
            if given is None:
                continue
            if reason := _deviation(turn, given, plan):
                deviating[reason] += 1
            else:
                found.append((given.at, plan.people.index(name), place[turn.key], turn, given))
    found.sort(key=lambda each: each[:3])
    columns = [
        (who, where, ARMS.index(turn.arm), VERDICTS.index(Verdict(given.verdict)))
        for _, who, where, turn, given in found
    ]
    person, candidate, arm, verdict = np.array(columns, np.int64).reshape(-1, 4).T
    ids = [numbered.get(key, 0) for key in plan.answers]
    known = [answers.get(number) for number in ids]
    # None becomes NaN.
    return Readings(
        design=plan.design,
        people=plan.people,
        person=person,
        candidate=candidate,
        arm=arm,
        verdict=verdict,
        seconds=np.array([given.seconds for *_, given in found], dtype=np.float64),
        minute=_minutes([at for at, *_ in found], person),
        is_member=np.array([each and each.is_member for each in known], dtype=np.float64),
        agent_yes=np.array([said == "YES" for said, _ in plan.answers.values()], dtype=np.float64),
        p_yes=np.array([p_yes for _, p_yes in plan.answers.values()], dtype=np.float64),
        snr=np.array([signal.get(number) for number in ids], dtype=np.float64),
        class_name=tuple("" if each is None else each.class_name for each in known),
        deviating=dict(deviating),
    )


def _first_readings(connection: Any, people: Sequence[int]) -> dict[tuple[int, int], _Given]:
    """By reviewer and candidate: the first verdict that was not undone. What came later, such as a
    comment or another verdict once the study was over, is no reading."""
    lines = select(log).where(log.c.reviewer_id.in_(people)).order_by(log.c.id)
    given: dict[tuple[int, int], dict[int, Any]] = defaultdict(dict)
    undone = set()
    for row in connection.execute(lines):
        if row.action == "undo":
            undone.add(row.target_id)
        elif row.action == "redo":
            undone.discard(row.target_id)
        elif row.verdict is not None:
            given[row.reviewer_id, row.candidate_id][row.id] = row
    stands = {
        key: next((row for number, row in rows.items() if number not in undone), None)
        for key, rows in given.items()
    }
    return {key: _given(row) for key, row in stands.items() if row is not None}


def _given(row: Any) -> _Given:
    # A stranger's may be any, and overflow where they are added.
    is_number = isinstance(row.seconds, float | int) and 1e-3 <= row.seconds <= 1e9
    seconds = float(row.seconds) if is_number else math.nan
    return _Given(row.verdict, seconds, str(row.at), json_object(row.shown))


def _deviation(turn: Turn, given: _Given, plan: StudyPlan) -> str:
    """Why a reading is not one of the plan; empty if it is."""
    if turn.arm == "unaided":
        return "the agent's answer had been seen" if given.shown else ""
    if given.shown.get("verdict") != plan.answers[turn.key][0]:
        return "not the answer of the plan was shown"
    is_whole = "p_yes" in given.shown
    return "" if is_whole == (turn.arm == "advice") else "more or less was shown than planned"


def _minutes(at: Sequence[str], person: Codes) -> FloatArray:
    """Minutes since each person's sitting began; NaN where a clock says nothing."""
    found = np.full(len(at), np.nan)
    began: dict[int, tuple[float, float]] = {}  # of each person: the sitting, the last reading
    for index, (moment, who) in enumerate(zip(map(_minute, at), person.tolist(), strict=True)):
        if math.isnan(moment):
            continue
        start, last = began.get(who, (moment, moment))
        start = moment if moment - last > BREAK_MIN else start
        began[who] = start, moment
        found[index] = moment - start
    return found


def _minute(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp() / 60.0
    except (ValueError, OverflowError, OSError):  # the last where Windows knows no such year
        return math.nan
