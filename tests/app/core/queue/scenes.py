"""Sessions full of everything a filter can ask for, beside what plain Python knows of them."""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from sqlalchemy import insert

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates, inspections, lists
from app.core.queue import filters
from app.core.queue.filters import Filter
from app.core.queue.sorts import SORT_KEYS, Sort
from app.core.session import verdict_log
from app.core.session.records import Opinion, Verdict
from app.core.session.session import Session, new_session

ADA, BEN = "Ada", "Ben"
SHA = "ab" * 32
WORDS = ("binary", "Binary?", "50% of 'it'", "a_b", 'say "no"', "星", "x\\y", "")


@dataclass
class Known:
    """A candidate as Python knows it."""

    id: int
    columns: dict[str, Any]
    own: dict[str, Any]
    said: dict[str, Opinion] = field(default_factory=dict)
    agents: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    """Of each model: verdict and how it stopped."""

    def verdict(self, who: str) -> Verdict | None:
        return self.said[who].verdict if who in self.said else None

    @property
    def verdicts(self) -> set[Verdict]:
        return {each.verdict for each in self.said.values() if each.verdict is not None}


@dataclass
class Scene:
    session: Session
    known: list[Known] = field(repr=False)

    def of(self, tree: Filter, me: str = ADA) -> list[Known]:
        return [each for each in self.known if holds(tree, each, me)]

    def numbers(self, tree: Filter, sort: Sort, me: str = ADA) -> list[int]:
        return [each.id for each in ordered(self.of(tree, me), sort)]


def scene(location: Path | str, count: int = 150, seed: int = 1) -> Scene:
    draw = random.Random(seed)
    known = [_known(draw, number) for number in range(1, count + 1)]
    session = new_session(location, find_task("CV"), ADA)
    with session.database.writing() as connection:
        for number in (1, 2):
            connection.execute(insert(lists).values(LIST | {"id": number}))
        rows = [{**each.columns, "own": json.dumps(each.own)} for each in known]
        connection.execute(insert(candidates), rows)
        for who in (ADA, BEN):
            me = verdict_log.reviewer_id(connection, who)
            for each in known:
                if who in each.said:
                    verdict_log.record(connection, each.id, me, each.said[who])
        connection.execute(insert(inspections), [row for each in known for row in _inspected(each)])
    return Scene(session, known)


LIST = {
    "name": "list.csv", "path": "/list.csv", "sha256": "ab", "format": "csv", "rows_read": 1,
    "rows_used": 1, "roles": "{}", "columns": "[]", "imported_at": "",
}  # fmt: skip


def _known(draw: random.Random, number: int) -> Known:
    own: dict[str, Any] = {"mag r": round(draw.uniform(14, 20), 1)}
    own |= draw.choice([{}, {"class": draw.choice(["STAR", "star", "Galaxy", "17", 17, None])}])
    own |= {"seen": draw.random() < 0.5, 'odd "na.me': draw.choice(WORDS)}
    agents = {
        model: draw.choice([("YES", "answer"), ("NO", "answer"), (None, "length"), (None, "error")])
        for model in ("nano", "large")
        if draw.random() < 0.6
    }
    verdict, stopped_by = agents.get("nano", (None, ""))
    p_yes = None if verdict is None else round(draw.random(), 2)
    said = {who: _opinion(draw) for who in (ADA, BEN) if draw.random() < 0.5}
    columns = {
        "id": number,
        "list_id": 1 if number % 3 else 2,
        "line": number,
        "object_id": draw.choice([f"J{number:06d}", f"obs {number}", "J0001", "j0001x", "星"]),
        "path": "" if draw.random() < 0.1 else f"/spectra/{number}.fits",
        "row": number if draw.random() < 0.5 else 39_627_000_000_000 + number,
        "ra": None if draw.random() < 0.1 else draw.uniform(0, 360),
        "dec": None if draw.random() < 0.1 else draw.uniform(-90, 90),
        "score": draw.choice([None, 0.0, -1.5, 0.5, 0.5, 20.0]),
        "label": draw.choice(["", "CV", "dwarf nova"]),
        "snr": draw.choice([None, draw.lognormvariate(2, 1)]),
        "fault": draw.choice(["", "", "", "no such file"]),
        "agent_verdict": verdict,
        "agent_p_yes": p_yes,
        # Not of the generator that draws the rest, which stays as it was.
        "p_combined": None if p_yes is None or number % 3 == 0 else (7 * number % 100) / 100,
        "agent_model": "nano" if "nano" in agents else "",
        "agent_stopped_by": stopped_by,
        "surprise": draw.choice([None, draw.random()]),
        "agents_differ": {said for said, _ in agents.values()} >= {"YES", "NO"},
        "agent_members": "nano NO, large YES" if number % 7 == 0 else "",
    }
    return Known(number, columns, own, said, agents)


