"""A vision-language model as a reviewer that reads the whole conversation and gives scores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from agent.checked_toml import printable
from agent.engines.base import Engine, SamplingSettings
from agent.errors import EngineError
from agent.inspection.pictures import PictureMaker
from agent.protocol.protocol import Turn
from agent.ratings.rubric import HIGHEST, LOWEST, rubric_text
from agent.rendering.render import Style
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.turns import turns_of
from train.review.reviews import MAX_NOTE

ASK = f"""The inspection ends here. You are now its referee, not its author. Judge it against the \
pictures and the guideline, without kindness.
{rubric_text()}
Answer with one line of JSON and nothing else:
{{"coherence": 0, "consistency": 0, "approve": false, "note": "the worst fault, in a sentence"}}"""
# A judge that gives no `approve` approves when both scores reach this.
MIN_APPROVED_SCORE = 4
MAX_TEXT = 100_000
MAX_OBJECTS = 50


@dataclass(frozen=True)
class Scores:
    coherence: int
    consistency: int
    approve: bool
    note: str = ""


def judge(
    engine: Engine, trajectory: Trajectory, spectrum: Spectrum, task: Task, *, seed: int = 0
) -> Scores | None:
    """The model's scores; None if its reply holds none. Raises EngineError."""
    turns = [*turns_of(task, trajectory), Turn("user", ASK)]
    style = Style.from_table(trajectory.style)
    maker = PictureMaker.of(spectrum, trajectory.spectrum, style, engine.sizing)
    pictures = [maker.overview(), *map(maker.redraw, trajectory.looks)]
    with closing(engine.open()) as conversation:
        conversation.append(turns, pictures)
        sampling = SamplingSettings(max_new_tokens=600)
        generated = conversation.generate(sampling, seed, choice_point=None)
    if generated.finish == "cancelled":
        raise EngineError("the judge was stopped")
    return read_scores(generated.text)


def read_scores(text: str) -> Scores | None:
    """The scores of the last JSON object in a reply that holds both."""
    found = None
    for table in _objects(text[-MAX_TEXT:]):
        coherence, consistency = (_score(table.get(key)) for key in ("coherence", "consistency"))
        if coherence is None or consistency is None:
            continue
        value = table.get("approve")
        is_good = min(coherence, consistency) >= MIN_APPROVED_SCORE
        approve = value if isinstance(value, bool) else is_good
        note = table.get("note", "")
        told = printable(note, MAX_NOTE) if isinstance(note, str) else ""
        found = Scores(coherence, consistency, approve, told)
    return found


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """JSON objects in a text, in order; a model may write anything around them."""
    decoder, at = json.JSONDecoder(), 0
    for _ in range(MAX_OBJECTS):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        at = end
        if isinstance(found, dict):
            yield found


def _score(value: object) -> int | None:
    """A whole number from 0 to 5, also if written as 4.0, "4" or "4/5"."""
    if isinstance(value, str):
        head = value.strip().partition("/")[0].strip()
        value = float(head) if head.replace(".", "", 1).isdigit() and len(head) < 6 else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not LOWEST <= value <= HIGHEST:
        return None
    return round(value)
