"""One numbered spectrum and its questions, which only depend on seed and number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from agent.errors import WorkbenchError
from agent.examples.examples import Example, example
from agent.spectra.spectrum import Spectrum
from train.questions.distortion import distorted
from train.questions.plan import AskedClass, answer_of, is_open, plan_of
from train.questions.settings import QuestionSettings
from train.simulate.campaign import MAX_COUNT, Assignment
from train.simulate.campaign import Settings as Campaign
from train.simulate.production import SimulatedSpectrum, simulate_spectrum
from train.simulate.sky import draw_source
from train.simulate.sky.balanced_kinds import draw_balanced_kind
from train.simulate.source import Rng
from train.simulate.telescope.frame import happens
from train.simulate.telescope.observation import to_spectrum
from train.simulate.truth import object_id

ATTEMPTS = 40
UNKNOWN_Z = -9000.0
PLAN, DISTORTION, EVEN = 11, 12, 13


@dataclass(frozen=True, kw_only=True)
class Request:
    """The input of a worker."""

    settings: QuestionSettings
    seed: int
    numbers: Sequence[int]
    library: str = ""


@dataclass(frozen=True, eq=False)
class SpectrumQuestions:
    """The questions about a spectrum, its distortions, and whether it has an empirical base."""

    examples: tuple[Example, ...]
    distortions: tuple[str, ...]
    from_library: bool


def questions_on_spectra(request: Request) -> list[SpectrumQuestions]:
    return [
        questions_on_spectrum(request.settings, request.seed, number, request.library)
        for number in request.numbers
    ]


def questions_on_spectrum(
    settings: QuestionSettings, seed: int, number: int, library: str = ""
) -> SpectrumQuestions:
    kind, survey = plan_of(settings).draw(_rng(seed, number, PLAN))
    made = _observed(settings, seed, number, library, kind, survey)
    spectrum, names = distorted(
        _spectrum(made, seed, number), settings, _rng(seed, number, DISTORTION)
    )
    first = example(
        spectrum,
        task=kind.tasks[0],
        answer=answer_of(kind.label, kind.tasks[0]),
        key=f"{kind.tasks[0]}-{seed}-{number}",
        label=kind.label,
        subtype=made.source.subtype,
        split=settings.split,
    )
    others = [
        replace(first, task=task, answer=answer_of(kind.label, task), key=f"{task}-{seed}-{number}")
        for task in kind.tasks[1:]
    ]
    return SpectrumQuestions((first, *others), names, "base" in made.source.parameters)


def _observed(
    settings: QuestionSettings, seed: int, number: int, library: str, kind: AskedClass, survey: str
) -> SimulatedSpectrum:
    """A simulated spectrum, drawn again if it has no flux in range or its answer is ambiguous."""
    campaign = _campaign(settings, seed, library)
    is_even = kind.label in settings.tasks and happens(_rng(seed, number, EVEN), settings.even)
    draw = draw_balanced_kind if is_even else draw_source
    for attempt in range(1, ATTEMPTS + 1):
        # Beyond the numbers of any campaign, so that the same seed there gives other objects.
        assignment = Assignment(number + attempt * MAX_COUNT, kind.label, survey)
        try:
            made = simulate_spectrum(campaign, assignment, settings.library_share, draw)
        except WorkbenchError:
            continue
        if not any(is_open(made.source, task) for task in kind.tasks):
            return made
    raise WorkbenchError(
        f"no usable {kind.label} observed by {survey} in {ATTEMPTS} draws (seed {seed}, "
        f"number {number}): check that the library is readable"
    )


def _campaign(settings: QuestionSettings, seed: int, library: str) -> Campaign:
    return Campaign(
        seed=seed,
        count=1,
        survey=settings.survey,
        snr=settings.snr,
        quality=settings.quality,
        library=library,
    )


def _spectrum(made: SimulatedSpectrum, seed: int, number: int) -> Spectrum:
    """The spectrum as a reader would return it, under a name that does not reveal its class."""
    spectrum = to_spectrum(made.entry.observation, made.entry.pipeline_class)
    is_known = spectrum.z is not None and spectrum.z > UNKNOWN_Z
    return replace(
        spectrum,
        z=spectrum.z if is_known else None,
        ra=made.entry.target.ra,
        dec=made.entry.target.dec,
        object_id=object_id(made),
        path=f"spec-{seed}-{number:07d}.fits",
    )


def _rng(seed: int, number: int, purpose: int) -> Rng:
    return np.random.default_rng(np.random.SeedSequence((seed, number), spawn_key=(purpose,)))
