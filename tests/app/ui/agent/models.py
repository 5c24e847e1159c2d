"""A user's folder of models."""

from __future__ import annotations

import pytest

GGUF_CARD = """
name = "mine"
title = "A model of mine"
family = "qwen2.5-vl"
engine = "gguf"
simulated_only = true

[[files]]
role = "weights"
path = "mine.gguf"
size = 5

[[files]]
role = "mmproj"
path = "mmproj.gguf"
size = 5
"""


@pytest.fixture
def models(tmp_path, monkeypatch):
    """The user's folder of models, empty."""
    monkeypatch.setenv("SPEC_O3_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "models"


def put(folder, **sizes):
    folder.mkdir(parents=True)
    (folder / "model.toml").write_text(GGUF_CARD)
    for name, size in sizes.items():
        (folder / f"{name}.gguf").write_bytes(b"x" * size)
