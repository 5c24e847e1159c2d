"""What all simulated files share: the marks in their headers and a reproducible way of saving."""

import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from astropy.io import fits
from numpy.typing import NDArray

from agent.atomic_file import write_file
from agent.errors import write_errors
from train.simulate.source import Rng
from train.simulate.telescope.instrument import pixels_between
from train.simulate.telescope.observation import Observation
from train.simulate.telescope.pipeline_class import PipelineClass

# Who a simulated object seems to be, and the stamp that says that it is simulated.
FIRST_PLATE = 90_000  # above every plate number of SDSS
FIRST_TARGETID = 9_000_000_000_000_000_000
"""Above every TARGETID of DESI, which leaves bits 60 and up unused."""
ASTROMETRY_ARCSEC = 0.2
"""One sigma, in each direction, of the difference between the positions two surveys measure."""
MAG_BANDS = {"g": (4000, 5500), "r": (5500, 6900), "i": (6900, 8200), "z": (8200, 9100)}


@dataclass(frozen=True)
class Stamp:
    seed: int
    index: int
    version: str

    @property
    def text(self) -> str:
        return (
            f"SIMULATED spectrum: spec-o3-train simulate {self.version}, "
            f"seed {self.seed}, number {self.index}. Not an observation."
        )


@dataclass(frozen=True)
class FakeTarget:
    """Fictitious coordinates in degrees, magnitudes, and the survey's numbers."""

    index: int
    ra: float
    dec: float
    mjd: int
    magnitudes: dict[str, float]
    spectrograph: int
    fiber: int
    plate: int
    targetid: int

    @property
    def designation(self) -> str:
        return f"SIM J{sexagesimal(self.ra, self.dec)}"


def draw_target(observation: Observation, index: int, rng: Rng) -> FakeTarget:
    """A target whose names are unique by `index`; `rng` draws its position, date and magnitudes."""
    ra, dec = draw_position(rng)
    return FakeTarget(
        index=index,
        ra=round(ra, 6),
        dec=round(dec, 6),
        mjd=int(rng.integers(55900, 60300)),
        magnitudes=_magnitudes(observation, rng),
        spectrograph=index // 250 % 16 + 1,
        fiber=index % 250 + 1,
        plate=FIRST_PLATE + index // 250,
        targetid=FIRST_TARGETID + index,
    )


def moved_to(target: FakeTarget, position: tuple[float, float], rng: Rng) -> FakeTarget:
    """The same target at a position of its sky, with the astrometric error of this survey."""
    ra, dec = position
    off_ra, off_dec = ASTROMETRY_ARCSEC / 3600.0 * rng.standard_normal(2)
    ra = (ra + float(off_ra) / np.cos(np.radians(dec))) % 360.0
    return replace(target, ra=round(ra, 6), dec=round(dec + float(off_dec), 6))


def draw_position(rng: Rng) -> tuple[float, float]:
    """Random ra and dec, in degrees, within reach of northern surveys."""
    ra = float(rng.uniform(0.0, 360.0))
    dec = float(np.degrees(np.arcsin(rng.uniform(np.sin(np.radians(-8)), np.sin(np.radians(60))))))
    return ra, dec


def _magnitudes(observation: Observation, rng: Rng) -> dict[str, float]:
    """Magnitudes from the flux in wide bands, with a zero point that follows from the S/N."""
    snr = max(observation.snr["r"], observation.snr["i"], 1.0)
    bright = 19.8 - 2.5 * np.log10(snr) + 0.4 * float(rng.standard_normal())
    level = {}
    for band, limits in MAG_BANDS.items():
        inside = pixels_between(observation.wavelength, *limits)
        good = observation.ivar[inside] > 0
        f_nu = observation.flux[inside][good] * observation.wavelength[inside][good] ** 2
        level[band] = float(np.median(f_nu)) if f_nu.size > 10 else 0.0
    reference = level["r"] if level["r"] > 0 else max(*level.values(), 1e-30)
    scatter = 0.05 * rng.standard_normal(len(level))
    found = dict.fromkeys(level, 99.0)
    for (band, value), noise in zip(level.items(), scatter, strict=True):
        if value > 0:
            found[band] = round(float(bright - 2.5 * np.log10(value / reference) + noise), 2)
    return found


def sexagesimal(ra: float, dec: float) -> str:
    """HHMMSS.ss+DDMMSS.s, truncated and not rounded, as in the designations of surveys."""
    centiseconds = int(ra / 15.0 * 360_000)
    seconds, hundredths = divmod(centiseconds, 100)
    sign = "-" if dec < 0 else "+"
    tenths = int(abs(dec) * 36_000)
    arcseconds, tenth = divmod(tenths, 10)
    return (
        f"{seconds // 3600:02d}{seconds // 60 % 60:02d}{seconds % 60:02d}.{hundredths:02d}"
        f"{sign}{arcseconds // 3600:02d}{arcseconds // 60 % 60:02d}{arcseconds % 60:02d}.{tenth}"
    )


AUTHOR = "Spec-o3 Workbench"


@dataclass(frozen=True)
class Entry:
    """One spectrum and all that its file states."""

    observation: Observation
    target: FakeTarget
    pipeline_class: PipelineClass
    stamp: Stamp


def mark_simulated(header: Any, stamp: Stamp) -> None:
    """State in the primary header, for programs and for people, that the spectrum is simulated."""
    header["SIMULATE"] = (True, "this spectrum is simulated")
    header["SIMSEED"] = (stamp.seed, "seed of the simulation")
    header["SIMINDEX"] = (stamp.index, "number of the spectrum in the simulation")
    header["SIMVERS"] = (stamp.version, "version of spec-o3-train")
    header["COMMENT"] = stamp.text


def table(columns: Sequence[tuple[str, str, Any]], name: str | None) -> Any:
    """A table of columns told by name, format and values."""
    made = [fits.Column(name=key, format=kind, array=values) for key, kind, values in columns]
    return fits.BinTableHDU.from_columns(made, name=name)


def float32(values: NDArray[Any]) -> NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32)


def save(hdus: Sequence[Any], path: Path) -> None:
    """Write a whole file or nothing; the same content gives the same bytes, gzip included."""
    buffer = io.BytesIO()
    fits.HDUList(list(hdus)).writeto(buffer, output_verify="exception")
    content = buffer.getvalue()
    if path.suffix == ".gz":
        packed = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
            file.write(content)
        content = packed.getvalue()
    with write_errors(path):
        write_file(path, content)
