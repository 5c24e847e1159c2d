"""The line above the plot: the object, its facts, and how it is drawn."""

from PySide6.QtCore import QCoreApplication, QEvent, QRect, Qt
from PySide6.QtGui import QAction, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QSizePolicy, QWidget

from agent.spectra.spectrum import Spectrum, Window
from agent.tasks.look import has_class
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.translation.data_texts import task_text
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.plot.trace import Trace
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import MAX_NAME, cut, escape_mnemonics, one_line, short_label

LEFT_PX, RIGHT_PX, TOP_PX = 8, 12, 4
LETTERS = 34  # so many of its letters fit at least
SMALLEST = 0.6  # least size of the name, against the usual one; only longer ones are cut
LEAST_LETTERS = 8  # where fewer of facts or note would be left, they are hidden
APART_PX = 8
NOTE_SHARE = 0.65
"""Largest fraction for the note of what title and mark leave; the rest is for the facts."""
translate = QCoreApplication.translate
MAX_TEXT = 100


class NameLabel(QLabel):
    """A title in smaller letters where that keeps it whole."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "title")
        self.scale = 1.0

    @property
    def shown_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * self.scale)
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.shown_font)
        painter.setPen(self.palette().color(self.foregroundRole()))
        side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(self.rect(), side, self.text())


class Header(QWidget):
    # Labels are positioned by hand. In a layout each new text would recompute the sizes of the
    # whole window, which takes longer than painting the spectrum.

    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.title, self._class = NameLabel(self), ClassButton(context, self)
        self.simulated = short_label(self.tr("SIMULATED"), "warning", self)
        self.facts, self.note = short_label("", "dim", self), short_label("", "dim", self)
        self._object = self._facts_text = self._note_text = ""
        self.simulated.hide()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fix_height()

    def show_object(
        self, object_id: str, spectrum: Spectrum | None, listed_snr: float | None = None
    ) -> None:
        """Show an object; its S/N is that of the list, as in the queue, else that of its file."""
        self._object = object_id
        self.simulated.setVisible(spectrum is not None and spectrum.simulated)
        facts = [] if spectrum is None else self._describe(spectrum, listed_snr)
        self._facts_text = " · ".join(facts)
        self.facts.setToolTip(self._facts_text)
        self._arrange()

    @property
    def texts(self) -> list[str]:
        """All texts about the object in full, even where they are elided on screen."""
        simulated = "" if self.simulated.isHidden() else self.simulated.text()
        texts = cut(self._object, MAX_NAME), simulated, self._facts_text
        return [text for text in texts if text]

    def show_note(self, note: str) -> None:
        """Show how the spectrum is drawn, elided to the room there is."""
        if note != self._note_text:
            self._note_text = note
            self.note.setToolTip(note)
            self._arrange()

    def _describe(self, spectrum: Spectrum, listed_snr: float | None) -> list[str]:
        survey = " ".join(filter(None, (spectrum.survey, spectrum.release)))
        snr = ""
        if listed_snr is not None:
            snr = self.tr("S/N {value} (list)").replace("{value}", f"{listed_snr:.1f}")
        elif spectrum.snr is not None:
            snr = self.tr("S/N {value} (file)").replace("{value}", f"{spectrum.snr:.1f}")
        bad = self.tr("{n} bad pixels").replace("{n}", str(spectrum.n_bad))
        facts = survey, snr, bad if spectrum.n_bad else ""
        return [*filter(None, (*facts, *map(translate_message, spectrum.warnings[:1])))]

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fix_height()
            self._arrange()

    def _fix_height(self) -> None:
        parts = self.title, self.note, self._class
        self._line_height = max(part.sizeHint().height() for part in parts)
        self.setFixedHeight(TOP_PX + self._line_height)
        self.setMinimumWidth(LETTERS * self.fontMetrics().averageCharWidth())

    def _arrange(self) -> None:
        left, end = LEFT_PX, self.width() - RIGHT_PX
        width = self._class.sizeHint().width() + APART_PX
        has_room = left + width + self._name_px() + self._mark_px <= end
        self._class.setVisible(has_room)
        self._class.setGeometry(QRect(left, TOP_PX, width - APART_PX, self._line_height))
        left += width if has_room else 0
        left += self._place_title(left, end - left)
        needed = self.note.fontMetrics().horizontalAdvance(self._note_text)
        note_px = max(min(needed + 2, round(NOTE_SHARE * (end - left))), 0)
        self._place(self.note, self._note_text, end - note_px, note_px)
        facts_px = max(end - left - note_px - (APART_PX if note_px else 0), 0)
        self._place(self.facts, self._facts_text, left, facts_px)

    @property
    def _mark_px(self) -> int:
        return 0 if self.simulated.isHidden() else self.simulated.sizeHint().width() + APART_PX

    def _name_px(self) -> int:
        """What the name needs in letters of its usual size."""
        name = cut(self._object, MAX_NAME)
        return self.title.fontMetrics().horizontalAdvance(name) + APART_PX if name else 0

    def _place_title(self, left: int, room: int) -> int:
        """Place title and mark. A name is what one writes down: it gets smaller rather than cut."""
        mark_px, needed = self._mark_px, self._name_px()
        name, most = cut(self._object, MAX_NAME), max(room - mark_px - APART_PX, 0)
        self.title.scale = min(max(most / max(needed, 1), SMALLEST), 1.0)
        metrics = QFontMetrics(self.title.shown_font)
        name = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, most)
        self.title.setText(name)
        if self.title.toolTip() != (tip := self._object if name != self._object else ""):
            self.title.setToolTip(tip)  # each is an event, which the filters of the program see
        width = min(metrics.horizontalAdvance(name) + 2, most) if name else 0
        self.title.setGeometry(QRect(left, TOP_PX, width, self._line_height))
        width += APART_PX if name else 0
        mark = QRect(left + width, TOP_PX, max(mark_px - APART_PX, 0), self._line_height)
        self.simulated.setGeometry(mark)
        return width + mark_px

    def _place(self, label: QLabel, text: str, left: int, width: int) -> None:
        metrics = label.fontMetrics()
        if width < LEAST_LETTERS * metrics.averageCharWidth():
            width = width if metrics.horizontalAdvance(text) <= width else 0  # not a few letters
        label.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, width) if width else "")
        label.setGeometry(QRect(left, TOP_PX, width, self._line_height))


# The notes in the header of the plot: how the spectrum is drawn, and what is near a click.
def drawn_as(drawn: Trace | None, template: str, *, fits: bool) -> list[str]:
    """Smoothing and template; `fits` says whether the template overlaps the spectrum."""
    notes = []
    if drawn is not None and drawn.is_smoothed:
        width = translate("notes", "Smoothed {px} px = {kms} km/s (FWHM)")
        width = width.replace("{px}", f"{drawn.smoothing_px:g}")
        notes.append(width.replace("{kms}", f"{drawn.smoothing_kms:.0f}"))
    if template:
        text = translate("notes", "Template: {name}").replace("{name}", template)
        overlaps = fits or drawn is None
        notes.append(text if overlaps else text + translate("notes", " (no overlap)"))
    return notes


def no_data_note(window: Window, frame: WavelengthFrame) -> str:
    text = translate("notes", "No data at {range}: showing the whole spectrum")
    return text.replace("{range}", frame.range_text(window))


def near_note(place: str, lines: str) -> str:
    """What is near a place that was clicked; `lines` is empty where no line is known."""
    text = translate("notes", "At {place}: {lines}").replace("{place}", place)
    return text.replace("{lines}", lines or translate("notes", "no known line"))


class ClassButton(QPushButton):
    """The class of the session, above the plot, with a menu of what can be done about it."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = context.commands
        task = context.bridge.session.task
        self.setProperty("role", "class")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        menu = QMenu(self)
        if has_class(task):
            self.setText(task.id)
            self.setToolTip(task_text(task.title))
            self.setAccessibleName(self.tr("Class: {name}").replace("{name}", task_text(task.name)))
            _say(menu, task_text(task.question))
            self._add(menu, "show_guideline")
            menu.addSeparator()
            self._add(menu, "other_class", self.tr("Judge this list for another class"))
            _say(menu, self.tr("This session keeps its class: its verdicts are about it"))
        else:
            self.setText(self.tr("No class"))
            self.setAccessibleName(self.text())
            _say(menu, self.tr("Nothing is judged here"))
            self._add(menu, "other_class", self.tr("Choose a class to judge"))
        menu.triggered.connect(self._run)
        self.setMenu(menu)

    def _add(self, menu: QMenu, name: str, text: str = "") -> None:
        menu.addAction(text or ACTIONS[name].title).setData(name)

    def _run(self, entry: QAction) -> None:
        self._commands.run(entry.data())


def _say(menu: QMenu, text: str) -> None:
    """A line to read only."""
    menu.addAction(escape_mnemonics(one_line(text, MAX_TEXT))).setEnabled(False)
