"""Sentences about the statistics: the same as in the report, and translated."""

import re
from functools import partial

import numpy as np
import pytest

from agent.confidence.calibration import fit_calibration
from agent.confidence.judged import JudgedScores
from agent.confidence.scores import Estimate, FleissKappa
from app.core.statistics.calibration import CalibrationSample, calibration_sentence
from app.core.statistics.cut_plan import Missing, plan_cut
from app.core.statistics.drift import Drift, VerdictBlock
from app.core.statistics.snr_bins import SnrBin
from app.ui.review import sentences
from app.ui.review.agreement_numbers import AgreementModel
from app.ui.review.sentences import (
    calibration_state,
    cut_sentences,
    drift_sentence,
    estimate_text,
    snr_sentence,
)
from tests.app.ui.steps import speaking

LATIN = re.compile(r"[A-Za-z]{2,}")
SAID_SO = {"YES", "ACCEPT", "REJECT"}
FEW, MANY = ((3, 20, 500), (3, 20, 0), (3, 20, 2)), ((200, 300, 400), (1500, 1500, 4000))
JUDGED_AND_LEFT = (*FEW, *MANY, (0, 30, 9))


@pytest.fixture(params=["en", "zh"])
def language(request, qapp):
    with speaking(request.param):
        yield request.param


def judged(real, other):
    p = np.concatenate([np.linspace(0.55, 0.99, real), np.linspace(0.01, 0.45, other)])
    return JudgedScores(p, np.arange(real + other) < real)


def own(real, other, unjudged=()):
    return CalibrationSample(
        model="nano", model_sha256="", judged=judged(real, other),
        unjudged=np.array(unjudged, dtype=np.float64), unsure=0, shown=0, together=0,
        without_p=0
    )  # fmt: skip


def in_language(text, language):
    """In another language only the names of verdicts are English."""
    words = set(LATIN.findall(text))
    assert text and not re.search(r"\{\w+\}", text)
    assert words <= SAID_SO if language != "en" else words - SAID_SO
    return text


def test_sentences_about_p_yes_and_cuts(language):
    for real, other in [(0, 0), (3, 100), (100, 2), (60, 60), (400, 600), (12, 12), (4, 4)]:
        mine = own(real, other)
        for rule in (None, fit_calibration(mine.judged)):
            told = calibration_state(AgreementModel(figures=None, own=mine, calibration=rule))
            in_language(told, language)
            if language == "en":
                assert told == calibration_sentence(rule, mine.judged)
    for wanted in [0.8, 0.99]:
        for real, other, left in JUDGED_AND_LEFT:
            mine = own(real, other, np.linspace(0.02, 0.98, left))
            plan = plan_cut(mine, fit_calibration(mine.judged), precision=wanted)
            told = cut_sentences(plan)
            for each in told:
                in_language(each, language)
            figures = sorted(re.findall(r"\d[\d,.]*\d|\d", " ".join(told)))
            there = sorted(re.findall(r"\d[\d,.]*\d|\d", " ".join(plan.words)))
            assert set(figures) - {"0"} == set(there) - {"0"}


def test_sentences_about_people_intervals_and_noise(language):
    for by_chance, agent in [(0.001, 0.8), (0.8, None), (0.8, 0.8)]:
        nothing = Estimate(None, 0.0, 1.0)
        blocks = tuple(
            VerdictBlock(
                n=25, since="", until="", accepted=Estimate(share, 0.0, 1.0), unsure=nothing,
                with_people=nothing,
                with_agent=nothing if agent is None else Estimate(agent, 0.0, 1.0), p_yes=None
            )
            for share in (0.2, 0.9, 0.1, 0.6)
        )  # fmt: skip
        ada = partial(Drift, reviewer="Ada", blocks=blocks)
        odd = ada(accepted_by_chance=0.001, agent_by_chance=by_chance)
        told = in_language(drift_sentence(odd), language)
        assert re.findall(r"\d+ %", told) == re.findall(r"\d+ %", odd.words)
        steady = ada(accepted_by_chance=0.5, agent_by_chance=1.0)
        assert drift_sentence(steady) == steady.words == ""
    told = estimate_text(Estimate(0.512, -0.1, 0.96))
    assert told == {"en": "0.51 (-0.10 to 0.96)", "zh": "0.51（-0.10 至 0.96）"}[language]
    assert estimate_text(Estimate(None, 0.0, 1.0)) == "–"
    said = snr_sentence([of_snr(5.0, 10.0, 40, 0.4), of_snr(50.0, None, 60, 0.9)])
    assert language == "en" or not set(LATIN.findall(said)) - SAID_SO - {"kappa"}


def of_snr(low, high, n, kappa, wide=0.1):
    estimate = Estimate(kappa, kappa - wide, kappa + wide)
    found = FleissKappa(("A", "R"), n, 2 * n, estimate, estimate)
    return SnrBin(low, high, found)


def test_noise_is_blamed_only_where_the_numbers_show_it():
    for bins, text in [
        ([], "Too few to tell whether noise matters"),
        ([of_snr(None, 5.0, 2, 0.0), of_snr(50.0, None, 2, 1.0)], "Too few to tell"),
        ([of_snr(None, 5.0, 40, 0.4), of_snr(None, None, 90, 1.0)], "Too few to tell"),
        ([of_snr(None, 5.0, 40, 0.4), of_snr(50.0, None, 60, 0.5)], "No clear difference"),
        (
            [of_snr(None, 5.0, 3, 0.9), of_snr(5.0, 10.0, 40, 0.4), of_snr(50.0, None, 60, 0.9)],
            "People agree less below S/N 10: kappa 0.40 on 40 objects, 0.90 on 60",
        ),
        ([of_snr(None, 5.0, 40, 0.9), of_snr(50.0, None, 60, 0.4)], "No clear difference"),
    ]:
        assert snr_sentence(bins).startswith(text)


def test_a_limit_close_to_one_is_not_told_as_one(language):
    most = Missing(kind="precision", wanted=0.95, needed=60, have=3, takes=57, left=2, above=0.9996)
    assert "0.9996" in in_language(sentences._missing_text(most), language)
