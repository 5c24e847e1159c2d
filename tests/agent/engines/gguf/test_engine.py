"""A tiny Qwen2.5-VL through llama.cpp: what it reads, forgets and refuses."""

import logging

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("torch")

import torch

from agent.engines.base import SamplingSettings
from agent.engines.families import FAMILIES
from agent.engines.gguf.engine import GgufConversation, GgufEngine
from agent.engines.gguf.native import native
from agent.engines.patches import patches
from agent.errors import EngineError
from agent.protocol.protocol import Turn
from agent.rendering.model_image import Sizing
from tests.agent.engines.gguf.gguf_scenes import (
    NEAR,
    QUESTION,
    conversation,
    engine,
    logits_after,
    picture,
)
from tests.small_models import lively_model, tiny_qwen3, tiny_qwen25
from tests.train.export.pairs import engine_qwen25, load, pair_qwen3, pair_qwen25
from train.export.export import ExportReport

__all__ = [
    "conversation", "engine", "engine_qwen25", "pair_qwen3", "pair_qwen25", "tiny_qwen3",
    "tiny_qwen25",
]  # fmt: skip


def test_positions_past_training_are_refused(pair_qwen25: ExportReport) -> None:
    engine = load(pair_qwen25, context_length=1_000_000)
    assert engine._shared.context_length == 32768
    engine.close()


@pytest.mark.parametrize("sizing", [Sizing.of_tokens(32), Sizing.of_tokens(28, 4, 100)])
def test_sizings_llama_cpp_would_change_are_refused(
    pair_qwen25: ExportReport, sizing: Sizing
) -> None:
    with pytest.raises(EngineError, match=r"pixels|resize"):
        pair = pair_qwen25.language_model, pair_qwen25.mmproj
        GgufEngine.load(*(pair_qwen25.folder / each.name for each in pair), sizing=sizing)


def test_qwen3_reads_and_speaks(pair_qwen3: ExportReport) -> None:
    engine = load(pair_qwen3, context_length=512)
    assert engine.sizing.factor == 32
    conversation = engine.open()
    pixels = np.random.default_rng(0).integers(0, 256, (4 * 32, 6 * 32, 3), np.uint8)
    conversation.append([QUESTION], [Image.fromarray(pixels)])
    assert conversation.usage.images == 24
    assert conversation.generate(SamplingSettings(max_new_tokens=4)).tokens == 4
    engine.close()


def test_all_layers_on_a_gpu_that_is_not_there(pair_qwen25: ExportReport) -> None:
    """It runs on the processor then, and says the same."""
    if native().llama.llama_supports_gpu_offload():
        pytest.skip("this llama.cpp was built for a GPU")
    pair = pair_qwen25.language_model, pair_qwen25.mmproj
    files = (pair_qwen25.folder / each.name for each in pair)
    engine = GgufEngine.load(*files, gpu_layers=-1, threads=1, context_length=512)
    plain = load(pair_qwen25, context_length=512)
    logits = [logits_after(each, [QUESTION], [picture()]) for each in (engine, plain)]
    assert np.array_equal(*logits)
    engine.close()
    plain.close()


def test_one_user_at_a_time(engine: GgufEngine, conversation: GgufConversation) -> None:
    conversation.append([QUESTION], [picture()])
    refused: list[str] = []

    def meddle(_: str) -> None:
        for attempt in (engine.open, engine.close, conversation.mark, conversation.close):
            with pytest.raises(EngineError) as info:
                attempt()
            refused.append(str(info.value))

    conversation.generate(SamplingSettings(max_new_tokens=1), on_text=meddle)
    assert len(refused) == 4 and all("in use" in text for text in refused)
    assert conversation.generate is not None
    conversation.append([Turn("user", "Still there?")], [])


def test_closing_twice_and_using_what_is_closed(pair_qwen25: ExportReport) -> None:
    engine = load(pair_qwen25, context_length=256)
    first, second = engine.open(), engine.open()
    first.append([QUESTION], [picture()])
    usage = first.usage
    first.close()
    first.close()
    assert first.usage == usage and first.is_closed
    engine.close()
    engine.close()
    assert second.is_closed
    for attempt in (engine.open, lambda: second.append([QUESTION], [picture()])):
        with pytest.raises(EngineError, match="closed"):
            attempt()


def test_all_is_freed_when_loading_fails_half_way(
    pair_qwen25: ExportReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = native()
    freed: list[object] = []
    free = library.llama.llama_model_free
    monkeypatch.setattr(
        library.llama, "llama_model_free", lambda model: (freed.append(model), free(model))
    )
    monkeypatch.setattr(library.mtmd, "mtmd_init_from_file", lambda *arguments: None)
    with pytest.raises(EngineError, match=r"could not load .*mmproj"):
        load(pair_qwen25)
    assert len(freed) == 1


def test_the_library_is_silent(
    pair_qwen25: ExportReport, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="agent.engines.gguf"):
        engine = load(pair_qwen25, context_length=256)
        conversation = engine.open()
        conversation.append([QUESTION], [picture()])
        engine.close()
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    assert len(caplog.records) > 20
    assert {record.levelno for record in caplog.records} == {logging.DEBUG}


def tower_tokens(engine: GgufEngine, picture: Image.Image) -> NDArray[np.float32]:
    """What the vision tower alone gives for a picture: (down, across, width)."""
    settings, library, factor = engine._settings, native(), engine.sizing.factor
    width = int(library.llama.llama_model_n_embd_inp(settings.model))
    conversation = engine.open()
    try:
        with conversation._open_context()._prepared(picture) as chunk:
            assert library.mtmd.mtmd_encode_chunk(settings.vision, chunk) == 0
            values = library.mtmd.mtmd_get_output_embd(settings.vision)
            shape = (picture.height // factor, picture.width // factor, width)
            return np.array(np.ctypeslib.as_array(values, shape=shape))
    finally:
        conversation.close()


def test_the_vision_tower_gives_what_transformers_gives(engine: GgufEngine) -> None:
    shown = picture(across=6, down=4)
    ours = tower_tokens(engine, shown)
    cut = patches(shown, FAMILIES["qwen2_5_vl"].vision)
    model = lively_model("qwen2.5-vl")
    with torch.no_grad():
        theirs = model.model.visual(torch.from_numpy(cut.rows), torch.tensor([cut.grid]))
    assert np.allclose(ours.reshape(24, -1), theirs.pooler_output.numpy(), atol=NEAR)
    assert theirs.pooler_output.std() > 20 * NEAR
