"""The measured inspector's sentences are translated completely; a model's own words are not."""

from __future__ import annotations

import re

import pytest

from agent.evidence.gates import GATES
from agent.evidence.words import KIND_NAMES
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.readers.registry import read
from agent.tasks.catalogue import load_tasks
from app.ui.agent.card_content import card_contents
from app.ui.agent.measured_translation import Phrasebook, spaced, translate_measured_text
from app.ui.translation.data_texts import load_table
from app.ui.translation.languages import LANGUAGES, install_translators
from tests.app.ui.candidates import SAMPLE

TASKS = load_tasks()
OTHERS = [name for name in LANGUAGES if name != "en"]
ENGLISH = re.compile(r"(?<![A-Za-z])[a-z]{3,}(?![A-Za-z])")
"""An English word; names of lines and classes start with a capital letter or are short."""
UNITS = {"sdB", "sdO", "dMe", "km"}


@pytest.fixture(params=OTHERS)
def language(request, qapp):
    translators = install_translators(qapp, request.param)
    yield request.param
    for each in translators:
        qapp.removeTranslator(each)


def test_the_measured_inspector_is_translated_completely(language):
    """Its texts on three spectra of every class hold no English."""
    files = sorted((SAMPLE / "spectra").rglob("*.fits*"))
    for file in (files[0], files[7], files[21]):
        for task in TASKS:
            for text in spoken(read(file), task):
                said = translate_measured_text(text)
                assert said != text, text
                assert not set(ENGLISH.findall(said)) - UNITS, said


def spoken(spectrum, task):
    for step in MeasuredInspector().inspect(spectrum, task):
        if step.kind != "zoom" and step.text:
            yield re.sub(r"^\\boxed\{\w+\} ?", "", step.text)


@pytest.mark.parametrize("name", OTHERS)
def test_every_sign_and_kind_is_translated(name):
    book = Phrasebook(load_table("tasks", name), load_table("measured", name))
    for gate in GATES.values():
        for value in (-3.0, 3.0):
            said = gate.text(value, 0.0)
            assert not said or book.claim(said), said
            assert not said or book.claim(said[0].upper() + said[1:]), said
    assert all(book.phrase(kind) for kind in KIND_NAMES.values())


@pytest.mark.parametrize(
    "text",
    [
        "The Hα line is broad and double-peaked. This speaks for the class.",
        "This speaks for the class. I am sure.",
        "Measured in a window of mine: Hα in emission, equivalent width 12 Å.",
        "",
        "This decides little" * 3000,
        "It looks more like a teapot.",
    ],
)
def test_a_models_own_words_stay_english(language, text):
    assert translate_measured_text(text) == text


def test_cards_are_translated(language):
    spectrum = read(sorted((SAMPLE / "spectra").rglob("*.fits*"))[0])
    steps = tuple(MeasuredInspector().inspect(spectrum, TASKS[0]))
    cards = card_contents(steps)
    for card in cards:
        assert not set(ENGLISH.findall(card.text + card.label)) - UNITS, card.text
    assert any("Å" in card.aside for card in cards)


def test_spaces_between_chinese_and_latin_text():
    assert spaced("先看Hα，在 [O III]测得 宽 12 Å的线") == "先看 Hα，在 [O III] 测得宽 12 Å 的线"