def _opinion(draw: random.Random) -> Opinion:
    return Opinion(
        verdict=draw.choice([*Verdict, None]),
        confidence=draw.choice([None, 0, 2, 4]),
        flags=tuple(draw.sample(["star", "blend", 'a "flag"'], draw.choice([0, 0, 1, 2]))),
        comment=draw.choice(WORDS),
    )


def _inspected(each: Known) -> list[dict[str, Any]]:
    return [
        {
            "candidate_id": each.id, "model": model, "model_sha256": SHA,
            "at": "2026-01-01T00:00:00+00:00", "verdict": verdict, "p_yes": None,
            "stopped_by": stopped_by, "well_formed": True, "record": "{}",
        }
        for model, (verdict, stopped_by) in each.agents.items()
    ]  # fmt: skip


def holds(tree: Filter, known: Known, me: str) -> bool:
    """What a filter means, said once more without a database."""
    mine = known.said.get(me)
    match tree:
        case filters.Everything():
            return True
        case filters.And():
            return all(holds(term, known, me) for term in tree.terms)
        case filters.Or():
            return any(holds(term, known, me) for term in tree.terms)
        case filters.Not():
            return not holds(tree.term, known, me)
        case filters.MyVerdict():
            return known.verdict(me) == tree.verdict
        case filters.AnyVerdict(None):
            return not known.verdicts
        case filters.AnyVerdict():
            return tree.verdict in known.verdicts
        case filters.AgentVerdict():
            return _answer(known) == tree.answer
        case filters.Number("confidence"):
            return _compared(None if mine is None else mine.confidence, tree.compare, tree.value)
        case filters.Number():
            name = "agent_p_yes" if tree.field == "p_yes" else tree.field
            return _compared(known.columns[name], tree.compare, tree.value)
        case filters.Words("comment"):
            return any(_said(each.comment, tree) for each in known.said.values() if each.comment)
        case filters.Words():
            return _said(known.columns["object_id" if tree.field == "object" else tree.field], tree)
        case filters.OwnColumnFilter():
            return tree.column in known.own and _own(known.own[tree.column], tree)
        case filters.Flag():
            return mine is not None and tree.name in mine.flags
        case filters.Anywhere():
            texts = [known.columns["object_id"], *map(_text, known.own.values())]
            texts += [each.comment for each in known.said.values()]
            return any(tree.text.lower() in text.lower() for text in texts)
        case filters.Disagree("agent"):
            against = {Verdict.ACCEPT: "NO", Verdict.REJECT: "YES"}.get(known.verdict(me))
            return against is not None and known.columns["agent_verdict"] == against
        case filters.Disagree("agents"):
            return {said for said, _ in known.agents.values()} >= {"YES", "NO"}
        case filters.Disagree("members"):
            return bool(known.columns["agent_members"])
        case filters.Disagree("people"):
            return len(known.verdicts) > 1
        case filters.Has("comment"):
            return any(each.comment for each in known.said.values())
        case filters.Has("flag"):
            return mine is not None and bool(mine.flags)
        case filters.Has():
            return known.columns[tree.thing] != ""
        case filters.InList():
            return known.columns["list_id"] == tree.number
        case filters.InspectedBy():
            stopped_by = known.agents.get(tree.model, (None, "error"))[1]
            return stopped_by != "error" and tree.sha256 in (None, SHA)
    raise AssertionError(tree)


def _answer(known: Known) -> str:
    verdict = known.columns["agent_verdict"]
    if verdict is not None:
        return verdict.lower()
    return "undecided" if known.columns["agent_stopped_by"] else "unseen"


def _compared(value: float | None, compare: str, with_value: float) -> bool:
    if value is None:
        return False
    return {
        "=": value == with_value, "<": value < with_value, ">": value > with_value,
        "<=": value <= with_value, ">=": value >= with_value,
    }[compare]  # fmt: skip


