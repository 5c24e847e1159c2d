"""How judging went: the tables, reliability curves, scores, and the worst failures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from agent.confidence.judged import Judged
from agent.errors import WorkbenchError
from agent.trajectory import Trajectory
from agent.trajectory_file import read_trajectories
from agent.viewer import redraw
from train.evaluate.figures import judge_figures
from train.evaluate.judgement import Judgement, read_judgements
from train.evaluate.judging import trajectories_beside
from train.evaluate.tables import percent
from train.examples import Example, ExampleStore
from train.report.drawing import cumulative, reliability
from train.report.page import card, heading, note, picture, section, table, words

FEWEST_FOR_A_CURVE = 20
PICTURES = 3


def judging_sections(evaluation: Path, bench: Path | None, failures: int) -> Iterator[str]:
    """Of the folder that `spec-o3-train evaluate` filled."""
    folders = sorted(path for path in (evaluation / "judgements").glob("*") if path.is_dir())
    if not folders:
        raise WorkbenchError(f"{evaluation} holds no judgements: run spec-o3-train evaluate first")
    for folder in folders:
        files = {path.stem: path for path in sorted(folder.glob("*.jsonl")) if _is_judged(path)}
        judges = {name: list(read_judgements(path)) for name, path in files.items()}
        yield section(f"Judged: {folder.name}", *_figures(judges))
        store = _store(bench, folder.name)
        for name, path in files.items():
            beside = trajectories_beside(path)
            if failures and store is not None and beside.is_file():
                yield _gallery(name, judges[name], beside, store, failures)


def _is_judged(path: Path) -> bool:
    return not path.name.endswith(".trajectories.jsonl")


def _store(bench: Path | None, name: str) -> ExampleStore | None:
    path = bench / f"{name}.parquet" if bench is not None else None
    return ExampleStore([path]) if path is not None and path.is_file() else None


def _figures(judges: Mapping[str, Sequence[Judgement]]) -> Iterator[str]:
    found = [judge_figures(name, said) for name, said in judges.items() if said]
    tasks = list(dict.fromkeys(task.task for one in found for task in one.tasks))
    rows = []
    for one in found:
        by_task = {task.task: percent(task.f1.value) for task in one.tasks}
        mean = f"{percent(one.mean_f1.value)} ({percent(one.mean_f1.low)} to "
        mean += f"{percent(one.mean_f1.high)})"
        rows.append([one.judge, *(by_task.get(task, "-") for task in tasks), mean,
                     f"{one.effort.calls:.1f}", f"{one.effort.seconds:.3g}"])  # fmt: skip
    yield table(["F1, %", *tasks, "mean (95 %)", "calls", "seconds"], rows)
    curves = {name: judged for name, said in judges.items() if (judged := _judged(said))}
    if curves:
        yield heading("Does p(YES) mean what it says?")
        yield reliability(curves)
        yield heading("p(YES) of the real ones and of the others")
        for name, judged in curves.items():
            parts = {"real": judged.p[judged.label], "others": judged.p[~judged.label]}
            both = {f"{name}, {what}": p.tolist() for what, p in parts.items() if p.size}
            yield cumulative(both, "p(YES)")


def _judged(said: Sequence[Judgement]) -> Judged | None:
    told = [one for one in said if one.p_yes is not None]
    if len(told) < FEWEST_FOR_A_CURVE:
        return None
    p = np.array([one.p_yes for one in told], dtype=np.float64)
    return Judged(p, np.array([one.answer == "YES" for one in told], dtype=np.bool_))


def _gallery(
    name: str, judgements: Sequence[Judgement], records: Path, store: ExampleStore, count: int
) -> str:
    """The surest mistakes first, then those without an answer."""
    wrong = {one.key: one for one in judgements if not one.is_right}
    worst = sorted(wrong.values(), key=_surprise, reverse=True)[:count]
    wanted = {one.key for one in worst}
    cards = {}
    for record in read_trajectories(records):
        example = store.of(record)
        if example.key in wanted:
            cards[example.key] = _failure(wrong[example.key], example, record)
    shown = [cards[one.key] for one in worst if one.key in cards]
    told = f"{len(wrong)} of {len(judgements)} are wrong; the surest {len(shown)} of them."
    return section(f"Failures of {name}", note(told), *shown)


def _surprise(one: Judgement) -> float:
    if one.p_yes is None:
        return 0.0
    return one.p_yes if one.answer == "NO" else 1.0 - one.p_yes


def _failure(one: Judgement, example: Example, record: Trajectory) -> str:
    truth = f"{one.answer} ({one.label})" if one.label else one.answer
    said = one.verdict or f"nothing ({one.stopped_by})"
    sure = "" if one.p_yes is None else f", p(YES) {one.p_yes:.2f}"
    snr = "" if one.snr is None else f", S/N {one.snr:.0f}"
    title = f"{one.task}: said {said}{sure}; the truth is {truth}. {one.survey}{snr}"
    try:
        pictures = redraw(record, example.spectrum)[:PICTURES]
    except WorkbenchError:
        pictures = []  # drawn by another version; the words are still worth reading
    images = [picture(image, f"picture {number}") for number, image in enumerate(pictures)]
    return card(heading(title), *images, words("\n\n".join(record.replies)))


def tables_section(evaluation: Path) -> str:
    """Every table that was written, as its figures over tasks."""
    parts = []
    for path in sorted(evaluation.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        for name, rows in told.get("sets", {}).items():
            for pair in rows.get("comparisons", ()):
                change = pair["f1_difference"]
                parts.append(
                    (
                        told["table"],
                        name,
                        f"{pair['first']} - {pair['second']}",
                        f"{percent(change['value'])} "
                        f"({percent(change['low'])} to {percent(change['high'])})",
                        f"{pair['p_value']:.2g}",
                    )
                )
    if not parts:
        return ""
    head = ("table", "set", "judges", "difference of mean F1, points (95 %)", "McNemar p")
    return section("Who is better, on the same candidates", table(head, parts))
