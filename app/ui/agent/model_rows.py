"""Lists the models to choose from, whether each is ready, and how to get what is missing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication

from agent.engines.registry import engine_kind
from agent.errors import ResourceError
from agent.inspection.built_in import INSPECTORS, BuiltIn
from agent.models.folders import models_folder
from agent.models.registry import (
    ModelLocation,
    find_model,
    is_partly_downloaded,
    list_models,
)
from agent.models.wordings import missing_wording
from app.core.database.locations import shown_location
from app.core.session.session import Session
from app.core.statistics.agents import TrackRecord, track_records
from app.core.statistics.number_format import rough_percent
from app.ui.translation.message_texts import translate_message

translate = QCoreApplication.translate
BYTES_PER_PARAMETER = 2
"""In the precision in which models are published."""


@dataclass(frozen=True, kw_only=True)
class ModelRow:
    """One model; `key` is stored in the settings: a name, a path or an address."""

    key: str
    title: str
    about: str
    state: str
    needs: str = ""
    """What it needs to run: memory, a program, a server."""
    record: str = ""
    """How often it agreed with the person's own verdicts."""
    ref: tuple[str, str] = ("", "")
    """Name and hash under which its records are stored."""
    need: str = ""
    """What is missing and how to get it; empty: ready."""


def model_rows(chosen: str, session: Session) -> tuple[list[ModelRow], str]:
    """Return rows of all known models and the chosen one, and the errors of skipped ones.

    It reads the disk and the session, so do not call it on the GUI thread.
    """
    faults: list[ResourceError] = []
    models = []
    for location in list_models(on_fault=faults.append):
        try:
            models.append(_row(location))
        except ResourceError as fault:  # its wording is damaged
            faults.append(fault)
    rows = [*map(_own_row, INSPECTORS), *models]
    if chosen and chosen not in {row.key for row in rows}:
        rows.append(_chosen(chosen))
    records = track_records(session, session.reviewer)
    rows = [replace(row, record=_record_text(records.get(row.ref))) for row in rows]
    return rows, "\n".join(str(fault) for fault in faults)


def _own_row(own: BuiltIn) -> ModelRow:
    """The row of an inspector of the program's own."""
    eye, ref, need = own.location(), own.ref(), own.obstacle()
    state, needs = translate("agent", "ready"), ""
    if not own.eye:
        state, needs = translate("agent", "always available"), translate("agent", "nothing")
    elif eye is None:
        state = translate("agent", "not on this machine")
    else:
        needs = _needs(eye)
        if need:
            state = translate("agent", "its engine is not installed")
    return ModelRow(
        key=own.name,
        title=own.name,
        about=" · ".join(map(translate_message, own.about)),
        state=state,
        needs=needs,
        ref=("", "") if ref is None else (ref.name, ref.sha256),
        need=translate_message(need),
    )


def _chosen(name: str) -> ModelRow:
    """Return the row of a path or address that the user gave."""
    try:
        location = find_model(name)
    except ResourceError as error:
        state = translate("agent", "not found")
        title = shown_location(name)
        return ModelRow(
            key=name, title=title, about="", state=state, need=translate_message(str(error))
        )
    return replace(_row(location), key=name, about=shown_location(name))


def _row(location: ModelLocation) -> ModelRow:
    card = location.card
    parts = [card.title or card.family, _size(location), card.engine]
    if card.simulated_only:
        parts.append(translate("agent", "trained on simulations only"))
    if location.origin != "hub" and missing_wording(card):
        parts.append(translate("agent", "asked in our words, not in those it was trained on"))
    return ModelRow(
        key=card.name,
        title=card.name,
        about=" · ".join(part for part in parts if part),
        state=_state(location),
        needs=_needs(location),
        ref=(location.ref.name, location.ref.sha256),
        need=_need(location),
    )


def _state(location: ModelLocation) -> str:
    if location.origin == "hub":
        if is_partly_downloaded(location):
            return translate("agent", "partly downloaded")
        return translate("agent", "not on this machine")
    if location.missing:
        return translate("agent", "incomplete")
    if engine_kind(location.card.engine).obstacle():
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
    return translate_message(engine_kind(card.engine).obstacle())


def _size(location: ModelLocation) -> str:
    if location.card.bytes:
        return size_text(location.card.bytes)
    if location.card.parameters >= 1e9:
        billions = f"{location.card.parameters / 1e9:.1f}"
        return translate("agent", "{n} billion parameters").replace("{n}", billions)
    if location.card.parameters:
        millions = f"{max(location.card.parameters / 1e6, 1.0):.0f}"
        return translate("agent", "{n} million parameters").replace("{n}", millions)
    return ""


def size_text(size: int) -> str:
    """A size in the unit in which it is no zero."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(round(size / 1e6), 1)} MB"


def _needs(location: ModelLocation) -> str:
    """What the model needs to run here, in one line."""
    card, engine = location.card, engine_kind(location.card.engine)
    if engine.is_server:
        return translate("agent", "a server that answers at its address")
    size = card.bytes or card.parameters * BYTES_PER_PARAMETER
    if not size:
        return engine.program
    memory = translate("agent", "{program} and about {size} of memory")
    if engine.wants_gpu:
        memory = translate("agent", "{program}, and a GPU with about {size} of memory")
    return memory.replace("{program}", engine.program).replace("{size}", size_text(size))


def _record_text(record: TrackRecord | None) -> str:
    if record is None:
        return translate("agent", "not yet compared with your own verdicts")
    text = translate("agent", "agreed with you on {k} of {n} you judged ({share})")
    share = rough_percent(record.agreed / record.n)
    for name, value in {"k": f"{record.agreed:,}", "n": f"{record.n:,}", "share": share}.items():
        text = text.replace("{" + name + "}", value)
    return text
