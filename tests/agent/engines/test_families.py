import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from agent.engines.families import FAMILIES, read_folder
from agent.engines.patches import patches, picture_tokens
from agent.errors import EngineError, ImageError
from agent.rendering.model_image import Sizing, prepare

CONFIG = {
    "model_type": "qwen2_5_vl", "hidden_size": 2048, "num_hidden_layers": 36, "vocab_size": 151936,
    "vision_config": {"depth": 32, "hidden_size": 1280, "patch_size": 14, "spatial_patch_size": 14},
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "config.json", CONFIG)
    (tmp_path / "model.safetensors").write_bytes(b"12345678")
    return tmp_path


def write(folder: Path, name: str, value: object) -> None:
    (folder / name).write_text(json.dumps(value))


def test_a_folder_of_the_hub(folder):
    write(folder, "preprocessor_config.json", {"min_pixels": 3136, "max_pixels": 12845056})
    found = read_folder(folder)
    assert found.family is FAMILIES["qwen2_5_vl"]
    assert found.vision == found.family.vision
    assert found.sizing == Sizing.of_tokens(28, 8, 1280)  # never more than we show
    assert found.weight_bytes == 8


def test_the_newer_family(folder):
    write(
        folder,
        "config.json",
        {
            "model_type": "qwen3_vl",
            "text_config": {"hidden_size": 2048},
            "vision_config": {"depth": 24, "patch_size": 16},
        },
    )
    size = {"shortest_edge": 65536, "longest_edge": 500 * 1024}
    write(folder, "preprocessor_config.json", {"size": size, "image_mean": [0.5] * 3})
    found = read_folder(folder)
    assert found.family.name == "Qwen3-VL"
    assert found.sizing == Sizing.of_tokens(32, 64, 500)


def test_settings_may_be_missing(folder):
    assert read_folder(folder).sizing == Sizing.of_tokens(28, 8, 1280)


@pytest.mark.parametrize("settings", [
    {"min_pixels": -5, "max_pixels": "many"},
    {"size": 4, "image_mean": ["a", 1, 2]},
    {"image_std": [0.0, 0.5, 0.5]},
    {"image_std": [1e-300, 0.5, 0.5]},
])  # fmt: skip
def test_nonsense_settings_are_ignored(folder, settings):
    write(folder, "preprocessor_config.json", settings)
    found = read_folder(folder)
    assert found.sizing == Sizing.of_tokens(28, 8, 1280)
    assert found.vision == found.family.vision


def test_limits_below_ours_win(folder):
    write(folder, "preprocessor_config.json", {"min_pixels": 1, "max_pixels": 4 * 784})
    assert read_folder(folder).sizing == Sizing.of_tokens(28, 4, 4)


def test_shards_are_counted(folder):
    (folder / "model.safetensors").unlink()
    for name in ("a.safetensors", "b.safetensors"):
        (folder / name).write_bytes(b"1234")
    index = {"weight_map": {"x": "a.safetensors", "y": "b.safetensors", "z": "a.safetensors"}}
    write(folder, "model.safetensors.index.json", index)
    assert read_folder(folder).weight_bytes == 8


