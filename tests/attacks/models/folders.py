"""Model folders as a stranger might write them, and what loading them does."""

import json
import os
import random
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from transformers import Qwen2_5_VLForConditionalGeneration  # loaded before the cases are forked

from agent.convert.convert import plan_conversion, write_files
from agent.engines.base import SamplingSettings
from agent.engines.hf.engine import TransformersEngine
from agent.errors import WorkbenchError
from agent.models.registry import model_at
from agent.protocol.protocol import Turn
from tests.attacks.sessions.studies import changed

assert Qwen2_5_VLForConditionalGeneration
Change = Callable[[Path], None]


def load(folder: str, adapter: str = "") -> str:
    """Read a folder's card, load the model and let it write a few tokens; the refusal, if any."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        model_at(Path(folder))
        engine = TransformersEngine.load(
            Path(folder), device="cpu", threads=1, adapter=Path(adapter) if adapter else None
        )
        conversation = engine.open()
        side = engine.sizing.factor
        noise = np.random.default_rng(0).integers(0, 256, (3 * side, 4 * side, 3))
        turns = [Turn("system", "You see."), Turn("user", "a" * 60 + " Is it?", picture=0)]
        conversation.append(turns, [Image.fromarray(noise.astype(np.uint8))])
        conversation.generate(SamplingSettings(max_new_tokens=3))
        engine.close()
    except WorkbenchError as error:
        return str(error)
    return ""


def convert(folder: str, out: str) -> str:
    """Make GGUF files of a folder; the refusal, if any."""
    try:
        plan = plan_conversion(Path(folder), "q4_k_m")
        write_files(plan, Path(out))
    except WorkbenchError as error:
        return str(error)
    return ""


def wild(folder: Path, seed: int) -> None:
    """The weights are cut or have other bytes in their header, or a setting has another value."""
    chance = random.Random(seed)
    if chance.random() < 0.5:
        place = folder / chance.choice(
            ["config.json", "tokenizer.json", "preprocessor_config.json"]
        )
        if place.exists():
            values = json.loads(place.read_bytes())
            changed(values, chance)
            place.write_text(json.dumps(values))
        return
    place = folder / "model.safetensors"
    data = bytearray(place.read_bytes())
    place.unlink()  # a link to that of all
    if chance.random() < 0.3:
        del data[chance.randrange(len(data)) :]
    else:
        for _ in range(chance.choice([1, 3, 20])):
            data[chance.randrange(min(len(data), 8 + chance.choice([0, 3000])))] = chance.randrange(
                256
            )
    place.write_bytes(data)


def json_change(name: str, *path: str | int, value: object) -> Change:
    """Set one value inside a JSON file of the folder; the file itself without a path."""

    def change(folder: Path) -> None:
        file = folder / name
        content: Any = json.loads(file.read_text()) if file.exists() else {}
        if path:
            inner = content
            for step in path[:-1]:
                inner = inner.setdefault(step, {}) if isinstance(inner, dict) else inner[step]
            inner[path[-1]] = value
        else:
            content = value
        file.write_text(json.dumps(content))

    return change


def raw_change(name: str, content: bytes) -> Change:
    def change(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return change


def safetensors(header: object, data: bytes = b"", length: int | None = None) -> Change:
    """Weights with this header, of which the length may be a lie."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    size = struct.pack("<Q", len(text) if length is None else length)
    return raw_change("model.safetensors", size + text + data)


def copy(tiny: Path, target: Path, change: Change) -> Path:
    """A copy of a model with one thing changed; the weights are linked."""
    target.mkdir(parents=True)
    for file in tiny.iterdir():
        if file.suffix == ".safetensors":
            (target / file.name).hardlink_to(file)
        else:
            shutil.copy(file, target)
    weights = target / "model.safetensors"
    if getattr(change, "__qualname__", "").startswith("raw_change"):
        weights.unlink()
        shutil.copy(tiny / "model.safetensors", target)
    change(target)
    return target


