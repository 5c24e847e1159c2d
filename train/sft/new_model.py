"""A model from nothing: a tokenizer learned from the conversations, random weights of a shape."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from agent.conversation import turns_of
from agent.measured.gates import GATES
from agent.measured.window_numbers import MARKS, TOLD, WHOLE
from agent.measured.words import KIND_NAMES
from agent.protocol import Turn, opening
from agent.tasks import load_tasks, task
from agent.tool import TOOL_NAME
from agent.trajectory import Trajectory
from train.chat_template import CHAT_TEMPLATE
from train.draft.features import feature
from train.sft.settings import ModelSettings
from train.small_model import make_model, make_tokenizer, save_small_model


def frequent_phrases() -> tuple[str, ...]:
    """What short inspections say again and again: the frame of a call, the names of windows, of
    what is measured and of what is said to be seen."""
    frame, _, label = json.dumps({"wavelength_range": [0], "label": ""}).partition("0")
    named = json.dumps({"name": TOOL_NAME, "arguments": {}}).removesuffix("}}").removesuffix("{")
    windows = {window.label for each in load_tasks() for window in each.windows}
    measured = {"; ", *(f"{GATES[gate].label} " for gate in (*TOLD, *WHOLE))}
    seen = {
        found.name
        for each in load_tasks()
        for entry in each.evidence
        for target in entry.target
        if (found := feature(target, is_line=entry.kind in ("line", "width"))) is not None
    }
    marks = {f"{mark} " for mark in MARKS}
    frames = {named + frame, label.removesuffix('"}')}
    sure = {*marks, *frames, *measured, *windows, *KIND_NAMES.values()}
    return tuple(
        sorted(sure | {name for name in seen if not any(meet(name, one) for one in measured)})
    )


def meet(first: str, second: str) -> bool:
    """Whether one, by more than a letter, may begin within the other and go on behind it: then not
    all tokenizers choose alike."""
    sizes = range(2, min(len(first), len(second)))
    return any(first[-size:] == second[:size] or second[-size:] == first[:size] for size in sizes)


FIRST = 2
"""Turns before the agent's first."""


def make_new_model(folder: Path, settings: ModelSettings, texts: Iterable[str], seed: int) -> None:
    """Write a model's folder; the same for the same texts and seed."""
    phrases = frequent_phrases() if settings.phrases else ()
    tokenizer = make_tokenizer(texts, settings.vocabulary, phrases)
    model = make_model(settings.family, tokenizer, settings.shape, seed)
    save_small_model(folder, model, tokenizer, settings.shape, CHAT_TEMPLATE)


def words_of_tasks(*, brief: bool = False) -> Iterator[str]:
    """What every inspection begins with, of every task there is."""
    for each in load_tasks():
        yield from (turn.text for turn in opening(each, brief=brief))


def words_of(trajectories: Iterable[Trajectory]) -> Iterator[str]:
    """What was said in inspections after their beginnings."""
    for one in trajectories:
        known = task(one.task)
        yield from (turn.text for turn in turns_of(known, one)[FIRST:])


def words_of_turns(conversations: Iterable[list[Turn]]) -> Iterator[str]:
    for turns in conversations:
        yield from (turn.text for turn in turns)
