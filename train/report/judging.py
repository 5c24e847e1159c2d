"""The sections about judges: scores on each set, reliability and comparisons."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import Bin, expected_calibration_error, reliability_curve
from agent.confidence.scores import Estimate, wilson
from agent.ellipsis import shortened
from agent.errors import WorkbenchError
from agent.examples.examples import Example, ExampleStore
from agent.inspection.pictures import redraw
from agent.rendering.charts import cumulative, reliability
from agent.trajectory.trajectory import Step, Trajectory
from agent.trajectory.trajectory_file import read_trajectories
from train.evaluate.judgement import (
    JudgeFigures,
    Judgement,
    judge_figures,
    judged_scores,
    read_judgements,
)
from train.evaluate.judges import trajectories_path
from train.evaluate.sight import HEAD, TABLE, read_sight, sight_rows
from train.evaluate.tables import KINDS, TableKind, percent, survey_of, with_interval
from train.report.page import card, folded, heading, listed, note, pictures, section, table

FEWEST_FOR_A_CURVE = 20
SIGHT_FILE = f"{TABLE}.json"


@dataclass(frozen=True)
class Judging:
    """Judges on one set, from one table of `spec-o3-train evaluate`."""

    title: str
    set_name: str  # stem of the bench's file
    tasks: Sequence[str]
    files: Mapping[str, Path]  # Judgements by judge; they may cover tasks of other tables, too.
    comparisons: Sequence[Mapping[str, Any]]

    def read(self, judge: str) -> list[Judgement]:
        return [one for one in read_judgements(self.files[judge]) if one.task in self.tasks]


def judgings(evaluation: Path) -> list[Judging]:
    """All tables in an output folder of `spec-o3-train evaluate`."""
    found = [one for kind in KINDS.values() for one in judgings_of(kind, evaluation)]
    if not found and not (evaluation / SIGHT_FILE).is_file():
        raise WorkbenchError(f"{evaluation} holds no judgements: run spec-o3-train evaluate first")
    return found


def judgings_of(kind: TableKind, evaluation: Path) -> Iterator[Judging]:
    """The sets of one table, if it was made."""
    path = evaluation / f"{kind.name}.json"
    sets = json.loads(path.read_text(encoding="utf-8"))["sets"] if path.is_file() else {}
    for file, name in kind.sets:
        if name not in sets:
            continue
        stem = Path(file).stem
        folder = evaluation / "judgements" / stem
        judges = sets[name]["judges"]
        tasks = {task["task"] for one in judges for task in one["tasks"]}
        known = [task for task in kind.tasks if task in tasks]
        yield Judging(
            title=kind.title if len(kind.sets) == 1 else f"{kind.title}: {name}",
            set_name=stem,
            tasks=[*known, *sorted(tasks - {*kind.tasks})],
            files={one["judge"]: folder / f"{one['judge']}.jsonl" for one in judges},
            comparisons=sets[name]["comparisons"],
        )


def judging_section(one: Judging) -> str:
    judges = {name: one.read(name) for name in one.files}
    return section(one.title, *_figures(judges, one.tasks), *_comparisons(one.comparisons))


def _figures(judges: Mapping[str, Sequence[Judgement]], tasks: Sequence[str]) -> Iterator[str]:
    found = [judge_figures(name, judgements) for name, judgements in judges.items() if judgements]
    if not found:
        return
    found.sort(key=lambda one: one.mean_f1.value or 0.0, reverse=True)
    first = found[0].tasks
    positives = sum(task.positives for task in first)
    others = sum(task.n for task in first) - positives
    yield note(
        f"Accuracy and F1 in per cent, with 95 % intervals; {positives:,} real, {others:,} others. "
        "No answer counts as wrong. Seconds are the median."
    )
    head = ["judge", *(f"{task} {what}" for task in tasks for what in ("Acc", "F1"))]
    head += ["mean Acc", "mean F1 (95 %)", "answered", "well-formed", "calls", "seconds"]
    yield table(head, [_row(one, tasks) for one in found])
    scores = {name: judged_scores(judgements) for name, judgements in judges.items()}
    scores = {name: own for name, own in scores.items() if len(own) >= FEWEST_FOR_A_CURVE}
    if scores:
        yield heading("Reliability of p(YES)")
        yield reliability(dict(_reliability(name, own) for name, own in scores.items()))
        yield note(
            "On the dashed line, seven in ten candidates with p(YES) of 0.7 are real; below it the "
            "judge is overconfident. ECE is the mean distance from the line."
        )
        yield heading("p(YES) of real and other candidates")
        for name, judged in scores.items():
            parts = {"real": judged.p[judged.label], "others": judged.p[~judged.label]}
            both = {f"{name}, {what}": p.tolist() for what, p in parts.items() if p.size}
            yield cumulative(both, "p(YES)", (0.0, 1.0))


def _row(one: JudgeFigures, tasks: Sequence[str]) -> list[str]:
    figures = ((task.task, task.accuracy.value, task.f1.value) for task in one.tasks)
    by_task = {task: (percent(accuracy), percent(f1)) for task, accuracy, f1 in figures}
    n = sum(task.n for task in one.tasks)
    answered = 1.0 - sum(task.unanswered for task in one.tasks) / n
    return [
        one.judge,
        *(cell for task in tasks for cell in by_task.get(task, ("-", "-"))),
        percent(one.mean_accuracy),
        with_interval(one.mean_f1),
        f"{percent(answered)} %",
        f"{percent(one.effort.well_formed)} %" if one.effort.writes else "-",
        f"{one.effort.calls:.1f}" if one.effort.writes else "-",
        f"{one.effort.seconds:.2g}",
    ]


def _reliability(name: str, judged: JudgedScores) -> tuple[str, Sequence[Bin]]:
    curve = reliability_curve(judged)
    return f"{name}, ECE {expected_calibration_error(curve):.3f}", curve


def _comparisons(pairs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not pairs:
        return
    rows = []
    for pair in pairs:
        change = Estimate(*(pair["f1_difference"][name] for name in ("value", "low", "high")))
        names = f"{pair['first']} - {pair['second']}"
        alone = f"{pair['only_first']} / {pair['only_second']}"
        p = "< 0.001" if pair["p_value"] < 0.001 else f"{pair['p_value']:.2g}"
        rows.append((names, with_interval(change), alone, p))
    head = ("judges", "mean F1, points (95 %)", "right where the other is wrong", "p")
    about = note(
        "Differences on the same candidates. p is McNemar's two-sided test, not corrected for "
        "the number of pairs."
    )
    yield folded(f"Pairwise comparisons ({len(rows)})", about, table(head, rows))


def survey_section(judged: Sequence[Judging]) -> str:
    """Every judge by survey, and who is right where of two judges one is wrong; empty for one."""
    by_survey: dict[str, dict[str, list[Judgement]]] = {}
    for one in judged:
        if one.set_name == "test" or one.set_name.startswith("survey-"):
            for name in one.files:
                for judgement in one.read(name):
                    own = by_survey.setdefault(survey_of(judgement), {})
                    own.setdefault(name, []).append(judgement)
    if len(by_survey) < 2:
        return ""
    names = list(dict.fromkeys(name for own in by_survey.values() for name in own))
    head = ["judge", *(f"{survey} {what}" for survey in by_survey for what in ("Acc", "F1"))]
    rows = [[name, *_of_surveys(name, by_survey.values())] for name in names]
    duels = [
        [f"{first}, {second}", survey, *_outcomes(own[first], own[second])]
        for first, second in combinations(names, 2)
        for survey, own in by_survey.items()
        if first in own and second in own
    ]
    about = "Means over the classes in per cent, with 95 % intervals."
    parts = [note(about), table(head, rows)]
    if duels:
        outcome = ("judges", "survey", "pairs", "first right alone", "equal", "second right alone")
        parts += [heading("Wins, ties and losses by survey"), table(outcome, duels)]
    return section("Surveys", *parts)


def _of_surveys(judge: str, surveys: Iterable[Mapping[str, list[Judgement]]]) -> Iterator[str]:
    for own in surveys:
        if judge in own:
            figures = judge_figures(judge, own[judge])
            yield from (percent(figures.mean_accuracy), with_interval(figures.mean_f1))
        else:
            yield from "--"


def _outcomes(ours: Sequence[Judgement], theirs: Sequence[Judgement]) -> Iterator[str]:
    """The number of common candidates, and the shares of wins, ties and losses with intervals."""
    right = {one.key: one.is_right for one in theirs}
    pairs = [(one.is_right, right[one.key]) for one in ours if one.key in right]
    wins, losses = pairs.count((True, False)), pairs.count((False, True))
    yield str(len(pairs))
    for count in (wins, len(pairs) - wins - losses, losses):
        share = Estimate(count / len(pairs), *wilson(count, len(pairs))) if pairs else None
        yield "-" if share is None else with_interval(share)


# The section about tests of sight: what becomes of verdicts when the pictures change.
def sight_sections(evaluation: Path) -> Iterator[str]:
    """One section for each model and set in an output folder of `spec-o3-train evaluate sight`."""
    path = evaluation / SIGHT_FILE
    if not path.is_file():
        return
    for name, models in read_sight(path.read_text(encoding="utf-8")).items():
        for model, rows in models.items():
            first = rows[0]
            about = (
                f"{first.positives:,} real, {first.n - first.positives:,} others. The numbers told "
                "stay those of the right spectrum. Shares in per cent of the verdicts and replies "
                "that the pictures as they are give. Follows: verdicts that agree with the picture "
                "where its true answer is another. A model that sees falls to chance on white "
                "paper and follows the picture of another spectrum."
            )
            title = f"Test of sight: {model} on {name}"
            yield section(title, note(about), table(HEAD, sight_rows(rows)))


# The worst failures of each judge, with its pictures and turns.
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
