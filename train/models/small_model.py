"""Creates small, untrained Qwen2.5-VL and Qwen3-VL models with their tokenizers.

The folders load like those of the hub, and their shapes are limited to what llama.cpp can read:
windows of 112 pixels, full attention in every n-th vision layer, and a feed-forward width different
from the hidden width.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer
from transformers import (
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
)

from agent.engines.tokenizer_file import SPLIT
from agent.errors import WorkbenchError
from agent.protocol.protocol import END_OF_TEXT, END_OF_TURN

FamilyName = Literal["qwen2.5-vl", "qwen3-vl"]
CONTROL_TOKENS = (
    END_OF_TEXT, "<|im_start|>", END_OF_TURN, "<|vision_start|>", "<|vision_end|>",
    "<|image_pad|>", "<|video_pad|>",
)  # fmt: skip
# Not special tokens: decoding that skips those must keep a call.
PLAIN_ADDED_TOKENS = ("<tool_call>", "</tool_call>")
VERDICTS = ("YES", "NO")
CLIP_MEAN = [0.48145466, 0.4578275, 0.40821073]
CLIP_STD = [0.26862954, 0.26130258, 0.27577711]


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The sizes of a small model; each head of its language model is `hidden / heads` wide."""

    hidden: int = 128
    ffn: int = 256
    layers: int = 4
    heads: int = 4
    kv_heads: int = 2
    context: int = 32768
    vision_hidden: int = 64
    vision_ffn: int = 160
    vision_layers: int = 4
    vision_heads: int = 4
    whole_every: int = 4
    """Qwen2.5-VL: every n-th vision layer has full attention, the others attend within windows."""
    init_std: float = 0.02


@dataclass(frozen=True, kw_only=True)
class Shape(Sizes):
    """All sizes of a model of either family, which must fit each other."""

    position_grid: int = 16
    """Qwen3-VL: side of the grid of learned vision positions, interpolated for each picture."""
    min_tokens: int = 8  # least tokens of a picture
    max_tokens: int = 1280

    def __post_init__(self) -> None:
        wrong = next((text for fails, text in self._faults() if fails), None)
        if wrong is not None:
            raise WorkbenchError(f"a model of this shape is impossible: {wrong}")

    def _faults(self) -> Iterator[tuple[bool, str]]:
        yield min(self.layers, self.vision_layers, self.kv_heads) < 1, "a size below 1"
        yield self.hidden % (2 * self.heads) != 0, "hidden must be an even multiple of heads"
        yield self.heads % self.kv_heads != 0, "heads must be a multiple of kv_heads"
        uneven = self.vision_hidden % (4 * self.vision_heads) != 0
        yield uneven, "vision heads must be a multiple of 4 wide"
        yield self.vision_ffn == self.vision_hidden, "vision_ffn equals vision_hidden"
        split = self.whole_every < 1 or self.vision_layers % self.whole_every != 0
        yield split, "vision_layers must be a multiple of whole_every, which is 1 or more"

    @property
    def head_dim(self) -> int:
        return self.hidden // self.heads


TINY = Shape()  # For tests: about 0.7 M parameters with a vocabulary of 512.


