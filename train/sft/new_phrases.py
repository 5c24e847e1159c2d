"""More phrases for a model that is there already, each one token: begun at the mean of what it
was spelled with until then, so that nothing said without them changes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from tokenizers import AddedToken

from agent.backends.chat_tokens import load_tokenizer
from train.model_folder import load_trainable, save_weights, stored_precision
from train.sft.new_model import frequent_phrases


def missing_phrases(folder: Path) -> tuple[str, ...]:
    """What short inspections say again and again and this model's tokenizer spells."""
    known = {token.content for token in load_tokenizer(folder).get_added_tokens_decoder().values()}
    return tuple(phrase for phrase in frequent_phrases() if phrase not in known)


def learn_phrases(start: Path, folder: Path, phrases: Sequence[str]) -> None:
    """Write to `folder` the model of `start` with tokens of their own for `phrases`."""
    tokenizer = load_tokenizer(start)
    pieces = [tokenizer.encode(phrase, add_special_tokens=False).ids for phrase in phrases]
    tokenizer.add_tokens([AddedToken(one, special=False, normalized=False) for one in phrases])
    model = load_trainable(start)
    rows = model.get_input_embeddings().num_embeddings  # some models have more than they use
    model.resize_token_embeddings(max(rows, tokenizer.get_vocab_size()), mean_resizing=False)
    for table in (model.get_input_embeddings(), model.get_output_embeddings()):
        for phrase, spelled in zip(phrases, pieces, strict=True):
            table.weight.data[tokenizer.token_to_id(phrase)] = table.weight.data[spelled].mean(0)
    weights = shutil.ignore_patterns("*.safetensors", "*.safetensors.index.json")
    shutil.copytree(start, folder, ignore=weights)
    save_weights(model, model.state_dict(), folder, stored_precision(start))
    tokenizer.save(str(folder / "tokenizer.json"))
