"""The metadata of the two GGUF files, each key with the type that llama.cpp expects."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agent.convert.checkpoint import Checkpoint, ConversionError
from agent.convert.shapes import MERGE, VISION_EPS, ModelShape
from agent.convert.vocabulary import Vocabulary
from agent.engines.gguf.checks import PROJECTORS
from agent.protocol.protocol import END_OF_TEXT, END_OF_TURN

Kind = Literal["u32", "f32", "bool", "text", "i32s", "f32s", "bools", "texts"]
FILE_TYPES = {"f32": 0, "f16": 1, "q8_0": 7, "q4_k_m": 15, "q5_k_m": 17}
"""llama.cpp's numbers for general.file_type."""
QUANTIZATION_VERSION = 2
LANGUAGE_ARCHITECTURES = {"qwen2.5-vl": "qwen2vl", "qwen3-vl": "qwen3vl"}
# Pixels; all files of Qwen2.5-VL have this value, and nothing depends on it.
NOMINAL_SIDE = 560


@dataclass(frozen=True)
class Value:
    kind: Kind
    value: Any


Metadata = dict[str, Value]


def text_metadata(shape: ModelShape, vocabulary: Vocabulary, file_type: str, name: str) -> Metadata:
    arch, text = LANGUAGE_ARCHITECTURES[shape.family], shape.text
    metadata = _general(arch, "model", name, file_type) | {
        f"{arch}.block_count": Value("u32", text.layers),
        f"{arch}.context_length": Value("u32", text.context),
        f"{arch}.embedding_length": Value("u32", text.hidden),
        f"{arch}.feed_forward_length": Value("u32", text.ffn),
        f"{arch}.attention.head_count": Value("u32", text.heads),
        f"{arch}.attention.head_count_kv": Value("u32", text.kv_heads),
        f"{arch}.attention.layer_norm_rms_epsilon": Value("f32", text.eps),
        f"{arch}.rope.freq_base": Value("f32", text.theta),
        f"{arch}.rope.dimension_sections": Value("i32s", [*text.sections, 0]),
    }
    if shape.family == "qwen3-vl":
        metadata |= {
            f"{arch}.attention.key_length": Value("u32", text.head_dim),
            f"{arch}.attention.value_length": Value("u32", text.head_dim),
            f"{arch}.n_deepstack_layers": Value("u32", len(shape.vision.deepstack)),
        }
    return metadata | _tokenizer(vocabulary)


def vision_metadata(
    shape: ModelShape, checkpoint: Checkpoint, file_type: str, name: str
) -> Metadata:
    vision = shape.vision
    # Mean and standard deviation of each channel, by which pictures are normalized.
    settings = checkpoint.read_json("preprocessor_config.json")
    nested = checkpoint.read_json("processor_config.json").get("image_processor")
    if isinstance(nested, dict):  # the newer file; if both exist they agree
        settings = settings | nested
    mean, std = _triple(settings, "image_mean"), _triple(settings, "image_std")
    metadata = _general("clip", "mmproj", name, file_type) | {
        "clip.has_vision_encoder": Value("bool", True),
        "clip.projector_type": Value("text", PROJECTORS[LANGUAGE_ARCHITECTURES[shape.family]]),
        "clip.vision.projection_dim": Value("u32", vision.out),
        "clip.vision.patch_size": Value("u32", vision.patch),
        "clip.vision.embedding_length": Value("u32", vision.hidden),
        "clip.vision.feed_forward_length": Value("u32", vision.ffn),
        "clip.vision.block_count": Value("u32", vision.layers),
        "clip.vision.attention.head_count": Value("u32", vision.heads),
        "clip.vision.attention.layer_norm_epsilon": Value("f32", VISION_EPS),
        "clip.vision.image_mean": Value("f32s", mean),
        "clip.vision.image_std": Value("f32s", std),
    }
    if shape.family == "qwen2.5-vl":
        return metadata | {
            "clip.use_silu": Value("bool", True),
            "clip.vision.image_size": Value("u32", NOMINAL_SIDE),
            "clip.vision.n_wa_pattern": Value("u32", vision.whole_every),
        }
    layers = [number in vision.deepstack for number in range(vision.layers)]
    side = round(vision.positions**0.5) * vision.patch
    return metadata | {
        "clip.use_gelu": Value("bool", True),
        "clip.vision.image_size": Value("u32", side),
        "clip.vision.spatial_merge_size": Value("u32", MERGE),
        "clip.vision.is_deepstack_layers": Value("bools", layers),
    }


def _general(arch: str, kind: str, name: str, file_type: str) -> Metadata:
    return {
        "general.architecture": Value("text", arch),
        "general.type": Value("text", kind),
        "general.name": Value("text", name),
        "general.file_type": Value("u32", FILE_TYPES[file_type]),
        "general.quantization_version": Value("u32", QUANTIZATION_VERSION),
    }


def _tokenizer(vocabulary: Vocabulary) -> Metadata:
    metadata = {
        "tokenizer.ggml.model": Value("text", "gpt2"),
        "tokenizer.ggml.pre": Value("text", "qwen2"),
        "tokenizer.ggml.tokens": Value("texts", list(vocabulary.tokens)),
        "tokenizer.ggml.token_type": Value("i32s", list(vocabulary.kinds)),
        "tokenizer.ggml.merges": Value("texts", list(vocabulary.merges)),
        "tokenizer.ggml.eos_token_id": Value("u32", vocabulary.number(END_OF_TURN)),
        "tokenizer.ggml.padding_token_id": Value("u32", vocabulary.number(END_OF_TEXT)),
        "tokenizer.ggml.bos_token_id": Value("u32", vocabulary.number(END_OF_TEXT)),
        # Qwen's prompts have no such token.
        "tokenizer.ggml.add_bos_token": Value("bool", False),
    }
    if vocabulary.chat_template:
        metadata["tokenizer.chat_template"] = Value("text", vocabulary.chat_template)
    return metadata


def _triple(settings: Mapping[str, Any], key: str) -> list[float]:
    values = settings.get(key)
    if not isinstance(values, list) or len(values) != 3:
        raise ConversionError(
            f"the folder's preprocessor_config.json has no {key} of three numbers"
        )
    if not all(isinstance(value, int | float) and 0 <= value <= 255 for value in values):
        raise ConversionError(f"the folder's preprocessor_config.json has no usable {key}")
    return [float(value) for value in values]
