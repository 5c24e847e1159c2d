"""Simulated class templates for the window: `python -m train.simulate.templates [FOLDER]`.

Templates are noiseless, at rest and at a resolution of 2000. Each is the most typical of many draws
of its kind, so that no odd draw represents a class. The result is the same every time.
"""

import csv
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.sky import draw_source
from train.simulate.source import GRID, LIGHT_KMS, STEP_KMS, Source

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "templates"
INDEX_FILE = "index.json"
README_FILE = "README.md"
README = (FOLDER / README_FILE).read_text(encoding="utf-8")
SEED = 20261
RESOLUTION = 2000.0
SAMPLING_KMS = 75.0  # two pixels per resolution element
FIRST, LAST = 3700.0, 9100.0
BLUEST = 1000.0  # blue limit, in angstrom at rest, of the templates of redshifted sources
DRAWS = 36  # draws of each kind, of which one is kept
MOST_DRAWS = 6000
LEAST_DUSTY_SHARE = 0.5  # Share of the draws that is kept: those with the least dust.
FULL_SCALE = 65_535  # Highest value of a template; flux is stored in whole numbers.


@dataclass(frozen=True, kw_only=True)
class TemplateKind:
    """A template: its name, its group in the window, and the draws it is chosen from."""

    name: str
    group: str
    label: str
    subtype: str = ""  # empty for any subtype
    z: tuple[float, float] | None = None
    stem: str

    def matches(self, source: Source) -> bool:
        is_near = self.z is None or self.z[0] <= source.z <= self.z[1]
        return is_near and self.subtype in ("", source.subtype)


def _read_kinds() -> Iterator[TemplateKind]:
    text = Path(__file__).with_suffix(".csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        low, _, high = row.pop("z").partition(" ")
        yield TemplateKind(**row, z=(float(low), float(high)) if low else None)


KINDS = tuple(_read_kinds())


def build(folder: Path = FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.json"):
        old.unlink()
    for kind in KINDS:
        _write(folder / f"{kind.stem}.json", template(kind))
    index = [{"name": each.name, "group": each.group, "file": f"{each.stem}.json",
              "class": each.label} for each in KINDS]  # fmt: skip
    _write(folder / INDEX_FILE, {"simulated": True, "templates": index})
    (folder / README_FILE).write_text(README, encoding="utf-8")


def template(kind: TemplateKind) -> dict[str, object]:
    """Content of a file: whole-number flux on a grid even in velocity, vacuum angstrom at rest."""
    source = typical(kind)
    grid = rest_grid(source)
    flux = np.interp(grid, GRID / (1.0 + source.z), at_template_resolution(source.flux))
    return {
        "name": kind.name,
        "class": kind.label,
        "subtype": source.subtype,
        "simulated": True,
        "medium": "vacuum",
        "first_angstrom": round(float(grid[0]), 6),
        "step_kms": SAMPLING_KMS,
        "resolution": RESOLUTION,
        "made_of": source.parameters,
        "flux": np.rint(flux / flux.max() * FULL_SCALE).astype(int).tolist(),
    }


def typical(kind: TemplateKind) -> Source:
    """The draw nearest to the median log flux of the draws with little dust."""
    by_dust = sorted(_draws(kind), key=lambda source: float(source.parameters.get("ebv", 0.0)))
    sources = by_dust[: math.ceil(DRAWS * LEAST_DUSTY_SHARE)]
    grids = [rest_grid(source) for source in sources]
    grid = np.geomspace(max(each[0] for each in grids), min(each[-1] for each in grids), 1500)
    shapes = np.array([_shape(source, grid) for source in sources])
    away = np.abs(shapes - np.median(shapes, axis=0)).mean(axis=1)
    return sources[int(np.argmin(away))]


def at_template_resolution(flux: FloatArray) -> FloatArray:
    """Flux on GRID blurred to the resolution of the templates."""
    sigma = LIGHT_KMS / RESOLUTION / 2.3548 / STEP_KMS
    reach = math.ceil(5 * sigma)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return np.convolve(np.pad(flux, reach, mode="edge"), kernel / kernel.sum(), mode="valid")


def rest_grid(source: Source) -> FloatArray:
    """Wavelengths from FIRST to LAST; redshifted sources reach further into the blue."""
    low, high = (edge / (1.0 + source.z) for edge in source.valid)
    first = max(low, BLUEST) if source.z > 0.1 else FIRST
    last = min(high, LAST)
    count = int(math.log(last / first) * LIGHT_KMS / SAMPLING_KMS)
    return np.asarray(first * np.exp(np.arange(count + 1) * SAMPLING_KMS / LIGHT_KMS))


def _draws(kind: TemplateKind) -> Iterator[Source]:
    count = 0
    for number in range(MOST_DRAWS):
        source = draw_source(kind.label, np.random.default_rng((SEED, number)))
        if kind.matches(source):
            yield source
            count += 1
        if count == DRAWS:
            return
    raise ValueError(f"{MOST_DRAWS} draws contain only {count} of {kind.name}")


def _shape(source: Source, grid: FloatArray) -> FloatArray:
    flux = np.interp(grid, GRID / (1.0 + source.z), source.flux)
    log = np.log(np.maximum(flux, 1e-4 * float(np.median(flux))))
    return np.asarray(log - np.median(log))


def _write(path: Path, content: dict[str, object]) -> None:
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
