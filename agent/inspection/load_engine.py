"""From a model that was found to an engine that is ready to talk."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from agent.engines.base import Engine
from agent.errors import EngineError, ResourceError
from agent.models.card import Card
from agent.models.card_file import card_hash
from agent.models.check_files import Check, check_files
from agent.models.registry import ModelLocation, find_model
from agent.trajectory.trajectory import ModelRef

if TYPE_CHECKING:
    from agent.engines.hf.weights import Device, Precision

ALL_LAYERS = -1
"""On the GPU, where llama.cpp was built for one."""
SMALL = 64_000_000
"""Bytes of weights up to which one thread is best: several wait for each other longer than they
work, and on a busy machine a hundred times as long."""


def load_engine(
    place: ModelLocation,
    *,
    device: Device = "auto",
    dtype: Precision = "auto",
    load_in_4bit: bool = False,
    threads: int | None = None,
    sharing: int = 1,
    context_length: int | None = None,
    check: Check = "once",
    on_bytes: Callable[[int], None] = lambda count: None,
) -> Engine:
    """Load the model, or look at the server, that `place` names.

    `context_length` in tokens, else the card's. Files are compared with the card first: see
    `agent.models.check_files.check_files` for `check`, and `on_bytes` for the bytes read for that.
    Without `threads`, each of `sharing` processes that load it takes its part of the processors.
    `dtype` and `load_in_4bit` are for transformers; a GGUF file has its own precision.
    """
    card = place.card
    if card.server is not None:
        return _remote(card)
    folder = _ready_folder(place)
    check_files(card, folder, check, on_bytes)
    if card.engine == "gguf":
        if load_in_4bit:
            raise EngineError(f"{card.name} is a GGUF model: it has its precision in the file")
        return _gguf(card, folder, device, context_length, threads, sharing)
    base = _base(place)
    if base is not place:
        check_files(base.card, _ready_folder(base), check, on_bytes)
    _need(card, "torch", "transformers")
    from agent.engines.hf.engine import TransformersEngine

    return TransformersEngine.load(
        _ready_folder(base),
        device=device,
        dtype=dtype,
        load_in_4bit=load_in_4bit,
        adapter=None if base is place else folder,
        sizing=card.sizing,
        context_length=context_length or card.context_length,
        threads=_part_of_processors(sharing) if threads is None else threads,
    )


def engine_ref(place: ModelLocation, engine: Engine) -> ModelRef:
    """How a record names the model; of a server that was asked for its only one, that one."""
    server = place.card.server
    name = getattr(engine, "model", None)
    if server is None or server.model or not isinstance(name, str):
        return place.ref
    card = replace(place.card, server=replace(server, model=name))
    return ModelRef(name=name, engine=card.engine, sha256=card_hash(card))


def _remote(card: Card) -> Engine:
    from agent.engines.remote.engine import RemoteEngine

    assert card.server is not None
    return RemoteEngine.connect(card.server.url, card.server.model or None, sizing=card.sizing)


def _part_of_processors(sharing: int) -> int | None:
    """Threads that wait for a processor hold up all that wait for them. None: the engine knows."""
    from agent.engines.gguf.engine import usual_threads

    return None if sharing == 1 else usual_threads(sharing)


def _gguf(
    card: Card,
    folder: Path,
    device: str,
    context_length: int | None,
    threads: int | None,
    sharing: int,
) -> Engine:
    """Through llama-cpp-python where it is installed, else through xllamacpp's server."""
    from agent.engines.gguf import llama_server, native
    from agent.engines.gguf.engine import LONGEST_CONTEXT, GgufEngine

    weights, vision = folder / card.paths("weights")[0], folder / card.paths("mmproj")[0]
    # Its memory is taken at once, for all of the context.
    length = context_length or min(card.context_length, LONGEST_CONTEXT)
    if threads is None:
        is_small = weights.stat().st_size <= SMALL
        threads = 1 if is_small else _part_of_processors(sharing)
    try:
        library = native.native()
    except EngineError:
        if not llama_server.is_installed():
            raise
        _refuse_gpu(card, device, has_gpu=False)
        return llama_server.LlamaServerEngine.start(
            weights, vision, context=length, threads=threads, sizing=card.sizing
        )
    _refuse_gpu(card, device, has_gpu=library.llama.llama_supports_gpu_offload())
    return GgufEngine.load(
        weights,
        vision,
        context_length=length,
        threads=threads,
        gpu_layers=0 if device == "cpu" else ALL_LAYERS,
        sizing=card.sizing,
    )


def _refuse_gpu(card: Card, device: str, *, has_gpu: bool) -> None:
    if device not in ("auto", "cpu") and not has_gpu:
        raise EngineError(
            f"{card.name} is a GGUF model, and llama.cpp is installed here without {device}: use "
            "auto or cpu, or build llama-cpp-python for it"
        )


def _ready_folder(place: ModelLocation) -> Path:
    """Where its files lie. Raises EngineError, with what to do, where they are not all there."""
    card = place.card
    if place.is_ready and place.folder is not None:
        return place.folder
    fetch = f"run `spec-o3 models get {card.source.repo}`" if card.source else ""
    if place.origin == "hub":
        raise EngineError(f"the model {card.name} is not on this machine yet: {fetch}")
    some = ", ".join(place.missing[:3]) + (" ..." if len(place.missing) > 3 else "")
    cure = fetch or "copy the missing files there"
    raise EngineError(f"the model in {place.folder} is not complete, it lacks {some}: {cure}")


def _base(place: ModelLocation) -> ModelLocation:
    """The model an adapter sits on; a model itself is its own base."""
    card = place.card
    if not card.base:
        return place
    try:
        base = find_model(card.base)
    except ResourceError as error:
        raise EngineError(f"the adapter {card.name} sits on {card.base}: {error}") from error
    if base.card.base or base.card.engine != "transformers":
        raise EngineError(f"{base.card.name} is no model that the adapter {card.name} can sit on")
    return base


def _need(card: Card, *modules: str) -> None:
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        raise EngineError(
            f"the model {card.name} needs {' and '.join(missing)}, not installed here: "
            'pip install "spec-o3-workbench[gpu]"'
        )
