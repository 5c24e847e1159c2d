"""The measured inspector's sentences are translated completely; a model's own words are not."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import agent.evidence as evidence_package
import agent.spectra.measure as measure_package
from agent.evidence.assessment import assess
from agent.evidence.feature_words import lines_of
from agent.evidence.features import FEATURES
from agent.evidence.findings import Finding
from agent.evidence.line_words import LineWords, line_text
from agent.evidence.measurements import measurements_of
from agent.evidence.said_numbers import SaidNumbers
from agent.evidence.words import COLOUR_LABEL, KIND_NAMES, class_name, finding_texts
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.inspection.measured_turns import without_meaning
from agent.inspection.panel_inspector import PanelInspector
from agent.spectra.readers.registry import read
from agent.tasks.catalogue import find_task, load_tasks
from app.ui.base.translation.data_texts import load_table
from app.ui.base.translation.measured_texts import (
    Phrasebook,
    spaced,
    translate_measured_name,
    translate_measured_text,
    translate_panel_text,
    translate_reason,
)
from app.ui.judge.agent.card_content import card_contents
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.inspection.scripted_inspection import inspector
from tests.agent.scenes import answer, call
from tests.app.ui.base.translation.conftest import OTHERS, english_in
from tests.app.ui.candidates import SAMPLE
from tests.night import BY_NIGHT
from train.vision.grades import all_phrases
from train.vision.reasons import KINDS_SAID

TASKS = load_tasks()


def test_the_measured_inspector_is_translated_completely(language):
    """Its texts on three spectra, by day one for each class, hold no English."""
    files = sorted((SAMPLE / "spectra").rglob("*.fits*"))
    for number, file in enumerate((files[0], files[7], files[21])):
        for task in TASKS if BY_NIGHT else TASKS[number::3]:
            for text in spoken(read(file), task):
                said = translate_measured_text(text)
                assert said != text and not english_in(said), (text, said)


def spoken(spectrum, task):
    for step in MeasuredInspector().inspect(spectrum, task):
        if step.kind != "zoom" and step.text:
            yield re.sub(r"^\\boxed\{\w+\} ?", "", step.text)


def test_all_signs_templates_and_lines_are_translated():
    for name in OTHERS:
        book = Phrasebook(load_table("tasks", name), load_table("measured", name))
        for feature in FEATURES.values():
            for value in (-3.0, 3.0):
                said = feature.text(value, 0.0)
                assert not said or book.claim(said), said
                assert not said or book.claim(said[0].upper() + said[1:]), said
        assert all(book.phrase(kind) for kind in KIND_NAMES.values())
        numbers = measurements_of(simulated_spectrum("CV"))
        for task in TASKS:
            for evidence in task.evidence:
                if evidence.kind in ("line", "width"):
                    continue
                for value in (evidence.threshold + 0.4, evidence.threshold - 0.4):
                    for error in (0.0, 0.3, 30.0):
                        finding = Finding(evidence=evidence, value=value, error=error)
                        plain = replace(finding, evidence=without_meaning(evidence))
                        for text in finding_texts([finding, plain], SaidNumbers(numbers), task):
                            assert book.claim(text), text
        # Every line of the tasks and features in every state, with every remark of every task.
        lines = {line for feature in FEATURES for line in lines_of(feature)}
        remarks = {"", "strong", "weak", "narrow", "wide"}
        for task in TASKS:
            kind = class_name(task)
            remarks |= {f"{size} for {kind}" for size in ("narrow", "wide", "weak")}
            remarks |= {f"{size} as in {kind}" for size in ("narrow", "wide")}
            for evidence in task.evidence:
                if evidence.kind in ("line", "width"):
                    lines |= set(evidence.target)
                    found = Finding(evidence=evidence, value=evidence.threshold + 1.0)
                    absent = Finding(evidence=evidence, value=evidence.threshold - 1.0)
                    flipped = [replace(each, value=-each.value) for each in (found, absent)]
                    remarks |= {each.meaning for each in (found, absent, *flipped)}
        rows = [
            {"kind": "emission", "ew": -15.5, "ew_error": 0.5, "fwhm_kms": 354.0},
            {"kind": "absorption", "ew": 15.5, "ew_error": 0.5},
            {"kind": "absorption", "ew": -1.5, "ew_error": 0.5},
            {"kind": "", "ew": 0.1, "ew_error": 0.5},
            {"kind": "", "ew": 1.2, "ew_error": 0.5},
            {"kind": "", "ew": -1.2, "ew_error": 0.5},
        ]
        for line in sorted(lines):
            for row in rows:
                for expected in ("emission", "absorption"):
                    text = line_text(line, row, expected)
                    said = book.claim(text[0].upper() + text[1:])
                    assert said and not english_in(said), text
        for remark in sorted(remarks):
            text = LineWords("Hα emission, EW -15.5 ± 0.5 Å", remark).full
            said = book.claim(text)
            assert said and not english_in(said), text


def test_cards_are_translated_and_a_models_own_words_are_not(language):
    spectrum = read(sorted((SAMPLE / "spectra").rglob("*.fits*"))[0])
    steps = tuple(MeasuredInspector().inspect(spectrum, TASKS[0]))
    cards = card_contents(steps)
    for card in cards:
        assert not english_in(card.text + card.label), card.text
    assert any("Å" in card.aside for card in cards)
    for text in [
        "The Hα line is broad and double-peaked. This speaks for the class.",
        "This speaks for the class. I am sure.",
        "Measured in a window of mine: Hα in emission, equivalent width 12 Å.",
        "",
        "This decides little" * 3000,
        "It looks more like a teapot.",
    ]:
        assert translate_measured_text(text) == text


def test_spaces_and_an_english_window():
    assert spaced("先看Hα，在 [O III]测得 宽 12 Å的线") == "先看 Hα，在 [O III] 测得宽 12 Å 的线"
    said = answered("K", [answer("NO", "It looks more like a quasar.")])
    assert translate_panel_text(said) == said


def test_numbers_reasons_and_what_a_seeing_model_says_are_translated(language):
    names = [feature.label for feature in FEATURES.values()] + [COLOUR_LABEL]
    names += [evidence.label for task in TASKS for evidence in task.evidence]
    for name in names:
        assert not english_in(translate_measured_name(name)), name
    reasons = set(stated_reasons())
    assert {"no such velocity", "no profile fits", "too few good pixels"} <= reasons
    assert len(reasons) > 30
    reasons |= {"HdA is below 2", "CaT_1: outside the spectrum"}
    reasons.add("a gap of bad pixels inside the feature")
    for reason in sorted(reasons):
        assert not english_in(translate_reason(reason)), reason
    for phrase in sorted(all_phrases()):
        begin = f"{phrase}; Hα in strong emission. Look at Ca II triplet."
        text = f"{begin} Like a white dwarf: {phrase}."
        said = translate_measured_text(text)
        assert said != text and not english_in(said), (phrase, said)
    for kind in KINDS_SAID:
        said = translate_measured_text(f"More like {kind}: Hα in strong emission.")
        assert not english_in(said), said


REASON_NAMES = {"reason", "result", "local", "PROBLEMS", "NO_PROFILE"}


def stated_reasons() -> Iterator[str]:
    """Every text in the sources that says why something was not measured."""
    for package in (evidence_package, measure_package):
        for path in sorted(Path(package.__path__[0]).glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                for part in reasons_of(node):
                    yield from texts_in(part)


def reasons_of(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Name(id="refused"), args=[_, reason, *_]):
            return [reason]
        case ast.Call(func=ast.Name(id="Finding" | "LineMeasurement" | "WindowMeasurement")):
            return [each.value for each in node.keywords if each.arg == "reason"]
        case ast.Assign(targets=[ast.Name(id=name)]) if name in REASON_NAMES:
            return [node.value]
        case ast.FunctionDef(returns=returns) if returns is not None and may_refuse(returns):
            inside = (each for each in ast.walk(node) if isinstance(each, ast.Return))
            return [each.value for each in inside if each.value is not None]
    return []


def may_refuse(returns: ast.expr) -> bool:
    written = ast.unparse(returns)
    return written == "Result" or written.endswith("| str")


def texts_in(part: ast.expr) -> Iterator[str]:
    inside = [part]
    while inside:
        each = inside.pop()
        match each:
            case ast.Constant(value=str(text)) if text:
                yield text
            case ast.BoolOp() | ast.IfExp() | ast.Tuple():
                inside += [one for one in ast.iter_child_nodes(each) if isinstance(one, ast.expr)]


CV = find_task("CV")


def answered(label: str, replies) -> str:
    record = run(PanelInspector(inspector(replies)).inspect(simulated_spectrum(label), CV))
    return re.sub(r"^\\boxed\{\w+\} ", "", record.reasons)


def test_all_but_the_models_own_words_is_translated(language):
    for label in ["CV", "QSO", "K"]:
        said = answered(label, [call(6400, 6700), answer("NO", "Its own odd words.")])
        eye, measured, together = translate_panel_text(said).split("\n")
        assert eye == "scripted：NO，p 0.90：Its own odd words."
        verdict = assess(simulated_spectrum(label), CV).verdict
        assert measured.startswith(f"measured：{verdict}，p ")
        assert not re.search(r"[a-z]{4,}", measured.removeprefix("measured"))
        assert "p(YES)" in together and not re.search(r"[a-z]{4,}", together)
        assert ("意见不同" in together) == (verdict == "YES")
    said = answered("K", [answer("NO", "It looks more like a quasar.")])
    first = translate_panel_text(said).split("\n")[0]
    assert "类星体" in first and "quasar" not in first
