"""The bar at the top: pages, progress, blind mode, export and the reviewer's name."""

from functools import partial

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QPushButton, QSizePolicy, QWidget

from agent.tasks.look import has_class
from app.core.session.records import Change
from app.core.statistics.pace import Pace, Progress, ProgressCounter, recent_pace
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.theme.theme import CurrentTheme, contrast, mixed
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.agent.status_texts import list_run_text, run_text
from app.ui.session.session_context import SessionContext
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import ElidedLabel, button, keep_current, row, short_label
from app.ui.widgets.painted_button import hint, smooth_painter
from app.ui.widgets.text_width import OnEvent

AGENT_PX, SPACING, SIDE_PX = 130, 4, 8
WIDE_PX = 1500  # width of a window with room for the state of the agent above the page

PAGES = ("judging_page", "disagreement_page", "agreement_page", "history_page", "overview_page")

MINUTE, HOUR = 60.0, 3600.0
SPACING_PX, BAR_PX = 12, 60
MIN_CONTRAST = 3.0  # contrast ratio that WCAG asks of graphical objects


class TopBar(QFrame):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self._commands = context.commands
        self._page = "judging_page"
        layout = self._layout = FlowLayout(self, spacing=SPACING)
        layout.setContentsMargins(SIDE_PX, 2, SIDE_PX, 2)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        parts: list[QWidget] = [self._page_button(name) for name in PAGES]
        has_verdicts = has_class(context.bridge.session.task)
        if has_verdicts:
            parts.append(ProgressLine(context))
        self.agent_text = ElidedLabel("dim")
        self.agent_text.setFixedWidth(AGENT_PX)
        self._blind = button("", "quiet", partial(self._commands.run, "blind"))
        self.export = button(self.tr("Export"), "quiet", partial(self._commands.run, "export"))
        self.export.setToolTip(", ".join(context.keymap.labels("export")))
        who = short_label(context.current.session.reviewer, "dim")
        who.setToolTip(self.tr("Verdicts are saved under this name"))
        self.keys = button("?", "quiet", partial(self._commands.run, "keys"))
        self.keys.setToolTip(hint(ACTIONS["keys"].title, context.keymap, "keys"))
        self.keys.setAccessibleName(ACTIONS["keys"].title)
        parts += [self.agent_text, self._blind, self.export, who, self.keys]
        if context.current.session.is_read_only:
            parts.append(short_label(self.tr("read-only"), "warning"))
        for part in parts:
            layout.addWidget(part)
        self._blind.setVisible(has_verdicts)
        self._agent = context.agent
        keep_current(self._show_agent, self._agent.state_changed, self._agent.list_run.changed)
        context.current.blind_mode.changed.connect(self._show_blind)
        self._show_blind(context.current.blind_mode.is_on)
        self.mark("judging_page")
        OnEvent(self, self._show_agent_text, QEvent.Type.Resize)

    def mark(self, page: str) -> None:
        self._page = page
        self._group.setExclusive(page in self._buttons)  # of a page in the menu alone, none
        for name, each in self._buttons.items():
            each.setChecked(name == page)
        self._show_agent_text()

    def _page_button(self, name: str) -> QPushButton:
        action = ACTIONS[name]
        title = {"agreement_page": self.tr("Calibration")}.get(name, action.title)
        made = self._buttons[name] = button(title, "page", partial(self._commands.run, name))
        made.setCheckable(True)
        made.setToolTip(f"{action.title} ({', '.join(action.keys)})")
        made.setObjectName(name)
        self._group.addButton(made)
        return made

    def _show_agent(self, _: object = None) -> None:
        run, list_run = self._agent.active_run, self._agent.list_run.state
        text = list_run_text(list_run) if list_run.is_running else ""
        if run is not None:
            doing = run_text(run, is_here=run is self._agent.shown.run)
            text = self.tr("Agent: {what}").replace("{what}", doing)
        self.agent_text.show_text(text)
        self._show_agent_text()

    def _show_agent_text(self) -> None:
        """It never costs a row, and on a small window the Judge page tells it in its own panel."""
        is_told = self._page == "judging_page" and self.window().width() < WIDE_PX
        needed = AGENT_PX + 2 * SIDE_PX
        for at in range(self._layout.count()):
            item = self._layout.itemAt(at)
            part = None if item is None else item.widget()
            if part is not None and part is not self.agent_text and not part.isHidden():
                needed += part.sizeHint().width() + SPACING
        has_room = needed <= self.width() and not is_told
        self.agent_text.setVisible(bool(self.agent_text.full_text) and has_room)

    def _show_blind(self, on: bool) -> None:
        self._blind.setText(self.tr("Blind: on") if on else self.tr("Blind: off"))
        hidden = self.tr("The agent's opinion is hidden until you judge")
        shown = self.tr("The agent's opinion is shown. Click to hide it until you judge")
        self._blind.setToolTip(hidden if on else shown)


class ProgressLine(QWidget):
    """How many candidates are judged and left, and how long the rest may take."""

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
        OnEvent(self, self._fit, QEvent.Type.Resize)
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
        return self._counter.progress(), recent_pace(self._counter.session)

    def _show(self, found: tuple[Progress, Pace]) -> None:
        progress, pace = found
        self.bar.show_fraction(progress.done / progress.total if progress.total else 0.0)
        self._texts = self._counts(progress), self._pace(progress, pace)
        self.updateGeometry()
        self._fit()
        self._finish()

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
        theme, painter = self._current_theme.theme, smooth_painter(self)
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
