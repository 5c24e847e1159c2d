"""The section about the worst failures, with the pictures and turns of the judge."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from agent.ellipsis import shortened
from agent.errors import WorkbenchError
from agent.examples.examples import Example, ExampleStore
from agent.inspection.pictures import redraw
from agent.trajectory.trajectory import Step, Trajectory
from agent.trajectory.trajectory_file import read_trajectories
from train.evaluate.judgement import Judgement
from train.evaluate.judging import trajectories_path
from train.report.judging import Judging
from train.report.page import card, heading, listed, note, pictures, section

PICTURES = 4
MAX_LINE_LENGTH, MAX_LINES = 400, 12
BOX = re.compile(r"\\boxed\{(YES|NO)\}")
ENDS = {
    "answer": "an answer without a verdict",
    "turn_limit": "nothing within the turn limit",
    "length": "nothing within the token limit",
    "cancelled": "nothing, it was stopped",
    "error": "nothing, it failed",
}


def failure_sections(judged: Iterable[Judging], bench: Path, count: int) -> Iterator[str]:
    """One section for each judge with trajectories.

    A set is shown for the first table about it only, as the ablation has the main table's models
    under other names."""
    seen: set[tuple[str, str]] = set()
    for one in judged:
        path = bench / f"{one.set_name}.parquet"
        new = {(one.set_name, task) for task in one.tasks} - seen
        seen |= new
        for name, file in one.files.items():
            if new and path.is_file() and trajectories_path(file).is_file():
                yield from _gallery(one, name, ExampleStore([path]), count)


def _gallery(judging: Judging, judge: str, store: ExampleStore, count: int) -> Iterator[str]:
    """Most confident mistakes first, then those without p(YES), then those without an answer."""
    judgements = judging.read(judge)
    wrong = {one.key: one for one in judgements if not one.is_right}
    if not wrong:
        return
    worst = sorted(wrong.values(), key=_surprise, reverse=True)[:count]
    wanted = {one.key for one in worst}
    cards = {}
    for record in read_trajectories(trajectories_path(judging.files[judge])):
        example = store.of(record)
        if example.key in wanted:
            cards[example.key] = _failure(wrong[example.key], example, record)
    shown = [cards[one.key] for one in worst if one.key in cards]
    alarms = sum(one.answer == "NO" and one.verdict == "YES" for one in wrong.values())
    missed = sum(one.answer == "YES" and one.verdict == "NO" for one in wrong.values())
    text = f"{len(wrong)} of {len(judgements):,} are wrong: {alarms} false positives, "
    text += f"{missed} missed, {len(wrong) - alarms - missed} without an answer. "
    text += "The worst first." if len(wrong) == len(shown) else f"The worst {len(shown)} of them."
    yield section(f"Failures of {judge}: {judging.title}", note(text), *shown)


def _surprise(one: Judgement) -> float:
    """The probability given to the wrong answer; 0 if unknown, -1 without an answer."""
    if one.verdict is None:
        return -1.0
    if one.p_yes is None:
        return 0.0
    return one.p_yes if one.answer == "NO" else 1.0 - one.p_yes


def _failure(one: Judgement, example: Example, record: Trajectory) -> str:
    truth = f"{one.answer} ({one.label})" if one.label else one.answer
    said = one.verdict or ENDS.get(one.stopped_by, "nothing")
    sure = "" if one.p_yes is None else f", p(YES) {one.p_yes:.2f}"
    snr = "" if one.snr is None else f", S/N {one.snr:.0f}"
    name = record.spectrum.object_id or Path(record.spectrum.path).name
    about = " · ".join(part for part in (name, f"{one.survey}{snr}") if part)
    parts = [heading(f"{one.task}: said {said}{sure}; the truth is {truth}"), note(about)]
    try:
        drawn = redraw(record, example.spectrum)
        captions = ["whole spectrum", *map(_window, record.looks)]
        parts.append(pictures(list(zip(drawn, captions, strict=True))[:PICTURES]))
    except WorkbenchError:
        parts.append(note("This version of the program draws the pictures differently."))
    return card(*parts, listed(_lines(record.steps)))


def _lines(steps: Sequence[Step]) -> list[tuple[str, bool]]:
    """The steps as lines, each with whether it was malformed."""
    lines = []
    for step in steps:
        if text := _line(step):
            one_line = shortened(" ".join(text.split()), MAX_LINE_LENGTH, " ...")
            lines.append((one_line, bool(step.error)))
    left = len(lines) - MAX_LINES
    if left > 0:
        lines[MAX_LINES // 2 : MAX_LINES // 2 + left] = [(f"... {left} more ...", False)]
    return lines


def _line(step: Step) -> str:
    if step.error:
        return f"{step.text} [{step.error}]" if step.text else f"[{step.error}]"
    if step.is_look:
        return f"Looks at {_window(step)}"
    if step.kind == "answer":
        reasons = BOX.sub("", step.text).strip()
        return f"Answers {step.verdict or 'neither YES nor NO'}: {reasons}"
    return step.text


def _window(look: Step) -> str:
    if look.range is None:
        return look.label
    low, high = look.range
    return f"{low:.0f} to {high:.0f} Å" + (f", {look.label}" if look.label else "")
