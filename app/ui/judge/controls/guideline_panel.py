"""The question of the task and its guideline, in a panel that scrolls."""

import math
from collections.abc import Sequence
from functools import partial
from itertools import zip_longest

from PySide6.QtCore import QCoreApplication, QPointF, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPolygonF, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QGridLayout,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from agent.evidence.findings import Finding, check_claims
from agent.evidence.line_words import ew_text
from agent.evidence.measurements import measurements_at
from agent.spectra.measure.index_definitions import builtin_indices
from agent.spectra.spectrum import Spectrum
from agent.tasks.look import has_class
from agent.tasks.task import Evidence, Section, Task, guideline_sections
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import frame_text, section_lines, section_title, task_text
from app.ui.base.translation.measured_texts import translate_reason
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import column, keep_current, short_label, wrapped_label
from app.ui.widgets.painted_button import smooth_painter

MEASURE_AFTER_MS = 250  # so that nothing is measured while candidates fly past
MET, NOT_MET, BORDERLINE, UNKNOWN = "✓", "✕", "≈", "–"
QUANTITIES = {"line": "EW", "ratio": "EW", "width": "FWHM"}
translate = QCoreApplication.translate
OPEN = "primary"
ORDER = (
    OPEN, "answer_no", "secondary", "confirming", "states", "contaminants", "not_testable",
    "pitfalls",
)  # fmt: skip
"""Decisive sections first, below the summary."""


class GuidelinePanel(QScrollArea):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.card: GuidelineCard | None = None
        task = context.current.session.task
        inner = QWidget(self.viewport())
        layout = column(spacing=6, margins=(12, 8, 12, 8), parent=inner)
        if has_class(task):
            layout.addWidget(wrapped_label(task_text(task.question), "title"))
            self.card = GuidelineCard(context, inner)
            layout.addWidget(self.card)
        else:
            text = self.tr("There is no class to judge, and so no guideline.")
            layout.addWidget(wrapped_label(text, "dim"))
        layout.addStretch(1)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inner)
        for part in (self.viewport(), inner):
            part.setAutoFillBackground(False)


# The primary criteria of the class that can be measured, as a checklist of the spectrum on
# screen. Terms and numbers are those of the measured inspector, so that the agent and the list
# say the same.
def measured_criteria(task: Task, spectrum: Spectrum, z: float) -> tuple[Finding, ...]:
    """The primary claims of a task, checked on a spectrum as the windows measure it. Any thread."""
    findings = check_claims(task, measurements_at(spectrum, z))
    return tuple(each for each in findings if each.evidence.rank == "primary")


def criterion_text(evidence: Evidence) -> str:
    """What is asked for, as "Hα FWHM > 600 km/s"; emission has a negative equivalent width."""
    is_emission = evidence.expect == "emission"
    sign = "<" if is_emission or evidence.expect == "below" else ">"
    threshold = -evidence.threshold if is_emission else evidence.threshold
    parts = task_text(evidence.label), QUANTITIES.get(evidence.kind, ""), sign
    return " ".join([*filter(None, parts), _with_unit(evidence, f"{threshold:g}")])


def _with_unit(evidence: Evidence, number: str) -> str:
    index = builtin_indices().get(evidence.target[0])
    by_kind = {"line": "Å", "width": "km/s", "ratio": ""}
    unit = by_kind.get(evidence.kind, "" if index is None else index.unit)
    return f"{number}\N{NO-BREAK SPACE}{unit}".strip().replace("-", "−")


def result_text(finding: Finding, task: Task) -> str:
    """What was measured, and whether that meets the criterion."""
    if not math.isfinite(finding.value):
        text = translate("CriteriaList", "not measurable: {why}")
    elif not finding.is_testable:
        text = translate("CriteriaList", "{value}, does not count: {why}")
    elif finding.is_borderline:
        text = translate("CriteriaList", "{value}, borderline")
    elif finding.is_found:
        text = translate("CriteriaList", "{value}, met")
    else:
        text = translate("CriteriaList", "{value}, not met")
    value = _with_unit(finding.evidence, _value(finding))
    return text.replace("{value}", value).replace("{why}", _why(finding, task))


