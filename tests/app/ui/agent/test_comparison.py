"""Two records side by side."""

from __future__ import annotations

from PySide6.QtCore import Qt

from tests.app.ui.agent.panel_steps import kept
from tests.app.ui.agent.trajectories import NANO, look, record

LEFT = Qt.MouseButton.LeftButton


def test_two_models_side_by_side(qtbot, context, panel):
    other = record(model=NANO, verdict="NO", p_yes=None, steps=(look(8450, 8700, label="Ca II"),))
    kept(qtbot, context, record(), other)
    box = panel.verdict.record
    assert box.isVisible() and [box.itemText(n) for n in range(2)] == ["nano", "spec-o3-7b"]
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert panel.verdict.verdict.text() == "YES" and len(panel.timeline.cards) == 5
    qtbot.mouseClick(panel.verdict.compare, LEFT)
    cells = panel.comparison.cells
    assert panel.stack.currentWidget() is panel.comparison
    assert [cells["verdict", column].text() for column in (0, 1)] == ["YES", "NO"]
    assert cells["p", 0].text() == "p(YES) 0.93 · not calibrated"
    assert cells["p", 1].text() == "no p(YES)"
    assert cells["looks", 1].text() == "8450 – 8700 Å\nCa II"
    context.current.go_to(2)
    assert panel.stack.currentWidget() is panel.empty and not panel.verdict.compare.isChecked()


def test_the_preferred_model_is_shown_in_the_list(qtbot, context, panel):
    kept(qtbot, context, record(), record(model=NANO, verdict="NO", p_yes=0.2))
    standing = lambda: context.current.session.candidate(1).agent_verdict  # noqa: E731
    assert standing() == "NO"  # the newest
    qtbot.mouseClick(panel.verdict.compare, LEFT)
    names = [choice.currentText() for choice in panel.comparison.choices]
    of_7b = panel.comparison.uses[names.index("spec-o3-7b")]
    qtbot.mouseClick(of_7b, LEFT)
    qtbot.waitUntil(lambda: standing() == "YES")
    qtbot.waitUntil(lambda: context.agent.shown.records.preferred is not None)
    names = [choice.currentText() for choice in panel.comparison.choices]
    of_7b = panel.comparison.uses[names.index("spec-o3-7b")]
    assert [use.isChecked() for use in panel.comparison.uses].count(True) == 1
    assert of_7b.isChecked()
    qtbot.mouseClick(of_7b, LEFT)
    qtbot.waitUntil(lambda: standing() == "NO")
    qtbot.waitUntil(lambda: context.agent.shown.records.preferred is None)
