"""More phrases for a model that is there already, each one token: begun at the mean of what it
was spelled with until then, so that nothing said without them changes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken
from transformers import PreTrainedTokenizerFast

from train.model_folder import load_trainable, save_weights, stored_precision
from train.sft.new_model import frequent_phrases


def missing_phrases(folder: Path) -> tuple[str, ...]:
    """What short inspections say again and again and this model's tokenizer spells."""
    known = _tokenizer(folder).get_added_vocab()
    return tuple(phrase for phrase in frequent_phrases() if phrase not in known)


def learn_phrases(start: Path, folder: Path, phrases: Sequence[str]) -> None:
    """Write to `folder` the model of `start` with tokens of their own for `phrases`."""
    tokenizer = _tokenizer(start)
    pieces = [tokenizer.encode(phrase, add_special_tokens=False) for phrase in phrases]
    tokenizer.add_tokens([AddedToken(one, special=False, normalized=False) for one in phrases])
    model = load_trainable(start)
    _grow(model, len(tokenizer))
    for table in (model.get_input_embeddings(), model.get_output_embeddings()):
        for phrase, spelled in zip(phrases, pieces, strict=True):
            number = tokenizer.convert_tokens_to_ids(phrase)
            table.weight.data[number] = table.weight.data[spelled].mean(0)
    shutil.copytree(start, folder)
    save_weights(model, model.state_dict(), folder, stored_precision(start))
    tokenizer.save_pretrained(folder)


def _grow(model: Any, size: int) -> None:
    with torch.random.fork_rng(devices=[]):
        model.resize_token_embeddings(size, mean_resizing=False)


def _tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast.from_pretrained(folder)
