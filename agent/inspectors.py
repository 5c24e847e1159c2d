"""From a name to an inspector that is ready to work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.backends.base import Sampling
from agent.errors import ResourceError, WorkbenchError
from agent.inspecting import Inspecting

if TYPE_CHECKING:
    from agent.backends.transformers_weights import Device

MEASURED = "measured"
"""The inspector without a model: always there."""


def make_inspector(
    model: str | None = None,
    *,
    device: Device = "auto",
    threads: int | None = None,
    extra_runs: int = 0,
    sampling: Sampling | None = None,
) -> Inspecting:
    """The inspector of that name, path or address; None takes the one without a model.

    `extra_runs` and `sampling` are for models; the measured inspector leaves nothing to chance.
    Loads the model: seconds to minutes. Close it when done.
    """
    if model is None or model.casefold() == MEASURED:
        from agent.measured.inspector import MeasuredInspector

        return MeasuredInspector()
    from agent.backends.load import engine_ref, load_engine
    from agent.inspector import Inspector
    from agent.models import find_model

    try:
        place = find_model(model)
    except ResourceError as error:
        raise WorkbenchError(f"{error}. `{MEASURED}` needs no model") from error
    engine = load_engine(place, device=device, threads=threads)
    return Inspector(
        engine,
        engine_ref(place, engine),
        style=place.card.style,
        sampling=sampling or place.card.sampling,
        extra_runs=extra_runs,
    )
