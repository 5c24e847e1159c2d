"""A model from nothing: a tokenizer learned from the conversations, random weights of a shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from agent.conversation import turns_of
from agent.protocol import Turn, opening, system_text
from agent.tasks import load_tasks, task
from agent.trajectory import Trajectory
from train.chat_template import CHAT_TEMPLATE
from train.sft.settings import ModelSettings
from train.small_model import make_model, make_tokenizer, save_small_model


def make_new_model(folder: Path, settings: ModelSettings, texts: Iterable[str], seed: int) -> None:
    """Write a model's folder; the same for the same texts and seed."""
    tokenizer = make_tokenizer(texts, settings.vocabulary)
    model = make_model(settings.family, tokenizer, settings.shape, seed)
    save_small_model(folder, model, tokenizer, settings.shape, CHAT_TEMPLATE)


def words_of_tasks() -> Iterator[str]:
    """What every inspection begins with, of every task there is."""
    yield system_text()
    for each in load_tasks():
        yield opening(each)[1].text


def words_of(trajectories: Iterable[Trajectory]) -> Iterator[str]:
    """What was said in inspections after their beginnings."""
    for one in trajectories:
        known = task(one.task)
        yield from (turn.text for turn in turns_of(known, one)[len(opening(known)) :])


def words_of_turns(conversations: Iterable[list[Turn]]) -> Iterator[str]:
    for turns in conversations:
        yield from (turn.text for turn in turns)
