"""New models: a tokenizer learned from the conversations, and random weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from agent.protocol.protocol import Turn, opening
from agent.tasks.catalogue import find_task, load_tasks
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.turns import turns_of
from train.models.model_folder import CHAT_TEMPLATE
from train.models.small_model import make_model, make_tokenizer, save_small_model
from train.sft.settings import ModelSettings

OPENING_TURNS = 2


def make_new_model(folder: Path, settings: ModelSettings, texts: Iterable[str], seed: int) -> None:
    """Write a model folder; the same texts and seed give the same model."""
    tokenizer = make_tokenizer(texts, settings.vocabulary)
    model = make_model(settings.family, tokenizer, settings.shape, seed)
    save_small_model(folder, model, tokenizer, settings.shape, CHAT_TEMPLATE)


def task_texts(*, brief: bool = False) -> Iterator[str]:
    """The opening turns of every task."""
    for each in load_tasks():
        yield from (turn.text for turn in opening(each, brief=brief))


def trajectory_texts(trajectories: Iterable[Trajectory]) -> Iterator[str]:
    """The turns of inspections after their opening."""
    for one in trajectories:
        known = find_task(one.task)
        yield from (turn.text for turn in turns_of(known, one)[OPENING_TURNS:])


def conversation_texts(conversations: Iterable[list[Turn]]) -> Iterator[str]:
    for turns in conversations:
        yield from (turn.text for turn in turns)