def _value(finding: Finding) -> str:
    value, error = finding.value, finding.error
    has_error = math.isfinite(error) and error > 0
    if finding.evidence.kind == "line":
        return ew_text(value, error if has_error else None)
    digits = 0 if finding.evidence.kind == "width" else 2
    text = f"{value:.{digits}f}"
    return f"{text} ± {error:.{digits}f}" if has_error else text


def _why(finding: Finding, task: Task) -> str:
    if finding.lacks:
        needed = task_text(finding.lacks)
        return translate("CriteriaList", "it needs {name}").replace("{name}", needed)
    if math.isfinite(finding.value):
        return translate("CriteriaList", "S/N {n}").replace("{n}", f"{finding.snr:.0f}")
    return translate_reason(finding.reason)


class CriteriaList(QWidget):
    """Measures only while it is on screen, after the spectrum was painted.

    Hidden with the agent's opinion in blind mode, as it is what the measured inspector decides by.
    """

    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._runner = context.current, context.runner
        self._current_theme, self._view = context.current_theme, context.view
        self._task = context.current.session.task
        self._measured: tuple[Spectrum, float, Sequence[Finding]] | None = None
        claims = [each for each in self._task.evidence if each.rank == "primary"]
        self.marks = [short_label(UNKNOWN) for _ in claims]
        self.results = [wrapped_label("", "dim") for _ in claims]
        self.hidden_text = wrapped_label(self.tr("Measurements: hidden until you judge"), "dim")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 4, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self.hidden_text, 0, 0, 1, 2)
        self._lines: list[QWidget] = []
        for evidence, mark, result in zip(claims, self.marks, self.results, strict=True):
            name, row = wrapped_label(criterion_text(evidence)), grid.rowCount()
            grid.addWidget(mark, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(name, row, 1)
            grid.addWidget(result, row + 1, 1)
            self._lines += [mark, name, result]
        self._timer = QTimer(self, singleShot=True, interval=MEASURE_AFTER_MS)
        self._timer.timeout.connect(self._measure)
        now = context.current
        of_object = now.spectrum_changed, now.row_changed, now.blind_mode.changed
        of_window = context.view.changed, context.current_theme.changed
        keep_current(self._refresh, *of_object, *of_window)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _refresh(self, _: object = None) -> None:
        if not self.isVisible():  # refreshed when shown
            return
        row, spectrum = self._current.row, self._current.spectrum
        is_hidden = row is None or self._current.blind_mode.hides(row)
        self.hidden_text.setVisible(is_hidden and row is not None)
        for line in self._lines:
            line.setVisible(not is_hidden)
        measured, z = self._measured, self._view.options.z
        if measured is not None and measured[0] is spectrum and measured[1] == z:
            self._show(measured[2])
            return
        self._show(())
        if spectrum is not None and not is_hidden:
            self._timer.start()

    def _measure(self) -> None:
        spectrum = self._current.spectrum
        if spectrum is None or not self.isVisible():
            return
        if not self._current.is_painted:
            self._timer.start()
            return
        z = self._view.options.z
        work = partial(measured_criteria, self._task, spectrum, z)
        self._runner.run(work, partial(self._keep, spectrum, z), owner=self)

    def _keep(self, spectrum: Spectrum, z: float, findings: Sequence[Finding]) -> None:
        if spectrum is self._current.spectrum and z == self._view.options.z:
            self._measured = spectrum, z, findings
            self._refresh()

    def _show(self, findings: Sequence[Finding]) -> None:
        theme = self._current_theme.theme
        for mark, result, finding in zip_longest(self.marks, self.results, findings):
            if finding is None or not finding.is_testable:
                sign, colour = UNKNOWN, theme.dim
            elif finding.is_borderline:
                sign, colour = BORDERLINE, theme.unsure
            elif finding.is_found:
                sign, colour = MET, theme.accept
            else:
                sign, colour = NOT_MET, theme.reject
            mark.setText(sign)
            mark.setStyleSheet(f"color: {colour}; font-weight: 600;")
            result.setText("…" if finding is None else result_text(finding, self._task))


class GuidelineCard(QWidget):
    """The task's guideline: the summary first, its sections folded below."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        task = context.current.session.task
        layout = column(spacing=4, parent=self)
        self.parts: dict[str, FoldingSection] = {}
        sections = {each.id: each for each in guideline_sections(task)}
        summary = "\n".join(text for _, text in section_lines(sections["summary"]))
        layout.addWidget(wrapped_label(summary.strip()))
        for key in ORDER:
            if key in sections:
                section, theme = sections[key], context.current_theme
                part = FoldingSection(section_title(section), theme, is_open=key in OPEN)
                part.body.addWidget(_entries(section))
                part.header.set_note(str(len(section.lines)))
                self.parts[key] = part
                layout.addWidget(part)
        self.criteria = CriteriaList(context)
        self.parts["primary"].body.addWidget(self.criteria)
        layout.addWidget(wrapped_label(frame_text(), "dim"))


def _entries(section: Section) -> QWidget:
    """A bulleted list; an entry with a heading has it on a line of its own."""
    grid = QWidget()
    layout = QGridLayout(grid)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setHorizontalSpacing(6)
    layout.setVerticalSpacing(4)
    layout.setColumnStretch(1, 1)
    for head, rest in section_lines(section):
        row = layout.rowCount()
        if head:
            layout.addWidget(wrapped_label(head, "title"), row, 0, 1, 2)
            layout.addWidget(wrapped_label(rest), row + 1, 0, 1, 2)
        else:
            layout.addWidget(short_label("•", "dim"), row, 0, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(wrapped_label(rest), row, 1)
    return grid


# A section of the panel, folded by clicking its header.
ARROW_PX = 16  # width of the arrow and of the space behind it
MARGIN_PX = 4
NOTE_GAP_PX = 12  # at least, between title and note


class SectionHeader(QAbstractButton):
    """An arrow, a title, and on the right a note that is shown while the section is folded.

    It never takes the focus, so that keys stay with the plot.
    """

    def __init__(self, title: str, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.note = ""
        self.setText(title)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(title)
        current_theme.changed.connect(self.update)

    def set_note(self, note: str) -> None:
        """Set the note that is drawn while the section is folded."""
        self.note = note
        self.setAccessibleDescription(note)
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._title_font())
        width = ARROW_PX + metrics.horizontalAdvance(self.text()) + 2 * MARGIN_PX
        return QSize(width, metrics.height() + MARGIN_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(ARROW_PX, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._current_theme.theme, smooth_painter(self)
        _draw_arrow(painter, self.height() / 2.0, self.isChecked(), QColor(theme.dim))
        painter.setFont(self._title_font())
        painter.setPen(QColor(theme.accent if self.underMouse() else theme.text))
        room = self.rect().adjusted(ARROW_PX, 0, -2, 0)
        centre = Qt.AlignmentFlag.AlignVCenter
        title = painter.boundingRect(room, centre | Qt.AlignmentFlag.AlignLeft, self.text())
        painter.drawText(room, centre | Qt.AlignmentFlag.AlignLeft, self.text())
        if not self.isChecked():
            self._draw_note(painter, room.adjusted(title.width() + NOTE_GAP_PX, 0, 0, 0))

    def _draw_note(self, painter: QPainter, room: QRect) -> None:
        painter.setFont(self.font())
        painter.setPen(QColor(self._current_theme.theme.dim))
        elide = Qt.TextElideMode.ElideRight
        note = painter.fontMetrics().elidedText(self.note, elide, max(room.width(), 0))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, note)

    def _title_font(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.Medium)
        return font


class FoldingSection(QWidget):
    """A header with a foldable part; `body` is the layout for its content."""

    def __init__(self, title: str, current_theme: CurrentTheme, *, is_open: bool = True) -> None:
        super().__init__()
        self.header = SectionHeader(title, current_theme, self)
        content = QWidget(self)
        self.body = column(spacing=4, margins=(ARROW_PX, 0, 0, 4), parent=content)
        column(self.header, content, spacing=2, parent=self)
        self.header.setChecked(is_open)
        content.setVisible(is_open)
        self.header.toggled.connect(content.setVisible)


def _draw_arrow(painter: QPainter, middle: float, is_open: bool, colour: QColor) -> None:
    """Draw an arrow that points down if open, right if folded."""
    if is_open:
        points = (QPointF(2, middle - 2), QPointF(6, middle + 2), QPointF(10, middle - 2))
    else:
        points = (QPointF(4, middle - 4), QPointF(8, middle), QPointF(4, middle + 4))
    pen = painter.pen()
    pen.setColor(colour)
    pen.setWidthF(1.5)
    painter.setPen(pen)
    painter.drawPolyline(QPolygonF(points))
