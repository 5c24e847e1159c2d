"""The Python interface: read, measure, draw and inspect spectra in a script or a notebook.

Everything here is imported from `agent` itself: `from agent import read_spectrum, inspect`. These
names and their arguments stay the same between versions. Wavelengths are vacuum angstrom in the
observed frame, and an equivalent width above 0 is absorption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from PIL import Image

from agent.errors import WorkbenchError
from agent.inspection.control import Control
from agent.inspection.inspector import run
from agent.inspection.inspector_factory import default_model, make_inspector
from agent.rendering.render import STYLES, render_spectrum
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.features import feature_vector
from agent.spectra.measure.index_definitions import builtin_indices
from agent.spectra.measure.indices import measure_index as _measure_index
from agent.spectra.measure.line_measure import measure_line as _measure_line
from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.measure.measurement import Measurement
from agent.spectra.measure.window_measure import WindowMeasurement, measure_window
from agent.spectra.readers import registry
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory

__all__ = [
    "LineMeasurement",
    "Measurement",
    "Spectrum",
    "Task",
    "Trajectory",
    "WindowMeasurement",
    "WorkbenchError",
    "draw",
    "features",
    "find_task",
    "index_names",
    "inspect",
    "inspect_all",
    "line_names",
    "measure",
    "measure_index",
    "measure_line",
    "read_spectrum",
]


def read_spectrum(path: str | Path, row: int = 0, target: str | int | None = None) -> Spectrum:
    """Read one spectrum from a file of any known survey, or from a web address.

    `row` counts from 0 in a file with several spectra; `target` selects one by its identifier, such
    as a DESI TARGETID. Raises a WorkbenchError that gives each reader's reason if none knows the
    file.
    """
    return registry.read(path, row=row, target=target)


def measure(
    spectrum: Spectrum, window: tuple[float, float] | None = None, *, velocity_kms: float = 0.0
) -> WindowMeasurement:
    """Measure a window, by default the whole spectrum.

    The result has the signal-to-noise ratio, the strongest feature, the known lines detected and
    the band heads. Known lines are expected at the star's velocity.
    """
    low, high = spectrum.range if window is None else window
    return measure_window(spectrum, low, high, velocity_kms)


def measure_line(spectrum: Spectrum, line: str, *, velocity_kms: float = 0.0) -> LineMeasurement:
    """Measure one line of `line_names()` near its expected wavelength, or its upper limit."""
    return _measure_line(spectrum, builtin_lines()[line], velocity_kms)


def measure_index(spectrum: Spectrum, index: str, *, velocity_kms: float = 0.0) -> Measurement:
    """Measure one spectral index of `index_names()`, such as a band strength or a flux ratio."""
    if index not in builtin_indices():
        raise WorkbenchError(f"there is no index {index}: index_names() lists them")
    return _measure_index(spectrum, index, velocity_kms)


def features(spectrum: Spectrum, *, velocity_kms: float = 0.0) -> dict[str, float]:
    """The fixed list of numbers that describes a spectrum, by name; NaN if not measurable."""
    return feature_vector(spectrum, velocity_kms)


def line_names() -> tuple[str, ...]:
    """The names that `measure_line` knows."""
    return tuple(builtin_lines().by_id)


def index_names() -> tuple[str, ...]:
    """The names that `measure_index` knows."""
    return tuple(builtin_indices())


def draw(
    spectrum: Spectrum,
    window: tuple[float, float] | None = None,
    *,
    title: str | None = None,
    style: str = "published",
) -> Image.Image:
    """Draw the spectrum, or a window of it, as the agent sees it; a notebook shows the picture.

    `style` is one of those of `spec-o3 render --style`.
    """
    if style not in STYLES:
        raise WorkbenchError(f"there is no style {style}: use one of {', '.join(STYLES)}")
    return render_spectrum(spectrum, window, title=title, style=STYLES[style])


def inspect(
    spectrum: Spectrum,
    task: str | Task,
    model: str | None = None,
    *,
    seed: int = 0,
    deadline_s: float | None = None,
) -> Trajectory:
    """Inspect one spectrum and return the record: every look, the verdict, p(YES) and the reasons.

    `task` is a class such as "CV", a task file or a Task; `model` is a name of `spec-o3 models`, a
    folder or a server's address, by default the best bundled one for the class.
    """
    return next(inspect_all([spectrum], task, model, seed=seed, deadline_s=deadline_s))


def inspect_all(
    spectra: Iterable[Spectrum],
    task: str | Task,
    model: str | None = None,
    *,
    seed: int = 0,
    deadline_s: float | None = None,
) -> Iterator[Trajectory]:
    """Inspect spectra one after another, with the model loaded once; `deadline_s` is for each."""
    target = find_task(task) if isinstance(task, str) else task
    with closing(make_inspector(model or default_model(target.id))) as inspector:
        for spectrum in spectra:
            control = Control(deadline_s)
            yield run(inspector.inspect(spectrum, target, seed=seed, control=control))
