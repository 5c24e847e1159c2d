"""A panel's answer is translated line by line, however little of it is known."""

from __future__ import annotations

import re

import pytest

from agent.evidence.assessment import assess
from agent.inspection.inspector import run
from agent.inspection.panel_inspector import PanelInspector
from agent.tasks.catalogue import find_task
from app.ui.translation.languages import LANGUAGES, install_translators
from app.ui.translation.panel_texts import translate_panel_text
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.inspection.scripted_inspection import inspector
from tests.agent.scenes import answer, call

OTHERS = [name for name in LANGUAGES if name != "en"]
CV = find_task("CV")


@pytest.fixture(params=OTHERS)
def language(request, qapp):
    translators = install_translators(qapp, request.param)
    yield request.param
    for each in translators:
        qapp.removeTranslator(each)


def answered(label: str, replies) -> str:
    record = run(PanelInspector(inspector(replies)).inspect(simulated_spectrum(label), CV))
    return re.sub(r"^\\boxed\{\w+\} ", "", record.reasons)


@pytest.mark.parametrize("label", ["CV", "QSO", "K"])
def test_all_but_the_models_own_words_is_translated(language, label):
    said = answered(label, [call(6400, 6700), answer("NO", "Its own odd words.")])
    eye, measured, together = translate_panel_text(said).split("\n")
    assert eye == "scripted：NO，p 0.90：Its own odd words."
    verdict = assess(simulated_spectrum(label), CV).verdict
    assert measured.startswith(f"measured：{verdict}，p ")
    assert not re.search(r"[a-z]{4,}", measured.removeprefix("measured"))
    assert "p(YES)" in together and not re.search(r"[a-z]{4,}", together)
    assert ("意见不同" in together) == (verdict == "YES")


def test_words_of_the_model_that_the_program_knows_are_translated(language):
    said = answered("K", [answer("NO", "It looks more like a quasar.")])
    first = translate_panel_text(said).split("\n")[0]
    assert "类星体" in first and "quasar" not in first


def test_it_stays_english_in_an_english_window():
    said = answered("K", [answer("NO", "It looks more like a quasar.")])
    assert translate_panel_text(said) == said
