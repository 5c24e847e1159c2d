"""What llama.cpp reads in a wording is what the template renders from its files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("torch")

from agent.engines.gguf.context import GgufContext
from agent.engines.gguf.engine import GgufConversation, GgufEngine
from agent.protocol.wording_file import write_wording
from tests.agent.engines.gguf.gguf_scenes import script_reply
from tests.agent.engines.wording_scenes import TURNS, as_rolled_out, inspect, rendered
from tests.agent.protocol.wordings import wording
from tests.small_models import tiny_qwen25
from tests.train.export.pairs import engine_qwen25, pair_qwen25

__all__ = ["engine_qwen25", "pair_qwen25", "tiny_qwen25"]


def test_the_model_reads_what_the_template_renders(
    engine_qwen25: GgufEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_wording(wording(), tmp_path / "clerk")
    script_reply(monkeypatch, engine_qwen25, *TURNS)
    vocabulary = engine_qwen25._shared.vocabulary
    read = bytearray()
    before: list[str] = []
    read_text, read_picture = GgufContext._read_text, GgufContext.read_picture
    generate = GgufConversation.generate

    def noting_text(context: GgufContext, ids: Sequence[int], **options):
        read.extend(b"".join(map(vocabulary.bytes_of, ids)))
        return read_text(context, ids, **options)

    def noting_picture(context: GgufContext, picture: Image.Image) -> None:
        read.extend(b"<|image_pad|>")
        read_picture(context, picture)

    def noting(conversation: GgufConversation, *args, **options):
        before.append(read.decode())
        return generate(conversation, *args, **options)

    monkeypatch.setattr(GgufContext, "_read_text", noting_text)
    monkeypatch.setattr(GgufContext, "read_picture", noting_picture)
    monkeypatch.setattr(GgufConversation, "generate", noting)
    inspect(engine_qwen25, folder)
    assert len(before) == 3
    assert before[-1] == as_rolled_out(rendered(folder))
