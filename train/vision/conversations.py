"""Questions with the pictures of an inspection, and the turns that tell what the eye reads in them.

Processes draw the questions and write the turns; the eye reads the pictures in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from agent.errors import SpectrumError, ToolError, WorkbenchError
from agent.evidence.words import KIND_NAMES
from agent.inspection.offered_looks import OfferedLook, guideline_looks, offered_looks
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.protocol.protocol import Turn, opening
from agent.protocol.reply import Verdict, answer_reply, call_reply
from agent.protocol.tool import call_text, reply_text
from agent.protocol.turn_form import LOOK
from agent.rendering.model_image import Sizing
from agent.rendering.style import EYE
from agent.spectra.spectrum import FloatArray, Spectrum, frame_z
from agent.tasks.catalogue import bundled_tasks, find_task
from agent.tasks.task import Task
from train.draft.settings import SHORT
from train.questions.run import questions_on_spectrum
from train.questions.settings import QuestionSettings
from train.vision.grades import (
    Readings,
    all_phrases,
    asked_features,
    climate,
    has_data,
    is_unclear,
    told,
)
from train.vision.lessons import NO_KIND, misplaced
from train.vision.reasons import KINDS_SAID, fitting_kind, reasons

BLANK_SHARE = 0.03  # share of the questions with white paper for pictures
MISPLACED_SHARE = 0.2
"""Share of the members that are asked once more with their fluxes at wrong wavelengths."""
SIZING = Sizing.of_tokens(28)


@dataclass(frozen=True, eq=False)
class Question:
    """One question about one spectrum, with the pictures that its inspection looks at."""

    task: str
    answer: Verdict
    label: str
    pictures: NDArray[np.uint8]  # (pictures, height, width) in grey, the whole spectrum first
    ranges: FloatArray
    looks: tuple[OfferedLook, ...]
    hidden: frozenset[str] = frozenset()  # quantities that lie in a gap
    is_blank: bool = False
    """Whether the pictures are white paper, of which there is nothing to tell."""


def draw_questions(
    numbers: Iterable[int], settings: QuestionSettings, seed: int, library: str
) -> list[Question]:
    return [each for number in numbers for each in questions(number, settings, seed, library)]


def questions(number: int, settings: QuestionSettings, seed: int, library: str) -> list[Question]:
    """The questions about one simulated spectrum; none if it cannot be drawn."""
    try:
        examples = questions_on_spectrum(settings, seed, number, library).examples
    except WorkbenchError:
        return []
    rng = np.random.default_rng([seed, number])
    asked: list[Question | None] = []
    for each in examples:
        if each.answer in ("YES", "NO"):
            asked.append(question(each.spectrum, each.task, each.answer, each.label))
        if each.answer == "YES" and rng.random() < MISPLACED_SHARE:
            asked.append(question(misplaced(each.spectrum, rng), each.task, "NO", NO_KIND))
    drawn = [each for each in asked if each is not None]
    return [blank(each) if rng.random() < BLANK_SHARE else each for each in drawn]


def question(spectrum: Spectrum, task: str, answer: Verdict, label: str) -> Question | None:
    maker = PictureMaker.of(spectrum, spectrum_ref(spectrum), EYE, SIZING)
    shift = 1.0 + (frame_z(spectrum) or 0.0)
    whole = maker.shown.range[0] / shift, maker.shown.range[1] / shift
    pictures, ranges, looks = [], [whole], []
    try:
        pictures.append(np.asarray(maker.overview().convert("L")))
        for look in offered_looks(spectrum, find_task(task)):
            pictures.append(np.asarray(maker.look(look.arguments)[0].convert("L")))
            ranges.append((max(look.range[0], whole[0]), min(look.range[1], whole[1])))
            looks.append(look)
    except (SpectrumError, ToolError):
        return None
    there = has_data(spectrum, 0.0).tolist()
    hidden = frozenset(
        name for name, is_in in zip(asked_features(), there, strict=True) if not is_in
    )
    shown = np.stack(pictures), np.array(ranges)
    return Question(task, answer, label, *shown, tuple(looks), hidden)


def blank(asked: Question) -> Question:
    """The same question with white paper; its answer cannot be known, only how often it is YES."""
    return replace(asked, pictures=np.full_like(asked.pictures, 255), is_blank=True)


def turns(asked: Question, read: Readings) -> list[Turn]:
    """The whole conversation; `read` (pictures, quantities) is what the eye reads."""
    task = find_task(asked.task)
    said = _said(asked, task, read)
    conversation = list(opening(task, brief=True))
    for number, look in enumerate(asked.looks):
        thought = f"{_sentence(said[number])} {LOOK}{look.label}."
        conversation.append(Turn("assistant", call_reply(thought, look.arguments)))
        conversation.append(Turn("tool", reply_text(look.range, look.label), number + 1))
    thought = f"{_sentence(said[-1])} {SHORT['sum_yes'][0]}"
    answer = answer_reply(thought, asked.answer, _reasons(asked, task, said, read))
    return [*conversation, Turn("assistant", answer)]


def _said(asked: Question, task: Task, read: Readings) -> list[dict[str, str]]:
    """What is said of each picture, by quantity; each quantity is told once."""
    if asked.is_blank:
        return [{} for _ in read.ranks]
    windows = [(low, high) for low, high in asked.ranges.tolist()]
    kind = climate(read.ranks[0], windows[0])
    before = set(asked.hidden)
    said = []
    labels = ["", *(look.label for look in asked.looks)]
    for window, label, *row in zip(windows, labels, *read, strict=True):
        said.append(told(window, Readings(*row), task, kind, before, label=label))
        before |= {feature for feature, text in said[-1].items() if not is_unclear(text)}
    return said


def _sentence(said: Mapping[str, str]) -> str:
    return f"{'; '.join(said.values())}." if said else SHORT["nothing"][0]


def _reasons(asked: Question, task: Task, said: Sequence[Mapping[str, str]], read: Readings) -> str:
    if asked.is_blank:
        return SHORT["nothing"][0]
    known = [{name: text for name, text in each.items() if not is_unclear(text)} for each in said]
    why = "; ".join(reasons(task, asked.answer, asked.label, known, read))
    kind, start = KIND_NAMES[asked.task], "Like"
    if asked.answer == "NO":
        kind, start = fitting_kind(asked.label, task, known, read), "More like"
    return f"{start} {kind}: {why}." if why else f"{start} {kind}."


@cache
def fixed_phrases() -> tuple[str, ...]:
    """Phrases that become one token each: what is said, calls, windows, kinds."""
    tasks = bundled_tasks()
    looks = {look for task in tasks for look in guideline_looks(task)}
    replies = {reply_text(look.range, look.label) for look in looks}
    calls = {call_text(look.arguments) for look in looks}
    syntax = {"; ", "More like ", "Like ", f" {LOOK}", *(f" {text}" for text in SHORT["sum_yes"])}
    questions = {task.question for task in tasks}
    labels = {look.label for look in looks}
    every = {*all_phrases(), *replies, *calls, *syntax, *questions, *KINDS_SAID, *labels}
    return tuple(sorted(every))
