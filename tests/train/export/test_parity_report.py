"""The comparison with transformers that follows an export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("torch")

from agent.convert.checkpoint import ConversionError
from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.export.pairs import exported, pair_qwen3, pair_qwen25
from train.export import parity_report
from train.export.parity_report import with_parity

__all__ = ["pair_qwen3", "pair_qwen25", "tiny_qwen3", "tiny_qwen25"]


def test_wrong_files_are_called_wrong(
    tiny_qwen25: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pair of one model compared with another."""
    from tests.small_models import lively_model, small_tokenizer
    from train.models.small_model import save_small_model

    monkeypatch.setattr(parity_report, "EPISODES", 1)
    report = exported(tiny_qwen25, tmp_path / "out")
    save_small_model(tmp_path / "other", lively_model("qwen2.5-vl", seed=9), small_tokenizer())
    with pytest.raises(ConversionError, match="does not compute what transformers does"):
        with_parity(report, tmp_path / "other", wanted=True, threads=1)
    assert json.loads((tmp_path / "out" / "export.json").read_text())["parity"]["share"] < 0.9


def test_large_models_are_compared_when_asked(
    tiny_qwen25: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parity_report, "MOST_PARAMETERS", 1000)
    report = with_parity(exported(tiny_qwen25, tmp_path), tiny_qwen25, wanted=None)
    assert report.parity is None and "--parity" in report.parity_note
    assert json.loads((tmp_path / "export.json").read_text())["parity_note"] == report.parity_note
