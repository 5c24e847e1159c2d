"""Makes an inspector from a model's name."""

from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from agent.engines.base import Engine, SamplingSettings
from agent.engines.kind import Device, LoadOptions
from agent.engines.registry import engine_kind
from agent.errors import EngineError, ResourceError, WorkbenchError
from agent.inspection.built_in import MEASURED, PANEL, BuiltInPanel, built_in
from agent.inspection.inspector import Inspector
from agent.models.card import Card
from agent.models.check_files import check_files
from agent.models.infer_card import plain_name
from agent.models.registry import ModelLocation, find_model, ref_of
from agent.trajectory.trajectory import ModelRef


def default_model(task_id: str) -> str:
    """The panel if its eye was trained on the task and can run here, else the measured one.

    It is the best judge of all in the box, on simulations and on real spectra: train/RESULTS.md.
    """
    return PANEL if task_id in _panel_tasks() else MEASURED


@cache
def _panel_tasks() -> tuple[str, ...]:
    panel = BuiltInPanel()
    return () if panel.obstacle() else panel.needed_eye.card.tasks


def looking_card(model: str) -> Card | None:
    """The card of the model that looks where this one inspects; None if none does.

    `model` is a name, a path or an address. Raises ResourceError if there is no such model.
    """
    own = built_in(model)
    if own is None:
        return find_model(model).card
    return own.needed_eye.card if own.eye else None


def make_inspector(
    model: str | None = None,
    *,
    device: Device = "auto",
    threads: int | None = None,
    sharing: int = 1,
    side_by_side: bool = False,
    extra_runs: int = 0,
    sampling: SamplingSettings | None = None,
    draw: bool = True,
) -> Inspector:
    """Make an inspector from a model's name, path or address; None is the measured inspector.

    `panel` is the bundled model that looks together with the measured inspector.

    Loading a model takes seconds to minutes. `extra_runs` and `sampling` apply to models only,
    `side_by_side` (many inspections at once) to servers; without `draw` the measured inspector
    makes no pictures, which nobody looks at for it. The caller closes the inspector.
    """
    model = MEASURED if model is None else model
    options = LoadOptions(
        device=device, threads=threads, sharing=sharing, side_by_side=side_by_side
    )
    load = partial(_model_inspector, options=options, extra_runs=extra_runs, sampling=sampling)
    own = built_in(model)
    if own is not None:
        return own.make(load, draw=draw)
    try:
        location = find_model(model)
    except ResourceError as error:
        raise WorkbenchError(f"{error}. Or use `{MEASURED}`, which needs no model") from error
    return load(location)


def _model_inspector(
    location: ModelLocation,
    *,
    options: LoadOptions,
    extra_runs: int,
    sampling: SamplingSettings | None,
) -> Inspector:
    from agent.inspection.model_inspector import ModelInspector
    from agent.models.wordings import wording_of
    from agent.protocol.rules import RULES

    card, engine = location.card, load_engine(location, options)
    return ModelInspector(
        engine,
        engine_ref(location, engine),
        style=card.style,
        sampling=sampling or card.sampling,
        extra_runs=extra_runs,
        rules=RULES[card.rules],
        wording=wording_of(card),
    )


# Loads the engine of a model.
def load_engine(location: ModelLocation, options: LoadOptions | None = None) -> Engine:
    """Load a model whose files are those of its card, or connect to a server."""
    card, options = location.card, options or LoadOptions()
    engine = engine_kind(card.engine)
    if engine.is_server:
        return engine.load(card, None, options)
    folder = _ready_folder(location)
    check_files(card, folder)
    if engine.has_adapters and card.base:
        try:
            base = find_model(card.base)
        except ResourceError as error:
            raise EngineError(
                f"the adapter {card.name} needs the base {card.base}: {error}"
            ) from error
        if base.card.base or base.card.engine != card.engine:
            raise EngineError(f"{base.card.name} cannot be the base of the adapter {card.name}")
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
