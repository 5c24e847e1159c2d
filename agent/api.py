"""The Python interface: read, measure, draw and inspect spectra in a script or a notebook.

Everything here is imported from `agent` itself: `from agent import read_spectrum, inspect`. These
names and their arguments stay the same between versions. Wavelengths are vacuum angstrom in the
observed frame, and an equivalent width above 0 is absorption.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from math import isfinite
from pathlib import Path

from PIL import Image

from agent.checked_toml import near_miss, shown
from agent.errors import WorkbenchError
from agent.evidence.measurements import measurements_at_velocity
from agent.inspection.control import Control
from agent.inspection.inspector import run
from agent.inspection.inspector_factory import default_model, make_inspector
from agent.rendering.render import STYLES, render_spectrum
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.features import feature_vector
from agent.spectra.measure.index_definitions import builtin_indices
from agent.spectra.measure.indices import measure_index as _measure_index
from agent.spectra.measure.measurement import LineMeasurement, Measurement
from agent.spectra.measure.window_measure import WindowMeasurement, measure_window
from agent.spectra.readers import registry
from agent.spectra.spectrum import Spectrum, Window
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory

__all__ = [
    "LineMeasurement", "Measurement", "Spectrum", "Task", "Trajectory", "WindowMeasurement",
    "WorkbenchError", "draw", "features", "find_task", "index_names", "inspect", "inspect_all",
    "line_names", "measure", "measure_index", "measure_line", "read_spectrum",
]  # fmt: skip


def read_spectrum(path: str | Path, row: int = 0, target: str | int | None = None) -> Spectrum:
    """Read one spectrum from a file of any known survey, or from a web address.

    `row` counts from 0 in a file with several spectra; `target` selects one by its identifier, such
    as a DESI TARGETID. Raises a WorkbenchError that gives each reader's reason if none knows the
    file.
    """
    return registry.read(path, row=row, target=target)


def measure(
    spectrum: Spectrum,
    window: tuple[float, float] | None = None,
    *,
    velocity_kms: float | None = None,
) -> WindowMeasurement:
    """Measure a window, by default the whole spectrum.

    The result has the signal-to-noise ratio, the strongest feature, the known lines detected and
    the band heads. Known lines are expected at the star's velocity, which is measured if it is not
    given.
    """
    low, high = spectrum.range if window is None else _checked(window)
    numbers = measurements_at_velocity(spectrum, velocity_kms)
    return measure_window(numbers.spectrum, low, high, numbers.velocity_kms, numbers.line)


def measure_line(
    spectrum: Spectrum, line: str, *, velocity_kms: float | None = None
) -> LineMeasurement:
    """Measure one line of `line_names()` near its expected wavelength, or its upper limit.

    It is expected at the star's velocity, which is measured if it is not given.
    """
    if line not in builtin_lines():
        guess = near_miss(line, line_names())
        raise WorkbenchError(f"there is no line {shown(line)}{guess}: line_names() lists them")
    return measurements_at_velocity(spectrum, velocity_kms).line(line)


def measure_index(
    spectrum: Spectrum, index: str, *, velocity_kms: float | None = None
) -> Measurement:
    """Measure one spectral index of `index_names()`, such as a band strength or a flux ratio.

    Its windows move with the star's velocity, which is measured if it is not given.
    """
    if index not in builtin_indices():
        guess = near_miss(index, index_names())
        raise WorkbenchError(f"there is no index {shown(index)}{guess}: index_names() lists them")
    numbers = measurements_at_velocity(spectrum, velocity_kms)
    return _measure_index(numbers.spectrum, index, numbers.velocity_kms)  # one, not all of them


def features(spectrum: Spectrum, *, velocity_kms: float = 0.0) -> dict[str, float]:
    """The fixed list of numbers that describes a spectrum, by name; NaN if not measurable.

    Windows are at rest unless a velocity is given: classifiers are trained on them so.
    """
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
    shown_window = None if window is None else _checked(window)
    return render_spectrum(spectrum, shown_window, title=title, style=STYLES[style])


def inspect(
    spectrum: Spectrum,
    task: str | Path | Task,
    model: str | Path | None = None,
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
    task: str | Path | Task,
    model: str | Path | None = None,
    *,
    seed: int = 0,
    deadline_s: float | None = None,
) -> Iterator[Trajectory]:
    """Inspect spectra one after another, with the model loaded once; `deadline_s` is for each."""
    target = task if isinstance(task, Task) else find_task(str(task))
    name = default_model(target.id) if model is None else str(model)
    with closing(make_inspector(name)) as inspector:
        for spectrum in spectra:
            control = Control(deadline_s)
            yield run(inspector.inspect(spectrum, target, seed=seed, control=control))


def _checked(window: Window) -> Window:
    low, high = map(float, window)
    if not (isfinite(low) and isfinite(high) and low < high):
        raise WorkbenchError(f"a window starts below its end, in angstrom: not {low:g} to {high:g}")
    return low, high
