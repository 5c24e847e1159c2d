"""The guideline, short first, and its criteria checked against the spectrum on screen."""

import math
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel

from agent.evidence.assessment import assess
from agent.evidence.findings import Finding
from agent.evidence.measurements import window_table
from agent.tasks.catalogue import find_task, load_tasks
from app.ui.judge.controls import guideline_panel
from app.ui.judge.controls.guideline_panel import criterion_text, measured_criteria, result_text
from tests.app.ui.steps import click, show_painted, shown_in

CV = find_task("CV")
CLAIMS = {each.id: each for each in CV.evidence}


@pytest.fixture
def criteria(qtbot, context):
    return shown_in(qtbot, guideline_panel.CriteriaList(context), 300, 400)


def measured(qtbot, criteria):
    qtbot.waitUntil(lambda: all(each.text() != "…" for each in criteria.results))


def test_a_criterion_and_its_result_in_words():
    assert criterion_text(CLAIMS["balmer_width"]) == "Hα FWHM > 600\xa0km/s"
    assert criterion_text(CLAIMS["halpha_emission"]) == "Hα EW < −4\xa0Å"
    every = [claim for task in load_tasks() for claim in task.evidence if claim.rank == "primary"]
    texts = [criterion_text(each) for each in every]
    assert "HdA index > 7.5\xa0Å" in texts and "TiO5 index < 0.8" in texts
    assert "Ca II K EW < 4.5\xa0Å" in texts and "He I 4471 EW > 0.2\xa0Å" in texts
    width = Finding(evidence=CLAIMS["balmer_width"], value=354.2, error=12.4)
    assert result_text(width, CV) == "354 ± 12\xa0km/s, not met"
    assert result_text(replace(width, value=1200.0), CV) == "1200 ± 12\xa0km/s, met"
    assert result_text(replace(width, value=596.0), CV) == "596 ± 12\xa0km/s, borderline"
    line = Finding(evidence=CLAIMS["halpha_emission"], value=-15.52, error=0.5)
    assert result_text(line, CV) == "−15.5 ± 0.5\xa0Å, met"
    missing = replace(width, lacks="Hα", reason="it needs Hα to be found first")
    assert result_text(missing, CV) == "354 ± 12\xa0km/s, does not count: it needs Hα"
    assert result_text(replace(missing, value=math.nan), CV) == "not measurable: it needs Hα"
    noisy = Finding(evidence=CLAIMS["hei_emission"], value=1.0, error=2.0, snr=3.2, reason="noise")
    assert result_text(noisy, CV) == "1.00 ± 2.00\xa0Å, does not count: S/N 3"


def test_the_numbers_are_those_of_the_measured_inspector(qtbot, context, criteria):
    marks = set()
    for number in (1, 2, 3, 4):
        show_painted(qtbot, context, number)
        measured(qtbot, criteria)
        expected = assess(context.current.spectrum, CV).findings
        primary = [each for each in expected if each.evidence.rank == "primary"]
        assert [each.text() for each in criteria.results] == [result_text(f, CV) for f in primary]
        for mark, finding in zip(criteria.marks, primary, strict=True):
            sign = guideline_panel.UNKNOWN
            if not finding.reason:
                assert math.isfinite(finding.value)
                is_met = finding.evidence.is_found(finding.value)
                sign = guideline_panel.MET if is_met else guideline_panel.NOT_MET
                sign = guideline_panel.BORDERLINE if finding.is_borderline else sign
            assert mark.text() == sign
            marks.add(sign)
    assert len(marks) >= 2
    # At a velocity that a person sets, too, guideline and windows have one number.
    spectrum, z = context.current.spectrum, -0.001
    context.view.change(z=z)
    (row,) = window_table(spectrum, 6540, 6590, z)["lines"][:1]
    expected = measured_criteria(CV, spectrum, z)
    assert row["name"] == "H_alpha" and expected[0].value == pytest.approx(row["ew"], rel=0.01)
    texts = [result_text(each, CV) for each in expected]
    qtbot.waitUntil(lambda: [each.text() for each in criteria.results] == texts)


def test_nothing_is_measured_while_it_is_not_on_screen(qtbot, context, criteria, monkeypatch):
    measured_spectra = []

    def measure(task, spectrum, z):
        measured_spectra.append(spectrum)
        return measured_criteria(task, spectrum, z)

    monkeypatch.setattr(guideline_panel, "measured_criteria", measure)
    criteria.hide()
    show_painted(qtbot, context, 2)
    assert not criteria._timer.isActive()
    criteria.show()
    measured(qtbot, criteria)
    assert measured_spectra == [context.current.spectrum]


def test_blind_mode_hides_them_until_the_verdict(qtbot, context, criteria):
    context.current.blind_mode.set_on(True)
    show_painted(qtbot, context, 1)
    qtbot.waitUntil(criteria.hidden_text.isVisible)
    assert not any(each.isVisible() for each in (*criteria.marks, *criteria.results))
    context.current.reveal()
    qtbot.waitUntil(criteria.results[0].isVisible)
    assert not criteria.hidden_text.isVisible()
    measured(qtbot, criteria)


def test_the_card_is_short_first_and_a_click_unfolds_the_rest(panel, context, qtbot):
    task = context.current.session.task
    seen = " ".join(each.text() for each in panel.findChildren(QLabel) if each.isVisible())
    assert task.question in seen and task.guideline.primary[0] in seen
    assert task.guideline.pitfalls[0] not in seen
    part = panel.guideline.parts["pitfalls"]
    click(qtbot, part.header)
    seen = [each.text() for each in panel.findChildren(QLabel) if each.isVisible()]
    assert context.current.session.task.guideline.pitfalls[0] in seen
    click(qtbot, part.header)
    assert not part.header.isChecked()
