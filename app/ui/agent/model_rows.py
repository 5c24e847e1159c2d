"""The models a person can choose from, whether each is ready, and how to get what is missing."""

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

translate = QCoreApplication.translate


@dataclass(frozen=True, kw_only=True)
class ModelRow:
    """`key` is what the settings keep: a name, a path or an address."""

    key: str
    title: str
    about: str
    state: str
    need: str = ""
    """What is missing and how to get it; empty: it is ready."""


def model_rows(chosen: str) -> tuple[list[ModelRow], str]:
    """All that have a name and the chosen one, the measured inspector first; and what was wrong
    with those left out. Looks at the disk: not for the window's thread."""
    faults: list[ResourceError] = []
    rows = [_measured(), *(_row(place) for place in list_models(on_fault=faults.append))]
    if chosen and chosen not in {row.key for row in rows}:
        rows.append(_chosen(chosen))
    return rows, "\n".join(str(fault) for fault in faults)


def _measured() -> ModelRow:
    return ModelRow(
        key=MEASURED,
        title=MEASURED,
        about=" · ".join(
            (
                translate("agent", "Measurements alone, needs no model"),
                translate("agent", "weights fitted on simulations only"),
            )
        ),
        state=translate("agent", "always there"),
    )


def _chosen(name: str) -> ModelRow:
    """A path or an address of the user's."""
    try:
        place = find_model(name)
    except ResourceError as error:
        gone = translate("agent", "not found")
        return ModelRow(key=name, title=name, about="", state=gone, need=str(error))
    return replace(_row(place), key=name, about=name)


def _row(place: ModelLocation) -> ModelRow:
    card = place.card
    parts = [card.title or card.family, _size(place), card.engine]
    if card.simulated_only:
        parts.append(translate("agent", "trained on simulations only"))
    return ModelRow(
        key=card.name,
        title=card.name,
        about=" · ".join(part for part in parts if part),
        state=_state(place),
        need=_need(place),
    )


def _state(place: ModelLocation) -> str:
    if place.origin == "hub":
        is_begun = is_partly_downloaded(place)
        partly = translate("agent", "fetched in part")
        return partly if is_begun else translate("agent", "not on this machine")
    if place.missing:
        return translate("agent", "incomplete")
    if _need_of_engine(place.card.engine):
        return translate("agent", "its engine is not installed")
    return (
        translate("agent", "a server") if place.origin == "server" else translate("agent", "ready")
    )


def _need(place: ModelLocation) -> str:
    card = place.card
    if place.origin == "hub":
        words = translate(
            "agent",
            "{name} is not on this machine yet. In a terminal: spec-o3 models get {name}\n"
            "Or put its files into {folder}",
        )
        if is_partly_downloaded(place):
            words = translate(
                "agent",
                "{name} was fetched in part. In a terminal, to go on: spec-o3 models get {name}",
            )
        return words.replace("{name}", card.name).replace("{folder}", str(models_folder()))
    if place.missing:
        words = translate("agent", "Incomplete, {files} is missing in {folder}")
        some = ", ".join(place.missing[:3])
        return words.replace("{files}", some).replace("{folder}", str(place.folder))
    return _need_of_engine(card.engine)


def _need_of_engine(engine: str) -> str:
    if engine == "transformers" and not (_is_there("torch") and _is_there("transformers")):
        words = translate("agent", "Needs torch and transformers: pip install {what}")
        return words.replace("{what}", '"spec-o3-workbench[gpu]"')
    if engine == "gguf" and not (_is_there("llama_cpp") or _is_there("xllamacpp")):
        words = translate("agent", "Needs llama.cpp: pip install {what}")
        return words.replace("{what}", '"spec-o3-workbench[gguf]"')
    return ""


def _is_there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _size(place: ModelLocation) -> str:
    if place.card.bytes:
        return f"{place.card.bytes / 1e9:.1f} GB"
    if place.card.parameters:
        billions = f"{place.card.parameters / 1e9:.1f}"
        return translate("agent", "{n} billion parameters").replace("{n}", billions)
    return ""
