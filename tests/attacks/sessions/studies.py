"""A study that a stranger sent: its plan, whose hash fits, its readings, or both are spoilt."""

import json
import random
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select, update

from agent.errors import WorkbenchError
from agent.hashing import text_hash
from app.core.database.tables import facts, log, repeats
from app.core.inspections.store import add_inspection
from app.core.session.assignments import STUDY_FACT
from app.core.session.records import Opinion, Verdict
from app.core.session.session import Session, open_session
from app.core.sharing.merge import merge
from app.core.sharing.study_plan import (
    HASH,
    new_study,
    numbers_by_key,
    readings_left,
    study_of,
    turns_left,
)
from app.core.statistics.repeats import record_repeat
from app.core.study.report import report_parts, study_csv, study_page, value_text
from tests.app.core.inspected import said
from tests.app.core.sessions import made

NAME, EARLY = "study.speco3", "early.speco3"
PEOPLE = ("Ada", "Ben", "Cleo")
COUNT = 6
DESIGNS = ("split", "crossover", "unaided-first")
WORDS = (
    *("", "Ada", "x" * 100_000, "\ud800", "\u202e\0\x1b[2J", "<img src=x>", "=1+1", "nan", "split"),
    *("0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59-23:59", "2038-01-19T03:14:08"),
)
NUMBERS = (0, -1, 1, 0.5, 7, 2**53, -(2**70), 10**400, float("nan"), float("inf"), 1e308, True)
MOMENTS = (
    *WORDS,
    *("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "1901-12-13T20:45:51+00:00"),
)
SHOWN = ('{"verdict": []}', '{"verdict": "YES"}', "[]", "[" * 100_000, "null", '{"p_yes": 1e999}')


def make(folder: Path) -> None:
    """A session before its study, and with a part of each person's readings."""
    with made(folder / NAME, COUNT, "Lead") as session:
        for number in range(1, COUNT + 1):
            record = said("YES" if number % 2 else "NO", number / 7, number=number)
            add_inspection(session, number, record)
        session.database.copy_to(folder / EARLY)


def judge(session: Session, most: int) -> None:
    """The next readings of a person, as the plan wants them."""
    plan, numbers = study_of(session), numbers_by_key(session)
    assert plan is not None
    for _ in range(most):
        if not (left := turns_left(session, plan, numbers)):
            return
        verdict, p_yes = plan.answers[left[0].key]
        shown = {} if left[0].arm == "unaided" else {"verdict": verdict, "p_yes": p_yes}
        number = numbers[left[0].key]
        opinion = Opinion(verdict=list(Verdict)[number % 3])
        if left[0].reading == 1:
            session.record_verdict(number, opinion, seconds=5.0, shown=shown)
        else:
            record_repeat(session, number, opinion, seconds=4.0, shown=shown)


def attack(seed: int, scene: str, home: str) -> dict[str, Any]:
    """Spoil a copy, then read, report and merge it; what was said where it was refused."""
    chance = random.Random(seed)
    here = Path(home)
    here.mkdir()
    for name in (NAME, EARLY):
        (here / name).write_bytes((Path(scene) / name).read_bytes())
    with open_session(here / NAME, "Lead") as session:
        new_study(session, PEOPLE, chance.choice(DESIGNS), seed=seed)  # type: ignore[arg-type]
    for name in PEOPLE:
        with open_session(here / NAME, name) as session:
            judge(session, chance.randrange(2 * COUNT))
    spoilt = chance.choice([_plan, _plan, _plan, _text, _readings])
    with open_session(here / NAME, "Ada") as session:
        what = spoilt(session, chance)
        told = [_tried(each, session, here) for each in (_followed, _reported, _merged)]
    return {"what": what[:300], "told": told}


def _tried(work: Any, session: Session, here: Path) -> str:
    try:
        work(session, here)
    except WorkbenchError as error:
        text = str(error)
        assert text and "\n" not in text and len(text) < 2000, text[:3000]
        text.encode()
        return text
    return ""


def _followed(session: Session, _here: Path) -> None:
    plan = study_of(session)
    assert plan is not None
    readings_left(session, plan)
    for turns in plan.turns.values():
        assert len(turns) == len({(turn.key, turn.reading) for turn in turns}), "asked once more"
    judge(session, 3)


def _reported(session: Session, _here: Path) -> None:
    for language in ("en", "zh"):
        plan, parts = report_parts(session, language)
        words = [value_text(value) for part in parts for row in part.rows for value in row]
        words += [sentence for part in parts for sentence in part.sentences]
        page = study_page(session.name, plan, parts, language)
        "".join((*words, study_csv(parts), page)).encode()
        assert sum(map(len, words)) < 50_000
        assert plan.people


def _merged(session: Session, here: Path) -> None:
    with open_session(here / EARLY, "Lead") as early:
        merge(early, session)
        assert study_of(early) == study_of(session)
        merge(session, early)


def _plan(session: Session, chance: random.Random) -> str:
    """One to three values of the plan are others."""
    values = json.loads(str(session.fact(STUDY_FACT)))
    what = [changed(values, chance) for _ in range(chance.choice([1, 1, 2, 3]))]
    _write(session, json.dumps(values))
    return "plan: " + "; ".join(what)


def changed(values: Any, chance: random.Random) -> str:
    node, path = values, ""
    while True:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        if not keys:
            return path
        key = chance.choice(keys)
        path += f"/{key!s:.40}"
        if isinstance(node[key], dict | list) and chance.random() < 0.7:
            node = node[key]
            continue
        break
    match chance.randrange(5):
        case 0:
            del node[key]
        case 1 if isinstance(node, list):
            node.extend([node[key]] * chance.choice([1, 100]))
        case 2 if isinstance(node[key], dict):
            node[key] |= {chance.choice(WORDS): chance.choice(NUMBERS)}
        case _:
            node[key] = chance.choice([None, [], {}, *WORDS, *NUMBERS, *NUMBERS, list(PEOPLE * 30)])
    return path


def _text(session: Session, chance: random.Random) -> str:
    """The text is cut or has other letters; in half of the cases its hash fits."""
    text = str(session.fact(STUDY_FACT))
    at = chance.randrange(len(text))
    rest = chance.choice(["", text[at + 1 :], "[" * 100_000, "\ud800"[:0] + '"' + text[at:], text])
    _write(session, text[:at] + rest, fits=chance.random() < 0.5)
    return f"text: at {at}"


def _write(session: Session, text: str, *, fits: bool = True) -> None:
    with session.database.writing() as connection:
        session.write_fact(connection, STUDY_FACT, text)
        if fits:
            session.write_fact(connection, HASH, text_hash(text))


def _readings(session: Session, chance: random.Random) -> str:
    """Moments, seconds and what is said to have been shown; or facts that belong to nothing."""
    table = chance.choice([log, repeats])
    column, values = chance.choice(
        [("at", MOMENTS), ("shown", SHOWN), ("seconds", (-1.0, 1e308, 1e-320, float("inf"), 0.0))]
    )
    usable = [each for each in values if not isinstance(each, str) or "\ud800" not in each]
    with session.database.writing() as connection:
        for number in connection.execute(select(table.c.id)).scalars().all():
            if chance.random() < 0.5:
                new = {column: chance.choice(usable)}
                connection.execute(update(table).where(table.c.id == number).values(new))
        if chance.random() < 0.1:
            connection.execute(insert(facts).values(key="study_x", value="{}"))
    return f"readings: {table.name}.{column}"
