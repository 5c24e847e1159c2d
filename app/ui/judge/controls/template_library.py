"""Templates to draw over a spectrum: bundled simulated classes, and the user's own files."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication

from agent.errors import ResourceError
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.readers import read
from agent.spectra.spectrum import FloatArray
from app.ui.base.translation.data_texts import SIMULATED, library_name

translate = QCoreApplication.translate
INDEX_FILE = "index.json"
MAX_PIXELS = 100_000
MAX_USER_FILES = 200
OWN = "own"  # name of the group of user files


@dataclass(frozen=True)
class Template:
    """A template that can be chosen. `label` is its class, empty for a user's file."""

    name: str
    group: str
    path: Path
    label: str = ""

    @property
    def short(self) -> str:
        """What it is called where other words say that it is simulated."""
        return self.name if self.is_own else library_name(self.name.removesuffix(SIMULATED))

    @property
    def title(self) -> str:
        return self.name if self.is_own else library_name(self.name)

    @property
    def is_own(self) -> bool:
        return self.group == OWN


class TemplateLibrary:
    """Lists the templates, and loads them on demand. Any thread; `load` reads a file."""

    def __init__(self, own: Sequence[str] = ()) -> None:
        self._loaded: dict[str, tuple[FloatArray, FloatArray]] = {}
        self._templates = {each.name: each for each in bundled()}
        self.set_own(own)

    @property
    def templates(self) -> tuple[Template, ...]:
        return tuple(self._templates.values())

    def find(self, name: str) -> Template | None:
        return self._templates.get(name)

    def set_own(self, paths: Sequence[str]) -> None:
        templates = {each.name: each for each in bundled()}
        for path in map(Path, paths[:MAX_USER_FILES]):
            name = _free_name(path, templates)
            templates[name] = Template(name, OWN, path)
        same = {name for name, each in templates.items() if self._templates.get(name) == each}
        self._loaded = {name: each for name, each in self._loaded.items() if name in same}
        self._templates = templates

    def of_class(self, label: str) -> Template | None:
        """The first template of a class."""
        return next((each for each in self.templates if each.label == label), None)

    def load(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Rest wavelengths in vacuum angstrom, and flux in units of its median.

        Raises a WorkbenchError if it cannot be read. The arrays are shared and read-only.
        """
        if (loaded := self._loaded.get(name)) is not None:
            return loaded
        template = self._templates.get(name)
        if template is None:
            reason = translate("templates", "there is no template {name}: choose another one")
            raise ResourceError(reason.replace("{name}", repr(name[:80])))
        arrays = _read_own(template.path) if template.is_own else _read_bundled(template.path)
        for array in arrays:
            array.setflags(write=False)
        self._loaded[name] = arrays
        return arrays


@cache
def bundled() -> tuple[Template, ...]:
    with as_file(files("resources") / "templates") as folder:
        index = _read_json(folder / INDEX_FILE)
        return tuple(
            Template(each["name"] + SIMULATED, each["group"], folder / each["file"], each["class"])
            for each in index["templates"]
        )


def _read_bundled(path: Path) -> tuple[FloatArray, FloatArray]:
    content = _read_json(path)
    flux = np.array(content["flux"], dtype=np.float64)
    step = float(content["step_kms"]) / LIGHT_KMS
    wavelength = float(content["first_angstrom"]) * np.exp(step * np.arange(flux.size))
    return wavelength, flux / float(np.median(flux[flux > 0]))


def _read_own(path: Path) -> tuple[FloatArray, FloatArray]:
    """A user's spectrum, shifted to rest by the redshift in its file if there is one."""
    spectrum = read(path)
    good = spectrum.good & np.isfinite(spectrum.flux)
    if int(good.sum()) < 2:
        reason = translate("templates", "this template has no usable pixels: choose another file")
        raise ResourceError(f"{path.name}: {reason}")
    if len(spectrum) > MAX_PIXELS:
        reason = translate("templates", "has {count} pixels; a template may have at most {most}")
        reason = reason.replace("{count}", f"{len(spectrum):,}")
        reason = reason.replace("{most}", f"{MAX_PIXELS:,}")
        raise ResourceError(f"{path.name}: {reason}")
    z = spectrum.z if spectrum.z is not None and math.isfinite(spectrum.z) else 0.0
    wavelength, flux = spectrum.wavelength[good], spectrum.flux[good]
    scale = float(np.median(np.abs(flux)))
    return wavelength / (1.0 + max(z, -0.5)), flux / (scale if scale > 0 else 1.0)


def _free_name(path: Path, taken: Mapping[str, Template]) -> str:
    plain = "".join(each if each.isprintable() else "?" for each in path.name)[:120] or "?"
    name, number = plain, 2
    while name in taken:
        name, number = f"{plain} {number}", number + 1
    return name


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = translate("templates", "cannot be read: reinstall the program")
        raise ResourceError(f"{path}: {reason}") from error
