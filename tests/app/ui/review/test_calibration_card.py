"""Calibration of p(YES), and the cut for a target precision."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.core.statistics.calibration import newest_calibration
from app.ui.review.agreement_page import AgreementPage


def test_fitting_keeps_a_calibration_and_says_so(qtbot, judged_context, judged, shown):
    page = shown(AgreementPage(judged_context))
    assert newest_calibration(judged, "nano") is None
    with qtbot.waitSignal(judged_context.current.message) as signal:
        qtbot.mouseClick(page.calibration.fit, Qt.MouseButton.LeftButton)
    assert "is calibrated on" in signal.args[0]
    assert newest_calibration(judged, "nano").is_fitted
    qtbot.waitUntil(lambda: "Calibrated with" in page.calibration.state.text())
    assert page.calibration.fit.isEnabled()


def test_a_wanted_precision_gives_a_cut_or_says_what_is_missing(qtbot, judged_context, shown):
    page = shown(AgreementPage(judged_context))
    card = page.calibration
    qtbot.waitUntil(lambda: card.plan is not None)
    wanted = card.precision
    wanted.setFocus()
    wanted.selectAll()
    qtbot.keyClicks(wanted, "99.9")
    qtbot.keyClick(wanted, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "99.9 %" in card.cut.text())
    assert "No cut for a precision of 99.9 % yet" in card.cut.text()
    wanted.selectAll()
    qtbot.keyClicks(wanted, "60")
    qtbot.keyClick(wanted, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "60 %" in card.cut.text())
    assert card.plan.abstention.accept_from is not None
