"""The judgement of one judge on one example, stored as a line of JSON."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from agent.errors import WorkbenchError, read_errors, write_errors
from agent.examples.examples import Example
from agent.json_lines import append_lines, read_lines
from agent.protocol.reply import Verdict
from agent.trajectory.trajectory import Trajectory

MAX_LINE = 100_000


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One judgement; a `verdict` of None means that no verdict could be read, and is wrong.

    Tokens and calls are 0 for judges that are not agents; tokens are -1 for engines that do not
    count them.
    """

    key: str
    task: str
    answer: Verdict  # the true answer
    label: str = ""
    survey: str = ""
    snr: float | None = None
    verdict: Verdict | None = None
    p_yes: float | None = None
    well_formed: bool = True
    calls: int = 0
    turns: int = 0
    tokens: int = 0  # generated tokens
    prompt_tokens: int = 0
    seconds: float = 0.0
    stopped_by: str = ""
    shown_answer: Verdict | None = None
    """The true answer for the spectrum in the pictures, where they show another one."""

    @property
    def is_right(self) -> bool:
        return self.verdict == self.answer


NAMES = {field.name for field in fields(Judgement)}


def tasks_with_members(judgements: Iterable[Judgement]) -> list[str]:
    """Tasks with a positive in the set, because F1 needs one."""
    has_member: dict[str, bool] = {}
    for one in judgements:
        has_member[one.task] = has_member.get(one.task, False) or one.answer == "YES"
    return [task for task, has in has_member.items() if has]


def from_trajectory(one: Example, trajectory: Trajectory) -> Judgement:
    return Judgement(
        **_about(one),
        verdict=trajectory.verdict,
        p_yes=trajectory.p_yes,
        well_formed=trajectory.well_formed,
        calls=sum(step.kind == "zoom" for step in trajectory.steps),
        turns=len(trajectory.replies),
        tokens=trajectory.tokens.generated,
        prompt_tokens=trajectory.tokens.prompt,
        seconds=round(trajectory.seconds, 4),
        stopped_by=trajectory.stopped_by,
    )


def from_probability(one: Example, p_yes: float, threshold: float, seconds: float) -> Judgement:
    """Judgement of a specialist network, which always answers."""
    verdict: Verdict = "YES" if p_yes >= threshold else "NO"
    return Judgement(**_about(one), verdict=verdict, p_yes=p_yes, seconds=round(seconds, 6))


def unreadable(one: Example, reason: str) -> Judgement:
    """Judgement of a spectrum that cannot be drawn: a wrong answer, not a missing row."""
    return Judgement(**_about(one), well_formed=False, stopped_by=f"error: {reason}"[:200])


def _about(one: Example) -> dict[str, Any]:
    return {
        "key": one.key,
        "task": one.task,
        "answer": one.answer,
        "label": one.label,
        "survey": one.spectrum.survey,
        "snr": one.spectrum.snr,
    }


def add_judgements(path: Path, judgements: Iterable[Judgement]) -> None:
    with write_errors(path):
        append_lines(path, (json.dumps(asdict(one), allow_nan=False) for one in judgements))


def read_judgements(path: Path) -> Iterator[Judgement]:
    """The judgements in a file; a last line that a crash cut off is skipped."""
    with read_errors(path):
        path.open("rb").close()  # a log need not be there, but a file that was named must be
        yield from read_lines(path, _judgement, MAX_LINE)


def _judgement(line: bytes) -> Judgement:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise WorkbenchError("not a line of JSON") from None
    if not _is_judgement(record):
        raise WorkbenchError("not a judgement")
    return Judgement(**{name: record[name] for name in record if name in NAMES})


def _is_judgement(record: Any) -> bool:
    match record:
        case {
            "key": str(),
            "task": str(),
            "answer": "YES" | "NO",
            "verdict": "YES" | "NO" | None,
            "p_yes": p_yes,
        }:
            known = isinstance(p_yes, int | float) and not isinstance(p_yes, bool)
            return p_yes is None or (known and 0.0 <= p_yes <= 1.0)
        case _:
            return False
