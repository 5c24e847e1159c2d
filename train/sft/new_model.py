"""New models: a tokenizer learned from the conversations, and random weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tokenizers import AddedToken

from agent.claims.features import find_feature
from agent.engines.chat_tokens import load_tokenizer
from agent.evidence.gates import GATES
from agent.evidence.window_numbers import MARKS, OVERVIEW_GATES, WINDOW_GATES
from agent.evidence.words import KIND_NAMES
from agent.protocol.protocol import Turn, opening
from agent.protocol.tool import TOOL_NAME
from agent.tasks.catalogue import find_task, load_tasks
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.turns import turns_of
from train.models.chat_template import CHAT_TEMPLATE
from train.models.model_folder import load_trainable, save_weights, stored_precision
from train.models.small_model import make_model, make_tokenizer, save_small_model
from train.sft.settings import ModelSettings


def frequent_phrases() -> tuple[str, ...]:
    """Phrases that short inspections repeat: call syntax, names of windows, features, kinds."""
    opening_json, _, label = json.dumps({"wavelength_range": [0], "label": ""}).partition("0")
    named = json.dumps({"name": TOOL_NAME, "arguments": {}}).removesuffix("}}").removesuffix("{")
    windows = {window.label for each in load_tasks() for window in each.windows}
    measured = {"; ", *(f"{GATES[gate].label} " for gate in (*WINDOW_GATES, *OVERVIEW_GATES))}
    seen = {
        found.name
        for each in load_tasks()
        for entry in each.evidence
        for target in entry.target
        if (found := find_feature(target, is_line=entry.kind in ("line", "width"))) is not None
    }
    marks = {f"{mark} " for mark in MARKS}
    syntax = {named + opening_json, label.removesuffix('"}')}
    certain = {*marks, *syntax, *measured, *windows, *KIND_NAMES.values()}
    return tuple(
        sorted(certain | {name for name in seen if not any(overlap(name, one) for one in measured)})
    )


def overlap(first: str, second: str) -> bool:
    """Whether two phrases overlap by two letters or more, which tokenizers split differently."""
    sizes = range(2, min(len(first), len(second)))
    return any(first[-size:] == second[:size] or second[-size:] == first[:size] for size in sizes)


OPENING_TURNS = 2


def make_new_model(folder: Path, settings: ModelSettings, texts: Iterable[str], seed: int) -> None:
    """Write a model folder; the same texts and seed give the same model."""
    phrases = frequent_phrases() if settings.phrases else ()
    tokenizer = make_tokenizer(texts, settings.vocabulary, phrases)
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


def missing_phrases(folder: Path) -> tuple[str, ...]:
    """Frequent phrases that are not tokens of this model."""
    known = {token.content for token in load_tokenizer(folder).get_added_tokens_decoder().values()}
    return tuple(phrase for phrase in frequent_phrases() if phrase not in known)


def learn_phrases(start: Path, folder: Path, phrases: Sequence[str]) -> None:
    """Write to `folder` the model of `start` with one new token per phrase."""
    tokenizer = load_tokenizer(start)
    pieces = [tokenizer.encode(phrase, add_special_tokens=False).ids for phrase in phrases]
    tokenizer.add_tokens([AddedToken(one, special=False, normalized=False) for one in phrases])
    model = load_trainable(start)
    rows = model.get_input_embeddings().num_embeddings  # some models have spare rows
    model.resize_token_embeddings(max(rows, tokenizer.get_vocab_size()), mean_resizing=False)
    for table in (model.get_input_embeddings(), model.get_output_embeddings()):
        for phrase, spelled in zip(phrases, pieces, strict=True):
            table.weight.data[tokenizer.token_to_id(phrase)] = table.weight.data[spelled].mean(0)
    weights = shutil.ignore_patterns("*.safetensors", "*.safetensors.index.json")
    shutil.copytree(start, folder, ignore=weights)
    save_weights(model, model.state_dict(), folder, stored_precision(start))
    tokenizer.save(str(folder / "tokenizer.json"))
