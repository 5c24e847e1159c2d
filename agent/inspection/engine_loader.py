"""Loads the engine of a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agent.engines.base import Engine
from agent.engines.kind import LoadOptions
from agent.engines.registry import engine_kind
from agent.errors import EngineError, ResourceError
from agent.models.card import Card
from agent.models.check_files import check_files
from agent.models.infer_card import plain_name
from agent.models.registry import ModelLocation, find_model, ref_of
from agent.trajectory.trajectory import ModelRef


def load_engine(location: ModelLocation, options: LoadOptions | None = None) -> Engine:
    """Load a model whose files are those of its card, or connect to a server."""
    card, options = location.card, options or LoadOptions()
    engine = engine_kind(card.engine)
    if engine.is_server:
        return engine.load(card, None, options)
    folder = _ready_folder(location)
    check_files(card, folder)
    if engine.has_adapters and card.base:
        base = _base(card)
        check_files(base.card, _ready_folder(base))
        options = replace(options, base=base.folder)
    return engine.load(card, folder, options)


def engine_ref(location: ModelLocation, engine: Engine) -> ModelRef:
    """The model's name for the record; a server without a named model reports its only one."""
    server = location.card.server
    name = getattr(engine, "model", None)
    if server is None or server.model or not isinstance(name, str):
        return location.ref
    card = replace(location.card, server=replace(server, model=name))
    return replace(ref_of(card), name=plain_name(name))


def _ready_folder(location: ModelLocation) -> Path:
    """The model's folder; raises EngineError, with advice, if files are missing."""
    card = location.card
    if location.is_ready and location.folder is not None:
        return location.folder
    fetch = f"run `spec-o3 models get {card.source.repo}`" if card.source else ""
    if location.origin == "hub":
        raise EngineError(f"the model {card.name} is not downloaded yet: {fetch}")
    some = ", ".join(location.missing[:3]) + (" ..." if len(location.missing) > 3 else "")
    advice = fetch or "copy the missing files there"
    raise EngineError(f"the model in {location.folder} is incomplete, it lacks {some}: {advice}")


def _base(card: Card) -> ModelLocation:
    try:
        base = find_model(card.base)
    except ResourceError as error:
        raise EngineError(f"the adapter {card.name} needs the base {card.base}: {error}") from error
    if base.card.base or base.card.engine != card.engine:
        raise EngineError(f"{base.card.name} cannot be the base of the adapter {card.name}")
    return base