class TestRefusals:
    def refused(self, folder: Path, why: str) -> None:
        with pytest.raises(EngineError, match=why) as caught:
            read_folder(folder)
        assert "\n" not in str(caught.value)

    def test_no_folder(self, tmp_path):
        self.refused(tmp_path / "gone", "not a model folder")

    def test_no_config(self, tmp_path):
        self.refused(tmp_path, r"config\.json cannot be read")

    @pytest.mark.parametrize("text", ["", "[1]", "{", "[" * 100_000, '"\\ud800"', "\0"])
    def test_broken_config(self, folder, text):
        (folder / "config.json").write_text(text)
        self.refused(folder, "not valid JSON|not a JSON object")

    def test_huge_config(self, folder):
        with (folder / "config.json").open("wb") as file:
            file.truncate(30_000_000)
        self.refused(folder, "too large")

    @pytest.mark.parametrize("kind", ["llama", None, 3, ["qwen2_5_vl"]])
    def test_other_models(self, folder, kind):
        write(folder, "config.json", CONFIG | {"model_type": kind})
        self.refused(folder, r"Qwen2\.5-VL and Qwen3-VL")

    @pytest.mark.parametrize("change", [
        {"hidden_size": 10**9},
        {"num_hidden_layers": 10**6},
        {"vocab_size": "all"},
        {"vision_config": None},
        {"vision_config": {"depth": -1}},
        {"vision_config": {"patch_size": 16}},
        {"vision_config": {"patch_size": [14, 14]}},
        {"text_config": [1]},
        {"num_attention_heads": 0},
        {"num_attention_heads": 10**7},
        {"head_dim": 10**7},
        {"hidden_size": True},
        {"vision_config": {"num_heads": 0}},
        {"vision_config": {"window_size": 0}},
        {"vision_config": {"in_channels": 10**7}},
        {"_attn_implementation": "evil/kernels:attention"},
        {"vision_config": {"attn_implementation": "evil/kernels"}},
        *(
            {
                "rope_scaling": {"mrope_section": sections},
                "hidden_size": 64,
                "num_attention_heads": 2,
            }
            for sections in ([10**9, 1, 1], [8, 8], [24, -4, -4], "all", [1.5, 6.5, 8])
        ),
    ])  # fmt: skip
    def test_absurd_shapes(self, folder, change):
        write(folder, "config.json", CONFIG | change)
        self.refused(folder, r"config\.json|patch layout")

    @pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.pth"])
    def test_weights_that_can_run_code(self, folder, name):
        (folder / "model.safetensors").rename(folder / name)
        self.refused(folder, "convert them to safetensors")

    def test_no_weights(self, folder):
        (folder / "model.safetensors").unlink()
        self.refused(folder, r"no model\.safetensors")

    @pytest.mark.parametrize(("names", "why"), [
        (["../secret.safetensors"], "not a weight file beside it"),
        (["/etc/passwd"], "not a weight file beside it"),
        (["weights.bin"], "not a weight file beside it"),
        (["part-2.safetensors"], "download is incomplete"),
        ([], "lists no files"),
    ])  # fmt: skip
    def test_shards_elsewhere(self, folder, names, why):
        (folder / "model.safetensors").unlink()
        weight_map = {str(number): name for number, name in enumerate(names)}
        write(folder, "model.safetensors.index.json", {"weight_map": weight_map})
        self.refused(folder, why)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
@pytest.mark.parametrize("size", [(800, 480), (560, 364), (90, 1000)])
def test_equal_what_transformers_makes_of_the_picture(family, size, rng):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    vision = family.vision
    noise = rng.integers(0, 256, (size[1], size[0], 3)).astype(np.uint8)
    sizing = Sizing.of_tokens(vision.factor, most=200)
    image = prepare(Image.fromarray(noise), sizing)
    theirs = Qwen2VLImageProcessorPil(
        patch_size=vision.patch,
        min_pixels=sizing.min_pixels,
        max_pixels=sizing.max_pixels,
        image_mean=list(vision.mean),
        image_std=list(vision.std),
    )(image, return_tensors="np")

    ours = patches(image, vision)
    assert [list(ours.grid)] == theirs["image_grid_thw"].tolist()
    assert ours.rows.dtype == np.float32
    assert np.abs(ours.rows - theirs["pixel_values"]).max() < 1e-5
    assert picture_tokens(image, vision) == len(ours.rows) // 4


@pytest.mark.parametrize(
    "image", [Image.new("L", (56, 56)), Image.new("RGB", (56, 57)), Image.new("RGB", (14, 56))]
)
def test_refuse_pictures_that_are_not_sized(image):
    with pytest.raises(ImageError, match="multiples of 28"):
        patches(image, FAMILIES["qwen2_5_vl"].vision)
