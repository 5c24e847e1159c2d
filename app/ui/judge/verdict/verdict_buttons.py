"""The buttons of the three verdicts, which look the same on every page."""

from __future__ import annotations

from operator import attrgetter

from PySide6.QtWidgets import QWidget

from app.core.session.records import Verdict
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.verdict.verdict_text import MARKS, NAMES
from app.ui.widgets.painted_button import PaintedButton

HEIGHT = 30


def verdict_buttons(current_theme: CurrentTheme, parent: QWidget) -> dict[Verdict, PaintedButton]:
    """One for each verdict, in the order in which they stand."""
    return {
        verdict: PaintedButton(
            current_theme,
            attrgetter(name),
            parent,
            mark=MARKS[verdict],
            height=HEIGHT,
            is_bold=True,
        )
        for verdict, name in NAMES.items()
    }
