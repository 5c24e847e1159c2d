"""Simulated studies: their power before they begin, and the test of their statistics."""

import math
from dataclasses import dataclass

import numpy as np

from agent.confidence.scores import Estimate
from agent.spectra.spectrum import FloatArray
from app.core.sharing.study_plan import ARMS, Design
from app.core.statistics.drift import share_estimate
from app.core.study.figures import effect
from app.core.study.readings import ACCEPT, REJECT, UNSURE, VERDICTS, Readings

SIGNIFICANT_P = 0.05
MEDIAN_S, SPREAD_S = 12.0, 0.5  # of the seconds a spectrum takes; the spread is of the logarithm
MEMBERS = 0.5


@dataclass(frozen=True, kw_only=True)
class Readers:
    """What simulated people are like; all are shares from 0 to 1."""

    skill: float = 0.85  # verdicts that are right without the agent, of a candidate like most
    spread: float = 1.0  # how much candidates differ in difficulty, in units of the logit
    unsure: float = 0.05
    bias: float = 0.07  # of what would not be wrong, made wrong by the agent's wrong advice
    reliance: float = 0.5  # of what would not be right, made right by its right advice
    agent_right: float = 0.85
    fatigue: float = 0.0  # more of the right verdicts become wrong in each hour


def simulated(
    candidates: int,
    people: int,
    design: Design,
    readers: Readers,
    rng: np.random.Generator,
) -> Readings:
    """The readings of a study with an even lot, as `study new` draws one."""
    is_member = (rng.random(candidates) < MEMBERS).astype(np.float64)
    agent_wrong = rng.random(candidates) >= readers.agent_right
    agent_yes = np.where(agent_wrong, 1.0 - is_member, is_member)
    doubt = 0.5 * rng.beta(0.5, 3.0, candidates)
    p_yes = np.where(agent_yes == 1.0, 1.0 - doubt, doubt)
    ease = _logit(readers.skill) + readers.spread * rng.standard_normal(candidates)
    begins_aided = (np.arange(candidates)[None, :] + np.arange(people)[:, None]) % 2 == 1
    order = np.array([rng.permutation(candidates) for _ in range(people)])
    columns = []
    for number in (1, 2) if design != "split" else (1,):
        is_aided = begins_aided ^ (number == 2)
        if design == "unaided-first":
            is_aided = np.full_like(begins_aided, number == 2)
        columns.append(is_aided)
    seconds = MEDIAN_S * np.exp(SPREAD_S * rng.standard_normal((len(columns), people, candidates)))
    # The minute at which each reading begins, one after the other in each person's own order.
    rank = np.argsort(order, axis=1)
    apart = 2.0 if design == "unaided-first" else 1.0
    minute = np.array(
        [MEDIAN_S / 60.0 * (apart * rank + number * (1 if apart > 1.0 else candidates))
         for number in range(len(columns))]
    )  # fmt: skip
    unaided = _unaided(readers, ease, minute[0], rng)
    found = []
    for number, is_aided in enumerate(columns):
        own = unaided
        if number == 1 and design == "crossover":  # judged anew, not remembered
            own = _unaided(readers, ease, minute[1], rng)
        found.append(np.where(is_aided, _advised(readers, own, agent_wrong, rng), own))
    who, where = (each.ravel() for each in np.indices((people, candidates)))
    outcome = np.array(found).reshape(-1)
    count = len(columns)
    candidate = np.tile(where, count)
    says_member = np.where(outcome == 1, is_member[candidate], 1.0 - is_member[candidate])
    verdict = np.where(says_member == 1.0, VERDICTS.index(ACCEPT), VERDICTS.index(REJECT))
    verdict[outcome == 2] = VERDICTS.index(UNSURE)
    return Readings(
        design=design,
        people=tuple(f"person {number + 1}" for number in range(people)),
        person=np.tile(who, count),
        candidate=candidate,
        arm=np.where(np.array(columns).ravel(), ARMS.index("advice"), ARMS.index("unaided")),
        verdict=verdict.astype(np.int64),
        seconds=seconds.ravel(),
        minute=minute.ravel(),
        is_member=is_member,
        agent_yes=agent_yes,
        p_yes=p_yes,
        snr=10.0 ** rng.uniform(0.5, 2.0, candidates),
        class_name=tuple("member" if each else "other" for each in is_member),
        deviating={},
    )


def _unaided(
    readers: Readers, ease: FloatArray, minute: FloatArray, rng: np.random.Generator
) -> np.ndarray:
    """1 right, 0 wrong, 2 unsure, of each person and candidate."""
    right = rng.random(minute.shape) < 1.0 / (1.0 + np.exp(-ease))
    right &= rng.random(minute.shape) >= readers.fatigue * minute / 60.0
    found = right.astype(np.int64)
    found[rng.random(minute.shape) < readers.unsure] = 2
    return found


def _advised(
    readers: Readers, own: np.ndarray, agent_wrong: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    chance = rng.random(own.shape)
    misled = agent_wrong & (own != 0) & (chance < readers.bias)
    helped = ~agent_wrong & (own != 1) & (chance < readers.reliance)
    return np.where(misled, 0, np.where(helped, 1, own))


def _logit(share: float) -> float:
    return math.log(share / (1.0 - share))


@dataclass(frozen=True, kw_only=True)
class Power:
    found: Estimate  # studies that tell the bias from none
    covered: Estimate  # studies whose interval holds the true bias
    half_width: float  # of the interval, in the median


def power(
    candidates: int,
    people: int,
    design: Design,
    readers: Readers,
    *,
    studies: int = 200,
    seed: int = 0,
) -> Power:
    """How often such a study finds the readers' bias."""
    found = covered = counted = 0
    widths = []
    for number in range(studies):
        rng = np.random.default_rng((seed, number))
        readings = simulated(candidates, people, design, readers, rng)
        bias = effect(readings, when_wrong=True)
        found += bias.p < SIGNIFICANT_P
        if bias.estimate.value is not None:
            counted += 1
            covered += bias.estimate.low <= readers.bias <= bias.estimate.high
            widths.append(0.5 * (bias.estimate.high - bias.estimate.low))
    return Power(
        found=share_estimate(found, studies),
        covered=share_estimate(covered, counted),
        half_width=float(np.median(widths)) if widths else math.nan,
    )
