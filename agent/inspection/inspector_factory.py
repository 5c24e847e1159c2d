"""Makes an inspector from a model's name."""

from __future__ import annotations

from functools import cache, partial

from agent.engines.base import SamplingSettings
from agent.engines.kind import Device, LoadOptions
from agent.errors import ResourceError, WorkbenchError
from agent.inspection.built_in import MEASURED, PANEL, BuiltInPanel, built_in
from agent.inspection.inspector import Inspector
from agent.models.card import Card
from agent.models.registry import ModelLocation, find_model


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
    from agent.inspection.engine_loader import engine_ref, load_engine
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
