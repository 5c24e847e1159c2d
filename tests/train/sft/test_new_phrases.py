"""Phrases that an existing model learns as new tokens."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from transformers import PreTrainedTokenizerFast

from tests.train.sft.samples import MINUTE_MODEL, Samples
from train.models.model_folder import load_trainable, save_weights
from train.sft.new_model import learn_phrases, missing_phrases
from train.sft.run import fine_tune
from train.sft.settings import SftSettings

PHRASES = ("flux at 4240 over 5400 ", "bend ")


def tokens(folder: Path) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast.from_pretrained(folder)


def table(folder: Path) -> torch.Tensor:
    return load_trainable(folder).get_input_embeddings().weight


def logits(folder: Path, text: str) -> torch.Tensor:
    ids = torch.tensor([tokens(folder).encode(text)])
    with torch.no_grad():
        return load_trainable(folder)(input_ids=ids).logits


@pytest.mark.parametrize("family", ["minute25", "minute3"])
def test_a_phrase_begins_at_the_mean_of_its_pieces(
    family: str, tmp_path: Path, request: pytest.FixtureRequest
):
    start = request.getfixturevalue(family)
    learn_phrases(start, tmp_path / "more", PHRASES)
    before, after = (tokens(each) for each in (start, tmp_path / "more"))
    said = "S/N 9; flux at 4240 over 5400 (+) 0.3; bend (-) 0.01"
    assert [one for one in after.tokenize(said) if one in PHRASES] == list(PHRASES)
    assert after.decode(after.encode(said)) == said
    old, new = table(start), table(tmp_path / "more")
    for phrase in PHRASES:
        row = new[after.convert_tokens_to_ids(phrase)]
        assert torch.allclose(row, old[before.encode(phrase)].mean(0))


def test_other_texts_keep_their_logits(minute25: Path, tmp_path: Path):
    learn_phrases(minute25, tmp_path / "more", PHRASES)
    text = "The red end shows \\boxed{NO}."
    before, after = (logits(each, text) for each in (minute25, tmp_path / "more"))
    assert torch.equal(before, after[..., : before.shape[-1]])


def test_rows_that_no_token_has_yet_are_kept(minute25: Path, tmp_path: Path):
    """Published models have spare rows, which new tokens use first."""
    model = load_trainable(minute25)
    rows = len(tokens(minute25)) + 64
    model.resize_token_embeddings(rows, mean_resizing=False)
    shutil.copytree(minute25, tmp_path / "wide")
    save_weights(model, model.state_dict(), tmp_path / "wide", torch.float32)
    learn_phrases(tmp_path / "wide", tmp_path / "more", PHRASES)
    assert len(table(tmp_path / "more")) == rows


def test_fine_tuning_teaches_what_the_tokenizer_lacks(
    samples: Samples, minute25: Path, tmp_path: Path
):
    lacking = missing_phrases(minute25)
    assert lacking
    settings = SftSettings(steps=1, batch=2, precision="fp32", save_every=0, eval_every=0)
    model = replace(MINUTE_MODEL, start=str(minute25), phrases=True)
    made = fine_tune([samples.approved], [samples.sets], tmp_path / "run", settings, model)
    assert not missing_phrases(made)
    assert len(table(made)) == len(table(minute25)) + len(lacking)
    again = replace(model, start=str(made))
    once_more = fine_tune([samples.approved], [samples.sets], tmp_path / "on", settings, again)
    assert not (tmp_path / "on" / "start").exists()
    assert len(table(once_more)) == len(table(made))
