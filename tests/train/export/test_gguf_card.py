from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

from tests.agent.convert.folders import copy25
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.export.export import export_gguf

__all__ = ["copy25", "tiny_qwen3", "tiny_qwen25"]


def test_the_pair_is_shown_what_the_model_was_trained_with(copy25: Path, tmp_path: Path) -> None:
    from agent.models.card_file import read_card, write_card
    from agent.models.infer_card import make_card
    from agent.models.registry import model_at
    from agent.rendering.render import EYE
    from train.export.export import write_gguf_card

    out = tmp_path / "pair"
    report = export_gguf(copy25, out)
    assert write_gguf_card(copy25, report) is None  # nothing is known of it
    write_card(make_card(copy25, style=EYE, simulated_only=True, title="Small"), copy25)
    write_gguf_card(copy25, report)
    card = read_card(out)
    assert (card.engine, card.style, card.title, card.simulated_only) == (
        "gguf",
        EYE,
        "Small",
        True,
    )
    assert {file.path: file.size for file in card.files} == {
        name: (out / name).stat().st_size for name in ("model-f16.gguf", "mmproj-f16.gguf")
    }
    assert model_at(out).is_ready
