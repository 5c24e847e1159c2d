"""How many candidates are judged and left, and how long the rest may take."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.core.session.records import Change
from app.core.session.session import Session
from app.core.statistics.pace import Pace, Progress, ProgressCounter, recent_pace
from app.ui.session_context import SessionContext
from app.ui.theme.theme import CurrentTheme, contrast, mixed
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.labels import row, short_label

MINUTE, HOUR = 60.0, 3600.0
SPACING_PX, BAR_PX = 12, 60
MIN_CONTRAST = 3.0
"""Contrast ratio that WCAG asks of graphical objects."""


class ProgressLine(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._runner, self._current = context.runner, context.current
        self._counter = ProgressCounter(context.bridge.session)
        self._is_counting = self._is_stale = False
        self.bar = _Bar(context.current_theme, self)
        self.text = short_label("", "number", self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._texts = ("", "")
        row((self.bar, 1), self.text, spacing=SPACING_PX, parent=self)
        context.bridge.changed.connect(self._on_session_changed)
        self._count()

    def _on_session_changed(self, change: Change) -> None:
        if change.aspect in ("verdict", "list"):
            self._count()

    def _count(self) -> None:
        # One count at a time, as the counter follows the verdict log step by step.
        if self._is_counting:
            self._is_stale = True
            return
        self._is_counting, self._is_stale = True, False
        self._runner.run_soon(self._read, self._show, self._on_failed, owner=self)

    def _read(self) -> tuple[Progress, Pace]:
        session: Session = self._counter.session
        return self._counter.progress(), recent_pace(session)

    def _show(self, found: tuple[Progress, Pace]) -> None:
        progress, pace = found
        self.bar.show_fraction(progress.done / progress.total if progress.total else 0.0)
        self._texts = self._counts(progress), self._pace(progress, pace)
        self.updateGeometry()
        self._fit()
        self._finish()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        """With the counts alone: the pace is told where there is room, and must not need a row."""
        width = self.text.fontMetrics().horizontalAdvance(self._texts[0]) + SPACING_PX + BAR_PX
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _fit(self) -> None:
        counts, pace = self._texts
        both = f"{counts} · {pace}" if pace else counts
        room = self.width() - SPACING_PX - BAR_PX
        fits = self.text.fontMetrics().horizontalAdvance(both) <= room
        self.text.setText(both if fits else counts)
        self.text.setToolTip(pace)

    def _on_failed(self, error: Exception) -> None:
        self._texts = self.tr("Progress unknown"), ""
        self.updateGeometry()
        self._fit()
        self.text.setToolTip(translate_message(str(error)))
        self._finish()

    def _finish(self) -> None:
        self._is_counting = False
        if self._is_stale:
            self._count()

    def _counts(self, progress: Progress) -> str:
        if not progress.total:
            return self.tr("No candidates yet")
        done, left = f"{progress.done:,}", f"{progress.left:,}"
        text = self.tr("{done} done · {left} left").replace("{done}", done).replace("{left}", left)
        return text if progress.left else self.tr("All {done} judged").replace("{done}", done)

    def _pace(self, progress: Progress, pace: Pace) -> str:
        left_s = pace.seconds_for(progress.left) if progress.left else None
        if left_s is None or pace.mean is None:
            return ""
        each = self.tr("{seconds} s each, about {time} to go")
        return each.replace("{seconds}", f"{pace.mean:.1f}").replace("{time}", self._time(left_s))

    def _time(self, seconds: float) -> str:
        if seconds < MINUTE:
            return self.tr("a minute")
        if seconds < HOUR:
            return self.tr("{n} min").replace("{n}", f"{seconds / MINUTE:.0f}")
        return self.tr("{n} h").replace("{n}", f"{seconds / HOUR:.1f}")


class _Bar(QWidget):
    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self._fraction = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(BAR_PX)
        current_theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(BAR_PX, 12)

    def show_fraction(self, fraction: float) -> None:
        self._fraction = fraction
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._current_theme.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        groove = QRectF(0.0, self.height() / 2 - 2.0, self.width(), 4.0)
        is_dark_bar = contrast(theme.accent, theme.bar) < MIN_CONTRAST
        rest = mixed(theme.bar, theme.on_bar, 0.25) if is_dark_bar else theme.border
        painter.setBrush(QColor(rest))
        painter.drawRoundedRect(groove, 2.0, 2.0)
        if self._fraction > 0.0:
            groove.setWidth(max(4.0, self._fraction * groove.width()))
            painter.setBrush(QColor(theme.on_bar if is_dark_bar else theme.accent))
            painter.drawRoundedRect(groove, 2.0, 2.0)
        painter.end()
