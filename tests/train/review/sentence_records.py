"""Records of measured inspections written by hand."""

from __future__ import annotations

from typing import Any

from agent.protocol.reply import Verdict
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory

OPENING = (
    "The spectrum covers 3700 to 9000 Å with a median S/N of 20 per pixel. At first sight it looks "
    "like a cataclysmic variable, rather than a quasar: Hβ emission, EW -20.0 ± 0.5 Å; smooth "
    "continuum (bend 0.04). Measured in the whole spectrum: 4000 Å break 0.94: too hot for a "
    "carbon star. First I look at Hα and He I 6678, 6450 to 6750 Å. Hα 6564.6 in emission."
)
LOOK = (
    "Measured in Hα and He I 6678: Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s: narrow for a CV; "
    "no [S II] 6716 emission, EW 0.10 ± 0.20 Å. This speaks against the class. All in all I put "
    "the chance of YES below 1 per cent."
)
ANSWER = (
    "\\boxed{NO} Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s: narrow for a CV. It looks more like "
    "an M dwarf: TiO bands (TiO5 0.70). On the other side: no [S II] 6716 emission, EW 0.10 ± "
    "0.20 Å. Not testable here: He I 5876."
)


def made(
    opening: str = OPENING, look: str = LOOK, answer: str = ANSWER, task: str = "CV",
    verdict: Verdict = "NO", **measured: Any,
) -> Trajectory:  # fmt: skip
    """One look at Hα, whose table is `measured`."""
    steps = (
        Step(kind="think", turn=0, text=opening),
        Step(kind="zoom", turn=0, range=(6450, 6750), label="Hα", measured=measured),
        Step(kind="think", turn=1, text=look),
        Step(kind="answer", turn=1, text=answer, verdict=verdict),
    )
    spectrum = SpectrumRef(object_id="star", path="star.fits", row=0, sha256="a" * 64)
    return Trajectory(
        task=task, spectrum=spectrum, model=ModelRef(name="measured"), prompt_sha256="b" * 64,
        style={}, seed=0, stopped_by="answer", steps=steps, verdict=verdict, p_yes=0.001,
    )  # fmt: skip


def saying(claims: str, task: str = "CV", verdict: Verdict = "NO", **measured: Any) -> Trajectory:
    """A record whose look says these claims, and nothing else."""
    look = f"Measured in Hα and He I 6678: {claims}. This decides little."
    plain = "It covers 3700 to 9000 Å. First I look at Hα, 6450 to 6750 Å."
    return made(plain, look, f"\\boxed{{{verdict}}} ", task, verdict, **measured)
