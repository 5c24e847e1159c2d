"""A vision-language model as a reviewer: it reads the whole conversation and gives scores."""

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
from agent.rendering.render import Style
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.turns import turns_of
from train.curate.reviews import HIGHEST, LOWEST, MAX_NOTE

ASK = """The inspection ends here. You are now its referee, not its author. Judge it against the \
pictures and the guideline, without kindness.
coherence, 0 to 5: does each step follow from the one before, and the answer from the steps?
consistency, 0 to 5: is everything said of the spectrum true to the pictures and to physics? 0 if \
a feature or a number is invented, 5 if all is right.
Answer with one line of JSON and nothing else:
{"coherence": 0, "consistency": 0, "approve": false, "note": "the worst fault, in one sentence"}"""
LEAST = 4
"""Both scores from which a judge approves that does not say so itself."""
MAX_READ = 100_000
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
    """The model's scores; None where it gave none that can be read. Raises EngineError."""
    turns = [*turns_of(task, trajectory), Turn("user", ASK)]
    style = Style.from_table(trajectory.style)
    viewer = PictureMaker.of(spectrum, trajectory.spectrum, style, engine.sizing)
    pictures = [viewer.overview(), *map(viewer.redraw, trajectory.looks)]
    with closing(engine.open()) as conversation:
        conversation.append(turns, pictures)
        said = conversation.generate(SamplingSettings(max_new_tokens=600), seed, choice_point=None)
    if said.finish == "cancelled":
        raise EngineError("the judge was stopped")
    return read_scores(said.text)


def read_scores(text: str) -> Scores | None:
    """The last object in a reply that holds both scores, whatever stands around it."""
    found = None
    for table in _objects(text[-MAX_READ:]):
        coherence, consistency = (_score(table.get(key)) for key in ("coherence", "consistency"))
        if coherence is None or consistency is None:
            continue
        said = table.get("approve")
        approve = said if isinstance(said, bool) else min(coherence, consistency) >= LEAST
        note = table.get("note", "")
        words = printable(note, MAX_NOTE) if isinstance(note, str) else ""
        found = Scores(coherence, consistency, approve, words)
    return found


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """JSON objects in a text, from its start; a model may think aloud around them."""
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
    """A whole number from 0 to 5, also where it came as 4.0, "4" or "4/5"."""
    if isinstance(value, str):
        head = value.strip().partition("/")[0].strip()
        value = float(head) if head.replace(".", "", 1).isdigit() and len(head) < 6 else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not LOWEST <= value <= HIGHEST:
        return None
    return round(value)
