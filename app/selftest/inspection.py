"""Check that each bundled inspector inspects a spectrum in a worker process."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from agent.errors import ResourceError
from agent.inspection.built_in import INSPECTORS, built_in
from agent.models.registry import list_models
from agent.rendering.render import png_bytes, render_spectrum
from app.selftest.installation import Check, CheckSkipped, require
from app.selftest.spectra import first_of
from app.worker.request import InspectRequest, LoadRequest
from app.worker.supervisor import WorkerClient

TASK = "CV"
SURVEY = "LAMOST"  # the first LAMOST spectrum of the sample is a clear cataclysmic variable
TIMEOUT_S = 300.0  # Seconds are enough; this only ends what hangs, also on a slow machine.
MIN_COLOURS = 6  # a picture on which nothing was drawn has one
PNG = b"\x89PNG"


def checks() -> Iterator[Check]:
    yield Check(part="inspect", name="picture", run=_picture)
    for own in INSPECTORS:
        if not own.eye:  # those with one need a bundled model, which is checked by itself below
            yield Check(part="inspect", name=own.name, run=partial(_inspect, own.name))
    names = bundled_models()
    for name in names:
        yield Check(part="inspect", name=name, run=partial(_inspect, name))
    if not names:
        yield Check(part="inspect", name="model", run=_no_model)


def bundled_models() -> list[str]:
    """Names of the models bundled with the program and complete."""
    faults: list[ResourceError] = []
    locations = list_models(on_fault=faults.append)
    return [each.card.name for each in locations if each.origin == "bundled" and each.is_ready]


def _picture(folder: Path) -> str:
    picture = render_spectrum(first_of(SURVEY), (4000.0, 5000.0))
    require(png_bytes(picture).startswith(PNG), "the picture is not a PNG")
    colours = picture.getcolors(picture.width * picture.height) or []
    require(len(colours) >= MIN_COLOURS, "the picture is blank")
    return f"{picture.width} × {picture.height} pixels"


def _inspect(name: str, folder: Path) -> str:
    with WorkerClient() as client:
        model = client.load(LoadRequest(name)).result(TIMEOUT_S)
        request = InspectRequest(task=TASK, spectrum=first_of(SURVEY), deadline_s=TIMEOUT_S)
        record = client.inspect(request).result(TIMEOUT_S)
    require(record.stopped_by == "answer", f"it gave no answer: {record.stop_reason}")
    if built_in(name) is not None:
        require(
            record.verdict == "YES", f"it answered {record.verdict} to a clear cataclysmic variable"
        )
    looks = sum(1 for step in record.steps if step.kind == "zoom")
    return f"{model.name}: {record.verdict} after {looks} looks, {record.seconds:.2f} s"


def _no_model(folder: Path) -> str:
    raise CheckSkipped("no model is bundled")
