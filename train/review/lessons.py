"""Turns a session's ratings and corrections into what `sft` and `grpo` train on.

An inspection is kept as an example to follow if people agree with its verdict and rated it well.
Where they contradict it, or rated it low, the same spectrum is inspected anew by a teacher that
knows their verdict and states only what it measures; where the measurements do not support the
verdict, the label alone remains.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agent.errors import TrajectoryError, WorkbenchError
from agent.examples.examples import Example, example
from agent.hashing import spectrum_hash
from agent.inspection.pictures import spectrum_ref
from agent.protocol.reply import parse_reply
from agent.ratings.records import Rating, trajectory_id
from agent.rendering.render import EYE, PUBLISHED, STYLES, Style
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from train.draft.settings import DraftSettings
from train.draft.teachers import MeasuredTeacher
from train.record import record_trajectory
from train.review.pool import Exported, training_fault, write_set
from train.review.rating_round import Spectra, add_records
from train.review.session_file import Inspected, SessionReader

TRAJECTORIES, SPECTRA, RATINGS = "trajectories.jsonl", "spectra.parquet", "ratings.jsonl"
FOLLOWED_FROM, CORRECTED_TO = 4, 2
"""Of the lowest score that people gave: at 4 all is right but for a slip, at 2 something that
matters is wrong. An inspection with 3 is neither followed nor, unless its verdict is wrong,
corrected."""

Key = tuple[str, str]
"""A question: the hash of a spectrum and a task."""


@dataclass
class Lessons:
    """What a session teaches, with counts of what became of its inspections."""

    trajectories: list[Trajectory] = field(default_factory=list)
    examples: dict[Key, Example] = field(default_factory=dict)
    ratings: list[Rating] = field(default_factory=list)
    followed: dict[Key, dict[str, Trajectory]] = field(default_factory=dict)
    """Inspections to follow, by their hash."""
    to_correct: dict[Key, DraftSettings] = field(default_factory=dict)
    """How a corrected inspection is drafted."""
    disputed: set[Key] = field(default_factory=set)
    """Listed more than once, with different answers."""
    counts: Counter[str] = field(default_factory=Counter)


def joined(several: Sequence[Lessons]) -> Lessons:
    """The lessons of several sessions, without the spectra on which the sessions disagree."""
    whole = Lessons()
    answers: dict[Key, set[str]] = {}
    for one in several:
        for key, labelled in one.examples.items():
            answers.setdefault(key, set()).add(labelled.answer)
        whole.examples |= one.examples
        whole.ratings += one.ratings
        whole.counts += one.counts
    disputed = {key for key, given in answers.items() if len(given) > 1}
    for key in disputed:
        del whole.examples[key]
    whole.counts["left out, sessions disagree"] += len(disputed)
    every = {trajectory_id(each): each for one in several for each in one.trajectories}
    whole.trajectories = [
        each for each in every.values() if (each.spectrum.sha256, each.task) not in disputed
    ]
    return whole


def read_lessons(
    session: str, *, places: Sequence[Path] = (), drafts: DraftSettings | None = None
) -> Lessons:
    """Read a session; `places` are further folders and sets with its spectra."""
    reader = SessionReader(session)
    spectra = Spectra([*([] if reader.folder is None else [reader.folder]), *places])
    lessons = Lessons()
    for one in reader.inspections():
        lessons.ratings += one.ratings
        labelled = _labelled(lessons, one, spectra)
        if labelled is not None:
            lessons.counts["judged with an agent's answer seen"] += not one.is_blind
            _learn(lessons, one, labelled, drafts or drafts_like(one.trajectory))
    for key in lessons.disputed:
        del lessons.examples[key]
    lessons.counts["left out, listed twice with different answers"] += len(lessons.disputed)
    _collect_trajectories(lessons)
    lessons.counts.update({f"left out, {why}": n for why, n in reader.left_out.items()})
    return lessons


def write_lessons(lessons: Lessons, out: Path) -> Exported:
    """Write the trajectories for `sft`, their spectra with labels, and the ratings."""
    if not lessons.examples:
        reasons = ", ".join(f"{count} {what}" for what, count in lessons.counts.items())
        raise WorkbenchError(f"the session has nothing to learn from ({reasons or 'it is empty'})")
    if (out / TRAJECTORIES).exists():
        raise WorkbenchError(f"{out} already has lessons: choose another folder")
    out.mkdir(parents=True, exist_ok=True)
    add_records(out / RATINGS, lessons.ratings)
    examples = lessons.examples.values()
    return write_set(out / TRAJECTORIES, lessons.trajectories, out / SPECTRA, examples)


def _labelled(lessons: Lessons, one: Inspected, spectra: Spectra) -> Example | None:
    """The spectrum with the answer on which people agree, noted in the lessons."""
    if one.answer is None:
        lessons.counts["left out, people disagree"] += 1
        return None
    spectrum, ref = one.packed, one.trajectory.spectrum
    try:
        find_task(one.trajectory.task)
        if spectrum is None or spectrum_hash(spectrum) != ref.sha256:
            spectrum = spectra.of(ref)
        labelled = example(spectrum, task=one.trajectory.task, answer=one.answer)
    except WorkbenchError as error:
        reason = "no spectrum" if isinstance(error, TrajectoryError) else "an unknown task"
        lessons.counts[f"left out, {reason}"] += 1
        return None
    known = lessons.examples.setdefault((labelled.sha256, labelled.task), labelled)
    if known.answer != labelled.answer:
        lessons.disputed.add((labelled.sha256, labelled.task))
        return None
    return known


def _learn(lessons: Lessons, one: Inspected, labelled: Example, drafts: DraftSettings) -> None:
    key = labelled.sha256, labelled.task
    is_low = one.lowest is not None and one.lowest <= CORRECTED_TO
    if _is_to_follow(one):
        kept = _recorded_anew(one.trajectory, labelled)
        # A panel repeats the turns of the member that looked: the two are one inspection here.
        lessons.followed.setdefault(key, {}).setdefault(trajectory_id(kept), kept)
    elif is_low or one.trajectory.verdict != one.answer:
        lessons.to_correct.setdefault(key, drafts)


def _collect_trajectories(lessons: Lessons) -> None:
    """Take the inspections to follow; where a spectrum has none, draft a wrong one anew."""
    for key, labelled in lessons.examples.items():
        followed, drafts = lessons.followed.get(key, {}), lessons.to_correct.get(key)
        lessons.trajectories += followed.values()
        lessons.counts["to follow"] += len(followed)
        if followed or drafts is None:
            lessons.counts["label only, not rated"] += not followed
            continue
        draft = MeasuredTeacher(drafts).draft(labelled, 0, 0).trajectory
        if draft is not None:
            lessons.trajectories.append(draft)
        lessons.counts["corrected" if draft is not None else "label only, not supported"] += 1


def drafts_like(trajectory: Trajectory) -> DraftSettings:
    """Settings of drafts in the picture style of an inspection: a model learns from one style."""
    name = Style.from_table(trajectory.style).name if trajectory.style else PUBLISHED.name
    if name not in STYLES:
        return DraftSettings()
    values: dict[str, Any] = {"style": name}
    if name == EYE.name:  # the small model that reads it knows few words
        values["words"] = "short"
    return DraftSettings(**values)


def _is_to_follow(one: Inspected) -> bool:
    trajectory = one.trajectory
    return (
        bool(trajectory.replies)
        and not training_fault(trajectory, one.answer)
        and parse_reply(trajectory.replies[-1]).verdict == one.answer
        and one.lowest is not None
        and one.lowest >= FOLLOWED_FROM
        and trajectory.stopped_by == "answer"
        and not trajectory.wording.sha256
        and all(step.by == "agent" for step in trajectory.steps)
    )


def _recorded_anew(trajectory: Trajectory, labelled: Example) -> Trajectory:
    """The same turns, recorded with the spectrum as the set stores it: in single precision."""
    if labelled.sha256 == trajectory.spectrum.sha256:
        return replace(trajectory, spectrum=spectrum_ref(labelled.spectrum), members=())
    task, style = find_task(trajectory.task), Style.from_table(trajectory.style)
    replies, spectrum = trajectory.replies, labelled.spectrum
    return record_trajectory(replies, spectrum, task, trajectory.model, style, trajectory.sizing)


def summary(lessons: Lessons) -> Iterator[str]:
    yield f"{len(lessons.trajectories)} trajectories, {len(lessons.examples)} labelled spectra"
    for what, count in sorted(lessons.counts.items()):
        if count:
            yield f"  {count} {what}"