def folders() -> dict[str, Change]:
    """Changes to a folder that works, by name."""
    text, vision = "text_config", "vision_config"
    doubling = [{"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}] * 40
    catastrophe = {"Regex": "(a|a|aa)+$|(a*)*b"}
    split = {"type": "Split", "pattern": catastrophe, "behavior": "Isolated", "invert": False}
    padding = {"strategy": {"Fixed": 10**10}, "direction": "Right", "pad_to_multiple_of": None,
               "pad_id": 0, "pad_type_id": 0, "pad_token": "x"}  # fmt: skip
    truncation = {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 0}
    config: dict[str, tuple[tuple[str, ...], object]] = {
        "heads_huge": ((text, "num_attention_heads"), 10**7),
        "heads_negative": ((text, "num_attention_heads"), -4),
        "heads_none": ((text, "num_attention_heads"), 0),
        "kv_heads_huge": ((text, "num_key_value_heads"), 10**7),
        "kv_heads_text": ((text, "num_key_value_heads"), "two"),
        "head_size_huge": ((text, "head_dim"), 10**7),
        "hidden_wide": ((text, "hidden_size"), 200_000),
        "hidden_between": ((text, "intermediate_size"), 200_000),
        "layers_many": ((text, "num_hidden_layers"), 1000),
        "layers_a_million": ((text, "num_hidden_layers"), 10**6),
        "vocabulary_huge": ((text, "vocab_size"), 2_000_000),
        "vocabulary_negative": ((text, "vocab_size"), -1),
        "context_huge": ((text, "max_position_embeddings"), 10**12),
        "context_text": ((text, "max_position_embeddings"), "long"),
        "layer_types_many": ((text, "layer_types"), ["full_attention"] * 100_000),
        "layer_types_odd": ((text, "layer_types"), ["__import__('os')"] * 4),
        "activation_odd": ((text, "hidden_act"), "os.system"),
        "attention_from_a_hub": ((text, "_attn_implementation"), "evil/kernels:attention"),
        "attention_from_a_hub_2": (("_attn_implementation",), "evil/kernels:attention"),
        "attention_from_a_hub_3": (("attn_implementation",), "evil/kernels:attention"),
        "code_from_a_hub": (("auto_map",), {"AutoModel": "evil/repo--modeling.Evil"}),
        "quantised_oddly": (("quantization_config",), {"quant_method": "evil"}),
        "quantised_gptq": (("quantization_config",), {"quant_method": "gptq", "bits": 4}),
        "quantised_awq": (("quantization_config",), {"quant_method": "awq", "bits": 4}),
        "quantised_list": (("quantization_config",), [1]),
        "dtype_odd": (("dtype",), "__import__"),
        "dtype_number": (("dtype",), 7),
        "rope_odd": ((text, "rope_parameters"), {"rope_type": "evil", "rope_theta": "x"}),
        "rope_dynamic": ((text, "rope_parameters", "rope_type"), "longrope"),
        "rope_sections": ((text, "rope_parameters", "mrope_section"), [10**9, 1, 1]),
        "rope_theta_zero": ((text, "rope_parameters", "rope_theta"), 0),
        "epsilon_nan": ((text, "rms_norm_eps"), float("nan")),
        "epsilon_text": ((text, "rms_norm_eps"), "small"),
        "window_huge": ((vision, "window_size"), 10**9),
        "window_zero": ((vision, "window_size"), 0),
        "depth_many": ((vision, "depth"), 1000),
        "channels_huge": ((vision, "in_channels"), 10**7),
        "vision_heads_huge": ((vision, "num_heads"), 10**9),
        "vision_heads_zero": ((vision, "num_heads"), 0),
        "vision_out_huge": ((vision, "out_hidden_size"), 10**8),
        "vision_blocks_huge": ((vision, "fullatt_block_indexes"), list(range(100_000))),
        "image_token_far": (("image_token_id",), 10**9),
        "image_token_text": (("image_token_id",), "<|im_end|>"),
        "text_config_list": ((text,), [1, 2]),
        "unknown_keys": (("a" * 10_000,), {"b": [1] * 1000}),
        "subclass": (("architectures",), ["os.system"]),
        "private_attributes": (("__class__",), "x"),
        "name_or_path": (("_name_or_path",), "/etc"),
        "output_everything": (("output_hidden_states",), True),
        "returns_tuples": (("return_dict",), False),
        "chunked": (("chunk_size_feed_forward",), 10**9),
    }
    changes = {
        f"config_{name}": json_change("config.json", *path, value=value)
        for name, (path, value) in config.items()
    }
    generation = {
        "ends_of_dictionaries": [{}, {}],
        "ends_of_lists": [[1]],
        "end_text": "<|im_end|>",
        "end_huge": 10**30,
        "ends_many": list(range(1_000_000)),
    }
    changes |= {
        f"generation_{name}": json_change("generation_config.json", "eos_token_id", value=value)
        for name, value in generation.items()
    }
    changes["generation_code"] = json_change(
        "generation_config.json", "custom_generate", value="a/b"
    )
    changes["generation_cache"] = json_change(
        "generation_config.json", "cache_implementation", value="x"
    )
    changes["generation_list"] = json_change("generation_config.json", value=[1])
    tokenizer: dict[str, tuple[tuple[str | int, ...], object]] = {
        "doubling": (("normalizer",), {"type": "Sequence", "normalizers": doubling}),
        "precompiled": (("normalizer",), {"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        "long_prefix": (("normalizer",), {"type": "Prepend", "prepend": "x" * 1_000_000}),
        "catastrophic": (("pre_tokenizer",), split),
        "catastrophic_normaliser": (
            ("normalizer",), {"type": "Replace", "pattern": catastrophe, "content": "b"}),
        "catastrophic_inside": (("pre_tokenizer", "pretokenizers", 0), split),
        "padded": (("padding",), padding),
        "truncated": (("truncation",), truncation),
        "other_model": (("model",), {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}),
        "unigram": (("model",), {"type": "Unigram", "unk_id": 0, "vocab": [["a", -1e308]]}),
        "dropout": (("model", "dropout"), 1.0),
        "far_numbers": (("model", "vocab", "far"), 2**32 - 1),
        "merge_of_nothing": (("model", "merges"), [["qq", "zz"]] * 1000),
        "ends_elsewhere": (("added_tokens", 0, "id"), 4_000_000_000),
        "token_of_nothing": (("added_tokens", 0, "content"), ""),
        "template": (("post_processor",), {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "a", "type_id": 0}}] * 1000, "pair": [],
            "special_tokens": {}}),
    }  # fmt: skip
    changes |= {
        f"tokenizer_{name}": json_change("tokenizer.json", *path, value=value)
        for name, (path, value) in tokenizer.items()
    }
    loop = "{% for i in range(10**12) %}{{ i }}{% endfor %}"
    escape = "{{ ''.__class__.__mro__[1].__subclasses__() }}"
    one = {"a": {"dtype": "F32", "shape": [2**62], "data_offsets": [0, 2**63]}}
    many = {f"a{n}": {"dtype": "F32", "shape": [], "data_offsets": [0, 0]} for n in range(200_000)}
    return changes | {
        "template_loop": raw_change("chat_template.jinja", loop.encode()),
        "template_escape": json_change("tokenizer_config.json", "chat_template", value=escape),
        "template_loop_inside": json_change("tokenizer_config.json", "chat_template", value=loop),
        "processor_code": json_change(
            "preprocessor_config.json", "auto_map", value={"a": "b--c.d"}
        ),
        "pixels_negative": json_change("preprocessor_config.json", "min_pixels", value=-(10**9)),
        "pixels_huge": json_change("preprocessor_config.json", "max_pixels", value=10**30),
        "pixels_float": json_change("preprocessor_config.json", "max_pixels", value=1e308),
        "means_odd": json_change("preprocessor_config.json", "image_std", value=[1e-300] * 3),
        "config_deep": raw_change("config.json", b"[" * 100_000),
        "config_long_number": raw_change("config.json", b'{"a": ' + b"9" * 10_000 + b"}"),
        "config_not_utf_8": raw_change("config.json", b"\xff\xfe{}"),
        "weights_empty": raw_change("model.safetensors", b""),
        "weights_header_huge": safetensors({}, length=2**63),
        "weights_header_cut": safetensors({}, length=50_000),
        "weights_of_text": raw_change("model.safetensors", b"{}" * 5000),
        "weights_pickled": raw_change("model.safetensors", b"\x80\x04cos\nsystem\n(S'x'\ntR."),
        "weights_one_huge": safetensors(one),
        "weights_many_empty": safetensors(many),
        "weights_deep": safetensors(b"[" * 100_000),
        "weights_overlap": safetensors(
            {name: {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} for name in "ab"},
            bytes(8),
        ),
        "index_of_itself": raw_change(
            "model.safetensors.index.json", b'{"weight_map": {"a": ".."}}'
        ),
    }
