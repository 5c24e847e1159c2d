"""Templates to lay over a spectrum: simulated classes from the box, and the user's own files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from agent.errors import ResourceError
from agent.spectra.readers import read
from agent.spectra.sampling import LIGHT_KMS

translate = QCoreApplication.translate
FloatArray = NDArray[np.float64]

INDEX_FILE = "index.json"
SIMULATED = " (simulated)"
"""Ends the name of every template of the box, so that it is said wherever the name is shown."""
MAX_PIXELS = 100_000
MAX_USER_FILES = 200
OWN = "own"
"""The group of the user's files."""


@dataclass(frozen=True, kw_only=True)
class Template:
    """One that can be chosen. `label` is its class, empty for a user's file."""

    name: str
    group: str
    label: str = ""
    path: Path

    @property
    def short(self) -> str:
        """For a place that says already what is simulated."""
        return self.name.removesuffix(SIMULATED)

    @property
    def is_own(self) -> bool:
        return self.group == OWN


class TemplateLibrary:
    """Names at once; `load` reads a file, so it belongs in the runner. Any thread."""

    def __init__(self, own: Sequence[str] = ()) -> None:
        self._loaded: dict[str, tuple[FloatArray, FloatArray]] = {}
        self._templates = {each.name: each for each in bundled()}
        self.set_own(own)

    @property
    def templates(self) -> tuple[Template, ...]:
        return tuple(self._templates.values())

    def names(self) -> list[str]:
        return list(self._templates)

    def find(self, name: str) -> Template | None:
        return self._templates.get(name)

    def set_own(self, paths: Sequence[str]) -> None:
        """The user's files, in the place of those before."""
        kept = {each.name: each for each in bundled()}
        for path in map(Path, paths[:MAX_USER_FILES]):
            name = _free_name(path, kept)
            kept[name] = Template(name=name, group=OWN, path=path)
        same = {name for name, each in kept.items() if self._templates.get(name) == each}
        self._loaded = {name: each for name, each in self._loaded.items() if name in same}
        self._templates = kept

    def of_class(self, label: str) -> Template | None:
        """The first one of a class."""
        return next((each for each in self.templates if each.label == label), None)

    def load(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Vacuum angstrom at rest, and flux in units of its median; a WorkbenchError tells why
        not. The arrays are shared: do not change them."""
        known = self._loaded.get(name)
        if known is not None:
            return known
        template = self._templates.get(name)
        if template is None:
            told = translate("templates", "there is no template {name}: choose another one")
            raise ResourceError(told.replace("{name}", repr(name[:80])))
        found = _own(template.path) if template.is_own else _from_box(template.path)
        for array in found:
            array.setflags(write=False)
        self._loaded[name] = found
        return found


@cache
def bundled() -> tuple[Template, ...]:
    """Those of the box, in the order of their groups."""
    with as_file(files("resources") / "templates") as folder:
        index = _read_json(folder / INDEX_FILE)
        return tuple(
            Template(
                name=each["name"] + SIMULATED,
                group=each["group"],
                label=each["class"],
                path=folder / each["file"],
            )
            for each in index["templates"]
        )


def _from_box(path: Path) -> tuple[FloatArray, FloatArray]:
    content = _read_json(path)
    flux = np.array(content["flux"], dtype=np.float64)
    step = float(content["step_kms"]) / LIGHT_KMS
    wavelength = float(content["first_angstrom"]) * np.exp(step * np.arange(flux.size))
    return wavelength, flux / float(np.median(flux[flux > 0]))


def _own(path: Path) -> tuple[FloatArray, FloatArray]:
    """A user's spectrum, taken to its rest by the redshift in the file, where there is one."""
    spectrum = read(path)
    good = spectrum.good & np.isfinite(spectrum.flux)
    if int(good.sum()) < 2:
        told = translate("templates", "no pixel of this template is usable: take another file")
        raise ResourceError(f"{path.name}: {told}")
    if len(spectrum) > MAX_PIXELS:
        told = translate("templates", "{count} pixels, at most {most} are drawn as a template")
        told = told.replace("{count}", f"{len(spectrum):,}").replace("{most}", f"{MAX_PIXELS:,}")
        raise ResourceError(f"{path.name}: {told}")
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
        told = translate("templates", "cannot be read: install the program again")
        raise ResourceError(f"{path}: {told}") from error
