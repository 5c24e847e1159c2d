"""The card of exported GGUF files, with the style and sizing that the model was trained with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agent.convert.convert import WrittenFile
from agent.engines.gguf.kind import GGUF
from agent.engines.kind import Role
from agent.models.card import Card, ModelFile
from agent.models.card_file import CARD_NAME, read_card, write_card
from train.export.export import ExportReport


def write_gguf_card(model: Path, report: ExportReport) -> Card | None:
    """Write the card of `model` for the two files; returns None if it has none."""
    if not (model / CARD_NAME).is_file():
        return None
    words, pictures = report.language_model, report.mmproj
    card = replace(
        read_card(model),
        engine=GGUF.name,
        base="",
        source=None,
        parameters=words.parameters + pictures.parameters,
        files=(_entry("weights", words), _entry("mmproj", pictures)),
    )
    write_card(card, report.folder)
    return card


def _entry(role: Role, file: WrittenFile) -> ModelFile:
    return ModelFile(role=role, path=file.name, size=file.bytes, sha256=file.sha256)
