"""Loads the engine of a model."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from agent.engines.base import Engine
from agent.errors import EngineError, ResourceError, WorkbenchError
from agent.models.card import ENGINES, Card
from agent.models.check_files import Check, check_files
from agent.models.infer_card import plain_name
from agent.models.registry import ModelLocation, find_model, ref_of
from agent.plugins import find_plugin, report, report_failure
from agent.protocol.rules import RULES
from agent.trajectory.trajectory import ModelRef

if TYPE_CHECKING:
    from agent.engines.hf.weights import Device, Precision

ALL_LAYERS = -1
# Up to this many bytes of weights one thread is fastest. Several threads wait for each other longer
# than they compute, a hundred times longer on a busy machine.
SMALL_WEIGHTS = 64_000_000


def load_engine(
    location: ModelLocation,
    *,
    device: Device = "auto",
    dtype: Precision = "auto",
    load_in_4bit: bool = False,
    threads: int | None = None,
    sharing: int = 1,
    side_by_side: bool = False,
    context_length: int | None = None,
    check: Check = "once",
    on_bytes: Callable[[int], None] = lambda count: None,
) -> Engine:
    """Load a model, or connect to a server.

    `side_by_side`: many conversations are open at once, whose text nobody reads along.
    `context_length` is in tokens and defaults to the card's. Files are first compared with the card
    (`check`, see `agent.models.check_files.check_files`); `on_bytes` reports the bytes read for
    that. Without `threads`, each of `sharing` processes uses its share of the processors. `dtype`
    and `load_in_4bit` apply to transformers only.
    """
    card = location.card
    if card.server is not None:
        return _remote(card, stream=not side_by_side)
    folder = _ready_folder(location)
    check_files(card, folder, check, on_bytes)
    if card.engine not in ENGINES:
        return _from_plugin(card, folder, device, threads)
    if card.engine == "gguf":
        if load_in_4bit:
            raise EngineError(f"{card.name} is a GGUF model, which has a fixed precision")
        return _gguf(card, folder, device, context_length, threads, sharing)
    base = _base(location)
    if base is not location:
        check_files(base.card, _ready_folder(base), check, on_bytes)
    _require(card, "torch", "transformers")
    from agent.engines.hf.engine import TransformersEngine

    return TransformersEngine.load(
        _ready_folder(base),
        device=device,
        dtype=dtype,
        load_in_4bit=load_in_4bit,
        adapter=None if base is location else folder,
        sizing=card.sizing,
        context_length=context_length or card.context_length,
        threads=_thread_share(sharing) if threads is None else threads,
    )


def engine_ref(location: ModelLocation, engine: Engine) -> ModelRef:
    """The model's name for the record; a server without a named model reports its only one."""
    server = location.card.server
    name = getattr(engine, "model", None)
    if server is None or server.model or not isinstance(name, str):
        return location.ref
    card = replace(location.card, server=replace(server, model=name))
    return replace(ref_of(card), name=plain_name(name))


def _from_plugin(card: Card, folder: Path, device: str, threads: int | None) -> Engine:
    """Load with the plug-in that the card names."""
    plugin = find_plugin("engines", card.engine)
    if plugin is None:
        raise EngineError(
            f"the model {card.name} needs the plug-in {card.engine}, which does not work or is not "
            "installed: see spec-o3 selftest"
        )
    try:
        engine = plugin.value(folder, card, device=device, threads=threads)
    except WorkbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise EngineError(str(report_failure(plugin, error))) from error
    if not all(hasattr(engine, name) for name in ("sizing", "open", "close")):
        problem = f"it returned a {type(engine).__name__}, not an engine"
        raise EngineError(str(report(plugin.kind, plugin.name, plugin.package, problem)))
    loaded: Engine = engine
    return loaded


def _remote(card: Card, *, stream: bool) -> Engine:
    from agent.engines.remote.engine import RemoteEngine

    assert card.server is not None
    return RemoteEngine.connect(
        card.server.urls,
        card.server.model or None,
        sizing=card.sizing,
        tool_calls="text" if card.rules == "published" else "auto",
        stream=stream,
    )


def _thread_share(sharing: int) -> int | None:
    """Threads per process; None leaves the choice to the engine."""
    from agent.engines.gguf.engine import default_threads

    return None if sharing == 1 else default_threads(sharing)


def _gguf(
    card: Card,
    folder: Path,
    device: str,
    context_length: int | None,
    threads: int | None,
    sharing: int,
) -> Engine:
    """Load with llama-cpp-python if it is installed, else with xllamacpp's server."""
    from agent.engines.gguf import llama_server, native
    from agent.engines.gguf.engine import LONGEST_CONTEXT, GgufEngine

    weights, vision = folder / card.paths("weights")[0], folder / card.paths("mmproj")[0]
    # llama.cpp allocates memory for the whole context at once.
    length = context_length or min(card.context_length, LONGEST_CONTEXT)
    if threads is None:
        is_small = weights.stat().st_size <= SMALL_WEIGHTS
        threads = 1 if is_small else _thread_share(sharing)
    try:
        library = native.native()
    except EngineError:
        if not llama_server.is_installed():
            raise
        _refuse_gpu(card, device, has_gpu=False)
        return llama_server.LlamaServerEngine.start(
            weights,
            vision,
            context=length,
            threads=threads,
            sizing=card.sizing,
            rules=RULES[card.rules],
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
            f"{card.name} is a GGUF model, and the installed llama.cpp does not support {device}: "
            "use auto or cpu, or build llama-cpp-python with GPU support"
        )


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


def _base(location: ModelLocation) -> ModelLocation:
    """The base model of an adapter, or the model itself."""
    card = location.card
    if not card.base:
        return location
    try:
        base = find_model(card.base)
    except ResourceError as error:
        raise EngineError(f"the adapter {card.name} needs the base {card.base}: {error}") from error
    if base.card.base or base.card.engine != "transformers":
        raise EngineError(f"{base.card.name} cannot be the base of the adapter {card.name}")
    return base


def _require(card: Card, *modules: str) -> None:
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        raise EngineError(
            f"the model {card.name} needs {' and '.join(missing)}; install them with "
            'pip install "spec-o3-workbench[gpu]"'
        )
