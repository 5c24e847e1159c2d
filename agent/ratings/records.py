"""Ratings of trajectories and choices between two, by people and by models."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar, get_args

from agent.checked_toml import printable, shown
from agent.errors import WorkbenchError
from agent.hashing import text_hash
from agent.ratings.rubric import HIGHEST, LOWEST, SCORES, Score
from agent.trajectory.trajectory import Trajectory

Preferred = Literal["first", "second", "tie"]
Side = Literal["first", "second"]

MAX_NAME, MAX_NOTE = 200, 4000
# As they stand in files: a line is written today as it was by the first version.
RATING_ORDER = ("subject", "by", "by_model", "coherence", "consistency", "overall", "note", "at")
CHOICE_ORDER = ("first", "second", "preferred", "left", "by", "by_model", "note", "at")


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What was rated: a trajectory, and what the figures need to know of it."""

    trajectory: str
    spectrum: str = ""  # hash of the spectrum
    task: str = ""
    model: str = ""  # The model that inspected; raters do not see it.
    model_sha256: str = ""


@dataclass(frozen=True, kw_only=True)
class Record:
    """What somebody says of an inspection, or of two: who, when and in which words."""

    by: str
    note: str = ""
    at: str = ""


@dataclass(frozen=True, kw_only=True)
class ScoredRecord(Record):
    """With scores from 0 to 5 where they were given; their meaning is that of the rubric."""

    coherence: int | None = None
    consistency: int | None = None

    @property
    def total(self) -> int | None:
        """Sum of both scores."""
        if self.coherence is None or self.consistency is None:
            return None
        return self.coherence + self.consistency


@dataclass(frozen=True, kw_only=True)
class Rating(ScoredRecord):
    """The scores of one rater, who is a person unless `by_model`."""

    subject: Subject
    by_model: bool = False
    overall: int | None = None

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores that were given."""
        every = (self.coherence, self.consistency, self.overall)
        return tuple(score for score in every if score is not None)

    @property
    def lowest(self) -> int:
        return min(self.scores)


@dataclass(frozen=True, kw_only=True)
class Choice(Record):
    """Which of two trajectories of one spectrum was better; `left` was shown on the left."""

    first: Subject
    second: Subject
    preferred: Preferred
    left: Side
    by_model: bool = False


def trajectory_id(trajectory: Trajectory) -> str:
    """Hash of the spectrum, the task and the agent's turns; a pool of drafts uses it, too."""
    text = "\x1e".join((trajectory.spectrum.sha256, trajectory.task, *trajectory.replies))
    return text_hash(text)[:16]


def subject_of(trajectory: Trajectory) -> Subject:
    return Subject(
        trajectory=trajectory_id(trajectory), spectrum=trajectory.spectrum.sha256,
        task=trajectory.task, model=printable(trajectory.model.name, MAX_NAME),
        model_sha256=trajectory.model.sha256,
    )  # fmt: skip


def timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def to_json(record: Rating | Choice) -> dict[str, Any]:
    """An object for `json.dumps`, without what is empty; `record_from` returns an equal record.

    Raises WorkbenchError for one that it would refuse: the file could not be read any more.
    """
    is_rating = isinstance(record, Rating)
    order = RATING_ORDER if is_rating else CHOICE_ORDER
    table = {"kind": "rating" if is_rating else "choice", **written(record, order)}
    record_from(table)
    return table


def record_from(table: object) -> Rating | Choice:
    """The record in a JSON object; raises WorkbenchError if it is not a valid one."""
    if not isinstance(table, dict):
        raise WorkbenchError("a rating should be an object")
    kind = table.get("kind")
    if kind not in ("rating", "choice"):
        raise WorkbenchError('kind should be "rating" or "choice"')
    values = {name: value for name, value in table.items() if name != "kind"}
    refuse_unknown(values, Rating if kind == "rating" else Choice)
    if kind == "rating":
        scores = scores_in(values, SCORES)
        if scores["overall"] is None and None in (scores["coherence"], scores["consistency"]):
            raise WorkbenchError("a rating has coherence and consistency, or overall")
        return Rating(subject=_subject(values, "subject"), **scores, **_given_by(values))
    first, second = _subject(values, "first"), _subject(values, "second")
    if first.trajectory == second.trajectory:
        raise WorkbenchError("first and second should be different trajectories")
    return Choice(
        first=first, second=second, preferred=_one_of(values, "preferred", get_args(Preferred)),
        left=_one_of(values, "left", get_args(Side)), **_given_by(values),
    )  # fmt: skip


def _given_by(table: Mapping[str, Any]) -> dict[str, Any]:
    by_model = table.get("by_model", False)
    if not isinstance(by_model, bool):
        raise WorkbenchError("by_model should be true or false")
    return {"by_model": by_model, **said_in(table, MAX_NAME)}


def _subject(table: Mapping[str, Any], name: str) -> Subject:
    value = table.get(name)
    if not isinstance(value, dict):
        raise WorkbenchError(f"{name} should be an object")
    refuse_unknown(value, Subject)
    return Subject(
        trajectory=text_in(value, "trajectory", 64, needed=True),
        spectrum=text_in(value, "spectrum", 64), task=text_in(value, "task", 80),
        model=text_in(value, "model", MAX_NAME), model_sha256=text_in(value, "model_sha256", 64),
    )  # fmt: skip


def said_in(table: Mapping[str, Any], longest_name: int) -> dict[str, Any]:
    """Who says it, when and in which words; raises WorkbenchError as the others below do."""
    return {
        "by": text_in(table, "by", longest_name, needed=True),
        "note": text_in(table, "note", MAX_NOTE),
        "at": text_in(table, "at", 40),
    }


def scores_in(table: Mapping[str, Any], names: Sequence[Score]) -> dict[str, Any]:
    return {name: _score(table, name) for name in names}


def refuse_unknown(table: Mapping[str, Any], kind: type[Any]) -> None:
    known = {each.name for each in fields(kind)}
    for name in table:
        if name not in known:
            raise WorkbenchError(f"a {kind.__name__.lower()} has no {shown(str(name))}")


def text_in(table: Mapping[str, Any], name: str, longest: int, *, needed: bool = False) -> str:
    value = table.get(name, "")
    if not isinstance(value, str) or len(value) > longest or (needed and not value.strip()):
        raise WorkbenchError(f"{name} should be a text of {int(needed)} to {longest} characters")
    return value


def written(record: Record, order: Sequence[str], always: Sequence[str] = ()) -> dict[str, Any]:
    """The fields of a record in this order, those that are empty only if wanted `always`."""
    table = asdict(record)
    told = _without_empty(table)
    return {name: told.get(name, table[name]) for name in order if name in (*told, *always)}


def _without_empty(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _without_empty(value) if isinstance(value, dict) else value
        for name, value in table.items()
        if value not in (None, "", (), []) and value is not False
    }


Value = TypeVar("Value")


def _one_of(table: Mapping[str, Any], name: str, options: tuple[Value, ...]) -> Value:
    value = table.get(name)
    if not isinstance(value, str) or value not in options:
        raise WorkbenchError(f"{name} should be one of {', '.join(map(str, options))}")
    return value


def _score(table: Mapping[str, Any], name: str) -> int | None:
    value = table.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not LOWEST <= value <= HIGHEST:
        raise WorkbenchError(f"{name} should be a whole number from {LOWEST} to {HIGHEST}")
    return value
