"""The language model that learns to say what the eye sees: new, or one trained before."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerFast

from train.eye.conversations import fixed_phrases
from train.eye.model import Eye
from train.eye.settings import SchoolSettings, SpeechSettings
from train.models.chat_template import CHAT_TEMPLATE
from train.models.model_folder import load_trainable
from train.models.small_model import Shape, make_model, make_tokenizer, save_small_model
from train.sft.new_model import task_texts


def speech_shape(speech: SpeechSettings, school: SchoolSettings) -> Shape:
    return Shape(
        hidden=school.out,
        ffn=speech.ffn,
        layers=speech.hidden_layers,
        heads=speech.heads,
        kv_heads=speech.heads,
        context=speech.context,
        vision_hidden=school.hidden,
        vision_ffn=school.ffn,
        vision_layers=school.layers,
        vision_heads=school.heads,
        whole_every=1,
        init_std=speech.init_std,
    )


def new_model(
    eye: Eye, speech: SpeechSettings, school: SchoolSettings, folder: Path, seed: int
) -> Any:
    """A model with the eye as its vision tower; its folder has the tokenizer."""
    phrases = fixed_phrases()
    tokenizer: PreTrainedTokenizerFast = make_tokenizer(
        [*task_texts(brief=True), *phrases], speech.vocabulary, phrases
    )
    shape = speech_shape(speech, school)
    model = make_model("qwen2.5-vl", tokenizer, shape, seed)
    model.model.visual.load_state_dict(eye.tower.state_dict())
    save_small_model(folder, model, tokenizer, shape, CHAT_TEMPLATE)
    return model


def trained_model(
    start: Path, eye: Eye, speech: SpeechSettings, school: SchoolSettings, folder: Path, seed: int
) -> Any:
    """The model in `start` with the eye as its tower; phrases that it lacks become tokens."""
    trained = load_trainable(start)
    known = _vocabulary(start)
    if known.keys() >= set(fixed_phrases()):
        trained.model.visual.load_state_dict(eye.tower.state_dict())
        shutil.copytree(start, folder, dirs_exist_ok=True)
        return trained
    model = new_model(eye, speech, school, folder, seed)
    same = {text: number for text, number in _vocabulary(folder).items() if text in known}
    embedding = model.get_input_embeddings().weight.detach().clone()
    rows = trained.get_input_embeddings().weight.detach()
    embedding[list(same.values())] = rows[[known[text] for text in same]]
    layers = trained.model.language_model.state_dict()
    model.model.language_model.load_state_dict(layers | {"embed_tokens.weight": embedding})
    return model


def _vocabulary(folder: Path) -> dict[str, int]:
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    return dict(tokenizer.get_vocab())