def _said(text: str, tree: filters.Words) -> bool:
    return text == tree.text if tree.compare == "=" else tree.text.lower() in text.lower()


def _own(value: Any, tree: filters.OwnColumnFilter) -> bool:
    text = _text(value)
    if tree.compare == "contains":
        return tree.text.lower() in text.lower()
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    number = tree.number
    is_so = is_number and number is not None and _compared(value, tree.compare, number)
    return is_so or (
        tree.compare == "=" and value is not None and text.lower() == tree.text.lower()
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def ordered(known: list[Known], sort: Sort) -> list[Known]:
    """Unknown last, ties in list order; names that fall are read from the end."""
    if sort.key == "list":
        return sorted(known, key=lambda each: each.id, reverse=sort.descending)
    if sort.key == "object":
        by_name = sorted(known, key=lambda each: (each.columns["object_id"].lower(), each.id))
        return by_name[::-1] if sort.descending else by_name
    sign = -1 if sort.descending else 1

    def key(each: Known) -> tuple[float, int]:
        value = _value(each, sort)
        return (1e300 if value is None else sign * value, each.id)

    return sorted(known, key=key)


def _value(known: Known, sort: Sort) -> float | None:
    p_yes = known.columns["agent_p_yes"]
    if sort.key == "uncertain":
        opposed = 1.0 if known.columns["agent_members"] else 0.0
        return None if p_yes is None else 0.5 - abs(p_yes - 0.5) + opposed
    if sort.key == "disagreeing":
        differ = known.columns["agents_differ"]
        if p_yes is None:
            return 1.5 if differ else None
        return 0.5 - abs(p_yes - 0.5) + (1.0 if differ else 0.0)
    name = {"p_yes": "agent_p_yes", "surprising": "surprise"}.get(sort.key, sort.key)
    value: float | None = known.columns[name]
    return value


# Filters of every kind, for hypothesis to draw from.
TEXTS = st.sampled_from(
    [
        *("binary", "BIN", "50%", "%", "_", "a_b", "'", '"', "'; DROP TABLE candidates; --"),
        *("\\", "星", "J0001", "j0001", "17", "17.0", "true", "star", "/", "no such file", "x y"),
    ]
)
COLUMNS = st.sampled_from(["mag r", "class", "seen", 'odd "na.me', "none of these", "$.x", "'"])
VERDICTS = st.sampled_from([*Verdict, None])
ORDERED = st.sampled_from(["=", "<", ">", "<=", ">="])
VALUES = st.sampled_from([0.0, 0.5, 0.25, -1.5, 17.0, 100.0, 1e300, -1e300, 3.0])
SHAS = st.sampled_from([None, SHA, "cd" * 32, ""])
LEAVES = st.one_of(
    st.just(filters.EVERYTHING),
    st.builds(filters.MyVerdict, VERDICTS),
    st.builds(filters.AnyVerdict, VERDICTS),
    st.builds(filters.AgentVerdict, st.sampled_from(filters.ANSWERS)),
    st.builds(filters.Number, st.sampled_from(filters.NUMBER_FIELDS), ORDERED, VALUES),
    st.builds(
        filters.Words,
        st.sampled_from(filters.TEXT_FIELDS),
        st.sampled_from(["=", "contains"]),
        TEXTS,
    ),
    st.builds(filters.OwnColumnFilter, COLUMNS, st.sampled_from(["=", "contains"]), TEXTS),
    st.builds(filters.OwnColumnFilter, COLUMNS, ORDERED, st.sampled_from(["17", "16.5", "-1e5"])),
    st.builds(filters.Flag, st.sampled_from(["star", 'a "flag"', "none"])),
    st.builds(filters.Anywhere, TEXTS),
    st.builds(filters.Disagree, st.sampled_from(filters.BETWEEN)),
    st.builds(filters.Has, st.sampled_from(filters.THINGS)),
    st.builds(filters.InList, st.sampled_from([1, 2, 3])),
    st.builds(filters.InspectedBy, st.sampled_from(["nano", "other"]), SHAS),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(filters.Not, inner),
        st.builds(filters.And, st.lists(inner, min_size=2, max_size=4).map(tuple)),
        st.builds(filters.Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)
SORTS = st.builds(
    Sort, st.sampled_from([key for key in SORT_KEYS if key != "random"]), st.booleans()
)
