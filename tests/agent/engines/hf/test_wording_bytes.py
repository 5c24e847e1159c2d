"""What a transformers model reads in a wording is what the template renders from its files."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from agent.engines import local_conversation
from agent.engines.chat_tokens import plain_ids
from agent.engines.hf.engine import TransformersConversation, TransformersEngine
from agent.protocol.wording_file import write_wording
from tests.agent.engines.hf.hf_scenes import decoded, engine25, engines, tokenizer_of
from tests.agent.engines.wording_scenes import (
    TURNS,
    as_rolled_out,
    inspect,
    one_mark_a_picture,
    rendered,
)
from tests.agent.protocol.wordings import wording
from tests.small_models import tiny_qwen3, tiny_qwen25

__all__ = ["engine25", "engines", "tiny_qwen3", "tiny_qwen25"]


def test_the_model_reads_what_the_template_renders(
    engine25: TransformersEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_wording(wording(), tmp_path / "clerk")
    tokenizer = tokenizer_of(engine25)
    end = tokenizer.token_to_id("<|im_end|>")
    script = iter([token for text in TURNS for token in (*plain_ids(tokenizer, text), end)])
    monkeypatch.setattr(local_conversation, "choose", lambda *_: next(script))
    read: list[str] = []
    generate = TransformersConversation.generate

    def noting(conversation: TransformersConversation, *args, **options):
        read.append(one_mark_a_picture(decoded(engine25, conversation.ids)))
        return generate(conversation, *args, **options)

    monkeypatch.setattr(TransformersConversation, "generate", noting)
    inspect(engine25, folder)
    assert len(read) == 3
    assert read[-1] == as_rolled_out(rendered(folder))
    assert read[-1].startswith(read[0]) and read[-1].startswith(read[1])
