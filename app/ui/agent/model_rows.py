"""Lists the models to choose from, whether each is ready, and how to get what is missing."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication

from agent.errors import ResourceError
from agent.inspection.inspector_factory import MEASURED
from agent.models.registry import (
    ModelLocation,
    find_model,
    is_partly_downloaded,
    list_models,
    models_folder,
)
from app.core.database.locations import shown_location

translate = QCoreApplication.translate


@dataclass(frozen=True, kw_only=True)
class ModelRow:
    """One model; `key` is stored in the settings: a name, a path or an address."""

    key: str
    title: str
    about: str
    state: str
    need: str = ""
    """What is missing and how to get it; empty: ready."""


def model_rows(chosen: str) -> tuple[list[ModelRow], str]:
    """Return rows of all known models and the chosen one, and the errors of skipped ones.

    It reads the disk, so do not call it on the GUI thread.
    """
    faults: list[ResourceError] = []
    rows = [_measured(), *(_row(location) for location in list_models(on_fault=faults.append))]
    if chosen and chosen not in {row.key for row in rows}:
        rows.append(_chosen(chosen))
    return rows, "\n".join(str(fault) for fault in faults)


def _measured() -> ModelRow:
    return ModelRow(
        key=MEASURED,
        title=MEASURED,
        about=" · ".join(
            (
                translate("agent", "Measurements only, needs no model"),
                translate("agent", "weights fitted on simulations only"),
            )
        ),
        state=translate("agent", "always available"),
    )


def _chosen(name: str) -> ModelRow:
    """Return the row of a path or address that the user gave."""
    try:
        location = find_model(name)
    except ResourceError as error:
        state = translate("agent", "not found")
        title = shown_location(name)
        return ModelRow(key=name, title=title, about="", state=state, need=str(error))
    return replace(_row(location), key=name, about=shown_location(name))


def _row(location: ModelLocation) -> ModelRow:
    card = location.card
    parts = [card.title or card.family, _size(location), card.engine]
    if card.simulated_only:
        parts.append(translate("agent", "trained on simulations only"))
    return ModelRow(
        key=card.name,
        title=card.name,
        about=" · ".join(part for part in parts if part),
        state=_state(location),
        need=_need(location),
    )


def _state(location: ModelLocation) -> str:
    if location.origin == "hub":
        if is_partly_downloaded(location):
            return translate("agent", "partly downloaded")
        return translate("agent", "not on this machine")
    if location.missing:
        return translate("agent", "incomplete")
    if _need_of_engine(location.card.engine):
        return translate("agent", "its engine is not installed")
    if location.origin == "server":
        return translate("agent", "server")
    return translate("agent", "ready")


def _need(location: ModelLocation) -> str:
    card = location.card
    if location.origin == "hub":
        text = translate(
            "agent",
            "{name} is not on this machine yet. Run in a terminal: spec-o3 models get {name}\n"
            "Or put its files into {folder}",
        )
        if is_partly_downloaded(location):
            text = translate(
                "agent",
                "{name} is partly downloaded. To finish, run in a terminal: "
                "spec-o3 models get {name}",
            )
        return text.replace("{name}", card.name).replace("{folder}", str(models_folder()))
    if location.missing:
        text = translate("agent", "Incomplete: {files} is missing from {folder}")
        files = ", ".join(location.missing[:3])
        return text.replace("{files}", files).replace("{folder}", str(location.folder))
    return _need_of_engine(card.engine)


def _need_of_engine(engine: str) -> str:
    if engine == "transformers" and not (_is_installed("torch") and _is_installed("transformers")):
        text = translate("agent", "Needs torch and transformers: pip install {what}")
        return text.replace("{what}", '-e ".[gpu]"')
    if engine == "gguf" and not (_is_installed("llama_cpp") or _is_installed("xllamacpp")):
        text = translate("agent", "Needs llama.cpp: pip install {what}")
        return text.replace("{what}", '-e ".[gguf]"')
    return ""


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _size(location: ModelLocation) -> str:
    if location.card.bytes:
        return f"{location.card.bytes / 1e9:.1f} GB"
    if location.card.parameters:
        billions = f"{location.card.parameters / 1e9:.1f}"
        return translate("agent", "{n} billion parameters").replace("{n}", billions)
    return ""
