"""The shape of a model is read from its config; shapes that llama.cpp gets wrong are refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

pytest.importorskip("gguf")
pytest.importorskip("torch")

import numpy as np
import torch

from agent.convert.checkpoint import ConversionError, open_checkpoint
from agent.convert.metadata import Value, text_metadata, vision_metadata
from agent.convert.shapes import read_shape
from agent.convert.vocabulary import read_vocabulary
from tests.agent.convert.folders import Json, copy3, copy25, edit, read_gguf
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.export.export import export_gguf

__all__ = ["copy3", "copy25", "tiny_qwen3", "tiny_qwen25"]


def test_flat_configs_of_the_hub(copy25: Path) -> None:
    def flatten(config: Json) -> None:
        text = config.pop("text_config")
        rope = text.pop("rope_parameters")
        text.pop("model_type")
        config.update(text)
        config.update(
            rope_theta=rope["rope_theta"],
            rope_scaling={"type": "mrope", "mrope_section": rope["mrope_section"]},
        )

    before = read_shape(open_checkpoint(copy25).config)
    edit(copy25, "config.json", flatten)
    assert read_shape(open_checkpoint(copy25).config) == before


def text(**changes: object) -> Callable[[Json], object]:
    return lambda config: config["text_config"].update(changes)


def vision(**changes: object) -> Callable[[Json], object]:
    return lambda config: config["vision_config"].update(changes)


def rope(**changes: object) -> Callable[[Json], object]:
    return lambda config: config["text_config"]["rope_parameters"].update(changes)


CONFIG_FAULTS: dict[str, tuple[Callable[[Json], object], str]] = {
    "another model": (lambda config: config.update(model_type="llava"), "type 'llava'"),
    "a model of no type": (lambda config: config.update(model_type=[]), "a model of type"),
    "layers of odd kinds": (text(layer_types=[[]]), "full attention"),
    "a head tied by a list": (text(tie_word_embeddings=[], vocab_size=800), "shape"),
    "half a letter": (vision(hidden_act="\ud800"), r"activation is \?"),
    "vision ffn as wide as hidden": (vision(intermediate_size=64), "swapped"),
    "irregular whole attention": (vision(fullatt_block_indexes=[0, 3]), "every n-th"),
    "whole attention left out at the end": (vision(fullatt_block_indexes=[1]), "every n-th"),
    "no whole attention": (vision(fullatt_block_indexes=[]), "every n-th"),
    "another window": (vision(window_size=56), "window_size is 56"),
    "another merging": (vision(spatial_merge_size=1), "spatial_merge_size"),
    "another patch": (vision(patch_size=16), "patches of 16"),
    "another time patch": (vision(temporal_patch_size=1), "temporal_patch_size"),
    "another vision activation": (vision(hidden_act="gelu"), "activation is gelu"),
    "another vision theta": (vision(rope_parameters={"rope_theta": 500.0}), "rope_theta"),
    "grey pictures": (vision(in_channels=1), "channels"),
    "odd vision heads": (vision(num_heads=3), "multiple of 4"),
    "a vision tower for another model": (vision(out_hidden_size=64), "gives 64 numbers"),
    "sections that do not add up": (rope(mrope_section=[4, 6, 5]), "half a head"),
    "two sections": (rope(mrope_section=[8, 8]), "three numbers"),
    "no sections": (lambda c: c["text_config"]["rope_parameters"].pop("mrope_section"), "mrope"),
    "stretched rope": (rope(rope_type="yarn"), "scaled"),
    "no rope": (lambda c: c["text_config"].pop("rope_parameters"), "rope_parameters"),
    "a sliding window": (text(use_sliding_window=True), "sliding window"),
    "sliding layers": (text(layer_types=["sliding_attention"] * 4), "full attention"),
    "another activation": (text(hidden_act="gelu"), "silu"),
    "heads that do not fit": (text(num_key_value_heads=3), "multiple of key-value"),
    "a width of no heads": (text(num_attention_heads=3, num_key_value_heads=3), "multiple of its"),
    "no layers": (text(num_hidden_layers=0), "num_hidden_layers"),
    "endless layers": (text(num_hidden_layers=10**9), "num_hidden_layers"),
    "words for numbers": (text(hidden_size="128"), "hidden_size"),
    "no vision": (lambda config: config.pop("vision_config"), "vision_config"),
    "another number of rows": (text(vocab_size=800), "shape"),
    "more layers than weights": (text(num_hidden_layers=5), "lacks layers.4"),
    "a head that is not there": (
        lambda config: (
            config.update(tie_word_embeddings=False),
            config["text_config"].update(tie_word_embeddings=False),
        ),
        r"lacks lm_head\.weight",
    ),
    "fewer layers than weights": (text(num_hidden_layers=3), "do not, such as layers.3"),
}


QWEN3_FAULTS: dict[str, tuple[Callable[[Json], object], str]] = {
    "positions that are no square": (vision(num_position_embeddings=250), "not a square"),
    "taps out of order": (vision(deepstack_visual_indexes=[2, 1]), "ascending"),
    "taps past the end": (vision(deepstack_visual_indexes=[1, 9]), "ascending"),
    "exact gelu": (vision(hidden_act="gelu"), "activation"),
    "attention biases": (text(attention_bias=True), "biases"),
}


# Every tensor of a checkpoint has its place in the GGUF files.


def test_shards_untied_heads_and_older_names(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    (copy25 / "model.safetensors").unlink()
    head = torch.randn(768, 128, generator=torch.Generator().manual_seed(0))
    shards = {
        "a.safetensors": {name: t for name, t in weights.items() if name.startswith("visual.")},
        "b.safetensors": {
            name.replace("model.", "model.language_model."): tensor
            for name, tensor in weights.items()
            if not name.startswith("visual.")
        }
        | {"lm_head.weight": head},
    }
    for name, content in shards.items():
        save_file(content, copy25 / name)
    index = {"weight_map": {key: name for name, content in shards.items() for key in content}}
    (copy25 / "model.safetensors.index.json").write_text(json.dumps(index))
    edit(
        copy25,
        "config.json",
        lambda config: config["text_config"].update(tie_word_embeddings=False),
    )
    export_gguf(copy25, copy25 / "out", lm_type="f32")
    made = read_gguf(copy25 / "out" / "model-f32.gguf")
    assert np.array_equal(made["output.weight"], head.numpy())


def test_a_head_that_is_the_embedding_is_written_once(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    head = {"lm_head.weight": weights["model.embed_tokens.weight"].clone()}
    save_file(weights | head, copy25 / "model.safetensors")
    export_gguf(copy25, copy25 / "out")
    assert "output.weight" not in read_gguf(copy25 / "out" / "model-f16.gguf")


def test_two_configs_that_differ_do_not_lose_the_head(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    head = {"lm_head.weight": weights["model.embed_tokens.weight"] + 0.5}
    save_file(weights | head, copy25 / "model.safetensors")
    with pytest.raises(ConversionError, match="ties head and embedding"):
        export_gguf(copy25, copy25 / "out")
    edit(copy25, "config.json", lambda config: config.update(tie_word_embeddings=False))
    export_gguf(copy25, copy25 / "out")
    assert "output.weight" in read_gguf(copy25 / "out" / "model-f16.gguf")


def test_quantized_or_foreign_weights(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    save_file(weights | {"model.layers.0.lora_A": torch.zeros(2)}, copy25 / "model.safetensors")
    with pytest.raises(ConversionError, match="lora_A"):
        export_gguf(copy25, copy25 / "out")
    packed = weights["model.layers.0.mlp.up_proj.weight"].to(torch.int8)
    save_file(weights | {"model.layers.0.mlp.up_proj.weight": packed}, copy25 / "model.safetensors")
    with pytest.raises(ConversionError, match="'I8'"):
        export_gguf(copy25, copy25 / "out")


# A tokenizer is exported only if llama.cpp splits text in the same way.


def step(number: int, **changes: object) -> Callable[[Json], object]:
    return lambda t: t["pre_tokenizer"]["pretokenizers"][number].update(changes)


def added(**changes: object) -> Callable[[Json], object]:
    return lambda t: t["added_tokens"][-1].update(changes)


TOKENIZER_FAULTS: dict[str, tuple[Callable[[Json], object], str]] = {
    "steps that are none": (lambda it: it.update(post_processor=[1]), "adds tokens of its own"),
    "ids that are lists": (lambda it: it["model"].update(vocab={"a": [1]}), "ids are not unique"),
    "another split": (step(0, pattern={"Regex": r"\p{L}+|\s+"}), "split text as Qwen"),
    "a blank put in front": (step(1, add_prefix_space=True), "split text as Qwen"),
    "one step": (lambda t: t["pre_tokenizer"]["pretokenizers"].pop(), "split text as Qwen"),
    "no steps": (lambda t: t.update(pre_tokenizer=None), "split text as Qwen"),
    "another normalizer": (lambda t: t.update(normalizer={"type": "NFKC"}), "NFC"),
    "another kind": (lambda t: t["model"].update(type="WordPiece"), "BPE"),
    "merges ignored": (lambda t: t["model"].update(ignore_merges=True), "ignore_merges"),
    "byte fallback": (lambda t: t["model"].update(byte_fallback=True), "byte_fallback"),
    "a greedy added token": (added(lstrip=True), "absorbs"),
    "a number twice": (added(id=3), "unique"),
    "a number past the end": (added(id=5000), "unique"),
    "a nameless token": (added(content=""), "added token"),
    "no turn ends": (lambda t: t["added_tokens"][2].update(content="<|stop|>"), r"\|im_end"),
    "no merges": (lambda t: t["model"].pop("merges"), "no merges"),
    "odd merges": (lambda t: t["model"].update(merges=["a b c"]), "not a pair"),
    "tokens around texts": (
        lambda t: t.update(post_processor={"type": "BertProcessing", "sep": ["x", 1]}),
        "of its own",
    ),
}


FAULTS = {
    ("copy25", "config.json"): CONFIG_FAULTS, ("copy3", "config.json"): QWEN3_FAULTS,
    ("copy25", "tokenizer.json"): TOKENIZER_FAULTS,
}  # fmt: skip


@pytest.mark.parametrize(
    ("model", "file", "name"),
    [(*place, name) for place, faults in FAULTS.items() for name in faults],
)
def test_what_llama_cpp_gets_wrong_is_refused(
    request: pytest.FixtureRequest, model: str, file: str, name: str
) -> None:
    folder, (change, reason) = request.getfixturevalue(model), FAULTS[model, file][name]
    edit(folder, file, change)
    with pytest.raises(ConversionError, match=reason) as info:
        export_gguf(folder, folder / "out")
    assert "\n" not in str(info.value)
    assert not list(folder.glob("out/*.gguf"))


# The metadata of the two GGUF files, with the names and types that llama.cpp reads.
def test_the_language_models_keys(tiny_qwen3: Path) -> None:
    checkpoint = open_checkpoint(tiny_qwen3)
    shape = read_shape(checkpoint.config)
    vocabulary = read_vocabulary(checkpoint, shape.text.vocab)
    keys = text_metadata(shape, vocabulary, "q8_0", "mine")
    assert keys["general.architecture"] == Value("text", "qwen3vl")
    assert keys["general.name"] == Value("text", "mine")
    assert keys["general.file_type"] == Value("u32", 7)
    assert keys["qwen3vl.n_deepstack_layers"] == Value("u32", len(shape.vision.deepstack))
    end = keys["tokenizer.ggml.eos_token_id"].value
    assert keys["tokenizer.ggml.tokens"].value[end] == "<|im_end|>"


def test_pictures_are_normalized_as_the_folder_says(copy25: Path) -> None:
    def keys() -> dict[str, Value]:
        checkpoint = open_checkpoint(copy25)
        return vision_metadata(read_shape(checkpoint.config), checkpoint, "f16", "mine")

    edit(copy25, "preprocessor_config.json", lambda each: each.update(image_std=[0.5, 0.25, 1]))
    assert keys()["clip.vision.image_std"] == Value("f32s", [0.5, 0.25, 1.0])
    newer = copy25 / "processor_config.json"
    newer.write_text('{"image_processor": {"image_std": [0.1, 0.2, 0.3]}}')
    assert keys()["clip.vision.image_std"] == Value("f32s", [0.1, 0.2, 0.3])
    newer.write_text('{"image_processor": {"image_std": [0.1]}}')
    with pytest.raises(ConversionError, match="image_std of three numbers"):
        keys()
