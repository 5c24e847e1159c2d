"""F1 of CVs whose headers give the redshift of a galaxy or quasar, and of the same CVs without."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from agent.confidence.scores import f1_score
from agent.evidence.assessment import assess
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from tests.bench.measuring import figure_line
from train.simulate.sky import draw_source
from train.simulate.telescope.observation import to_spectrum
from train.simulate.telescope.telescope import observe

COUNT = 200
OTHERS = ("QSO", "GALAXY", "WD", "M_DWARF", "K", "A", "NEBULA", "YSO", "SYMBIOTIC", "SDB")
SURVEYS = ("LAMOST", "SDSS", "DESI")
# As pipelines give them to stars that they take for a galaxy or a quasar.
WRONG = {"galaxy": (0.006, 0.8), "quasar": (0.3, 3.5)}


@cache
def simulated(label: str, number: int) -> Spectrum:
    """A simulated spectrum with S/N from 5 to 60; its header gives its true redshift."""
    rng = np.random.default_rng([number, 58])
    source, survey = draw_source(label, rng), SURVEYS[number % len(SURVEYS)]
    snr = float(np.exp(rng.uniform(np.log(5.0), np.log(60.0))))
    shown = to_spectrum(observe(source, survey, rng, snr=snr, quality="good"))
    return replace(shown, z=source.z or None)


@cache
def judged_as_cv(count: int, kind: str = "") -> tuple[bool, ...]:
    """Which CVs are judged YES; their headers give a redshift of that kind of object, or none."""
    answers = []
    for number in range(count):
        rng = np.random.default_rng([number, 59])
        z = float(rng.uniform(*WRONG[kind])) if kind else None
        answers.append(is_cv(replace(simulated("CV", number), z=z)))
    return tuple(answers)


def is_cv(spectrum: Spectrum) -> bool:
    return assess(spectrum, find_task("CV")).log_odds > 0.0


def figures() -> Iterator[dict[str, object]]:
    others = [is_cv(simulated(OTHERS[n % len(OTHERS)], n)) for n in range(2 * COUNT)]
    false = sum(others)
    none = judged_as_cv(COUNT)
    for kind in ("", *WRONG):
        right = judged_as_cv(COUNT, kind) if kind else none
        counts = [[len(others) - false, false], [COUNT - sum(right), sum(right)]]
        lost = sum(before and not after for before, after in zip(none, right, strict=True))
        yield figure_line(
            f"F1 of CVs, redshift of a {kind} in the header" if kind else "F1 of CVs, no redshift",
            float(f1_score(counts)), "of 1", found=sum(right), lost=lost, cvs=COUNT,
            others=len(others), false=false,
        )  # fmt: skip