def make_tokenizer(
    texts: Iterable[str], vocab_size: int, phrases: Collection[str] = ()
) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer on `texts`, with at most `vocab_size` tokens.

    Each of `phrases` becomes one token: a small model gains nothing by spelling out fixed phrases.
    YES and NO are one token each, and so is the `{` before them, so that p(YES) can be read there.
    No merge crosses an opening brace.
    """
    plain = (*PLAIN_ADDED_TOKENS, *sorted(set(phrases) - set(PLAIN_ADDED_TOKENS)))
    added = len(CONTROL_TOKENS) + len(plain)
    if vocab_size < 256 + added + 8:
        raise WorkbenchError(f"a vocabulary of {vocab_size} tokens is too small for all bytes")
    bpe = Tokenizer(BPE(fuse_unk=False, byte_fallback=False))
    bpe.normalizer = normalizers.NFC()
    split = pre_tokenizers.Split(Regex(SPLIT), behavior="isolated", invert=False)
    whole_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bpe.pre_tokenizer = pre_tokenizers.Sequence([split, whole_bytes])
    bpe.decoder = decoders.ByteLevel()
    trainer = BpeTrainer(
        vocab_size=vocab_size - added,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(_pieces(texts, plain), trainer)
    bpe.add_special_tokens([AddedToken(name, special=True) for name in CONTROL_TOKENS])
    bpe.add_tokens([AddedToken(name, special=False, normalized=False) for name in plain])
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=bpe,
        eos_token=END_OF_TURN,
        pad_token=END_OF_TEXT,
        additional_special_tokens=[
            name for name in CONTROL_TOKENS if name not in (END_OF_TEXT, END_OF_TURN)
        ],
        model_max_length=131072,
        clean_up_tokenization_spaces=False,
    )
    for word in VERDICTS:
        if tokenizer.tokenize(f"{{{word}}}") != ["{", word, "}"]:
            raise WorkbenchError(f"the tokenizer splits {word}; give it a larger vocabulary")
    return tokenizer


def _pieces(texts: Iterable[str], plain: Iterable[str]) -> Iterator[str]:
    """The texts, split where no merge may cross, then the verdicts, often enough to merge first."""
    longest_first = sorted((*CONTROL_TOKENS, *plain), key=len, reverse=True)
    border = re.compile("|".join(map(re.escape, longest_first)) + r"|(?<=\{)")
    for text in texts:
        yield from filter(None, border.split(text))
    for word in VERDICTS:
        yield from [word] * 100_000


def make_model(
    family: FamilyName, tokenizer: PreTrainedTokenizerFast, shape: Shape = TINY, seed: int = 0
) -> PreTrainedModel:
    """A model with random weights in float32, the same for the same seed."""
    makers: dict[str, Any] = {
        "qwen2.5-vl": (Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration, _shape_of_qwen25),
        "qwen3-vl": (Qwen3VLConfig, Qwen3VLForConditionalGeneration, _shape_of_qwen3),
    }
    if family not in makers:
        raise WorkbenchError(f"no model family named {family}; choose one of {', '.join(makers)}")
    config_class, model_class, shape_of = makers[family]
    text, vision = shape_of(shape)
    ids = {name: tokenizer.convert_tokens_to_ids(name) for name in CONTROL_TOKENS}
    config = config_class(
        text_config={
            "hidden_size": shape.hidden,
            "intermediate_size": shape.ffn,
            "num_hidden_layers": shape.layers,
            "num_attention_heads": shape.heads,
            "num_key_value_heads": shape.kv_heads,
            "max_position_embeddings": shape.context,
            "rms_norm_eps": 1e-6,
            "initializer_range": shape.init_std,
            "tie_word_embeddings": True,
            "bos_token_id": None,
            "eos_token_id": ids[END_OF_TURN],
            "pad_token_id": ids[END_OF_TEXT],
            "vocab_size": len(tokenizer),
            **text,
        },
        vision_config={
            "depth": shape.vision_layers,
            "hidden_size": shape.vision_hidden,
            "intermediate_size": shape.vision_ffn,
            "num_heads": shape.vision_heads,
            "out_hidden_size": shape.hidden,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            "initializer_range": shape.init_std,
            **vision,
        },
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=True,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: PreTrainedModel = model_class(config)
    assert model.generation_config is not None
    model.generation_config.eos_token_id = ids[END_OF_TURN]
    model.generation_config.pad_token_id = ids[END_OF_TEXT]
    model.train(False)
    return model


def _shape_of_qwen25(shape: Shape) -> tuple[dict[str, Any], dict[str, Any]]:
    half = shape.head_dim // 2
    side = half * 3 // 8  # the published 16, 24, 24 of 64
    sections = [half - 2 * side, side, side]
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": sections}
    every = shape.whole_every
    vision = {
        "patch_size": 14,
        "window_size": 112,
        "fullatt_block_indexes": list(range(every - 1, shape.vision_layers, every)),
    }
    return {"rope_parameters": rope}, vision


def _shape_of_qwen3(shape: Shape) -> tuple[dict[str, Any], dict[str, Any]]:
    half = shape.head_dim // 2
    side = half // 3
    sections = [half - 2 * side, side, side]
    rope = {"rope_type": "default", "rope_theta": 5e6, "mrope_section": sections}
    text = {"head_dim": shape.head_dim, "rope_parameters": rope | {"mrope_interleaved": True}}
    # The output of one vision layer is added to each of the first language layers.
    taps = [shape.vision_layers // 2] if shape.layers < 3 else [1, shape.vision_layers // 2]
    vision = {
        "patch_size": 16,
        "num_position_embeddings": shape.position_grid**2,
        "deepstack_visual_indexes": sorted({tap for tap in taps if tap < shape.vision_layers}),
    }
    return text, vision


def save_small_model(
    folder: Path,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    shape: Shape = TINY,
    chat_template: str | None = None,
) -> None:
    """Write weights, configs, tokenizer and picture settings as in a folder of the hub."""
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    if chat_template is not None:
        tokenizer.chat_template = chat_template
    tokenizer.save_pretrained(folder)
    path = folder / "tokenizer_config.json"
    hub_class = {"tokenizer_class": "Qwen2Tokenizer"}
    _write_json(path, json.loads(path.read_text(encoding="utf-8")) | hub_class)
    settings = _picture_settings(str(model.config.model_type), shape)
    _write_json(folder / "preprocessor_config.json", settings)


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _picture_settings(model_type: str, shape: Shape) -> dict[str, Any]:
    is_qwen3 = model_type == "qwen3_vl"
    patch = 16 if is_qwen3 else 14
    area = (2 * patch) ** 2  # of a token
    return {
        "image_processor_type": "Qwen2VLImageProcessor",
        "processor_class": "Qwen3VLProcessor" if is_qwen3 else "Qwen2_5_VLProcessor",
        "size": {"shortest_edge": shape.min_tokens * area, "longest_edge": shape.max_tokens * area},
        "patch_size": patch,
        "temporal_patch_size": 2,
        "merge_size": 2,
        "image_mean": [0.5] * 3 if is_qwen3 else CLIP_MEAN,
        "image_std": [0.5] * 3 if is_qwen3 else CLIP_STD,
    }
