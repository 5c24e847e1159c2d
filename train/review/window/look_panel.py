"""One call of a draft: its range and label, the picture it gives and what is measured there."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from agent.inspection.pictures import PictureMaker
from agent.protocol.tool import MAX_LABEL
from agent.spectra.spectrum import Window
from app.ui.agent.measured_rows import header_row, measured_rows, measurement_notes, window_text
from app.ui.background.runner import Runner
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.labels import row, short_label, wrapped_label
from app.ui.widgets.number_box import NumberBox
from train.review.window.drawing import DrawnLook, LookDrawer

LOWEST, HIGHEST = 100.0, 100_000.0
"""Angstrom that a person may ask for."""
LEAST_PICTURE_PX = 260
COLUMNS = 5
RIGHT = Qt.AlignmentFlag.AlignRight


class Picture(QLabel):
    """A picture in its own size, or smaller where there is no room."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pixmap = QPixmap()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(LEAST_PICTURE_PX)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)

    def show_pixmap(self, pixmap: QPixmap) -> None:
        self._pixmap = pixmap
        self._fit()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return self._pixmap.size() if not self._pixmap.isNull() else QSize(LEAST_PICTURE_PX, 40)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._pixmap.isNull():
            return
        shown = self._pixmap
        if shown.width() > self.width():
            shown = shown.scaledToWidth(self.width(), Qt.TransformationMode.SmoothTransformation)
        self.setPixmap(shown)
        self.setFixedHeight(shown.height())


class MeasuredTable(QWidget):
    """The lines measured in a window, and what else is to be said of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.window_line = wrapped_label("", "dim")
        self.grid = QGridLayout()
        self.grid.setHorizontalSpacing(12)
        self.grid.setVerticalSpacing(2)
        self.grid.setColumnStretch(COLUMNS, 1)
        self.notes = wrapped_label("", "dim")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.window_line)
        layout.addLayout(self.grid)
        layout.addWidget(self.notes)
        layout.addStretch(1)
        self._cells: list[list[QLabel]] = []

    def show_look(self, look: DrawnLook, shift: float) -> None:
        rows = measured_rows(look.measured, shift)
        cells = [header_row().cells, *(each.cells for each in rows)] if rows else []
        while len(self._cells) < len(cells):  # labels are kept, as making them takes longest
            self._cells.append(self._new_row(len(self._cells)))
        for number, labels in enumerate(self._cells):
            texts = cells[number] if number < len(cells) else None
            for place, label in enumerate(labels):
                label.setVisible(texts is not None)
                label.setText("" if texts is None else texts[place])
        self.window_line.setText(window_text(look.measured))
        self.notes.setText("\n".join(measurement_notes(look.measured)))

    @property
    def text(self) -> str:
        """All that is shown, for tests and readers of the screen."""
        rows = [" ".join(label.text() for label in labels) for labels in self._cells]
        return "\n".join((self.window_line.text(), *rows, self.notes.text())).strip()

    def _new_row(self, number: int) -> list[QLabel]:
        labels = [short_label("", "" if number else "dim") for _ in range(COLUMNS)]
        for place, label in enumerate(labels):
            label.setParent(self)
            self.grid.addWidget(
                label, number, place, RIGHT if place else Qt.AlignmentFlag.AlignLeft
            )
        return labels


class LookPanel(QWidget):
    """Range, label, picture and measurements; with `window` None the whole spectrum."""

    changed = Signal(float, float, str)
    """Another range or label."""
    redrawn = Signal()
    """The picture and the measurements of the range in the boxes are on the screen."""

    def __init__(
        self,
        maker: PictureMaker,
        runner: Runner,
        window: Window | None,
        label: str = "",
        *,
        is_editable: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._shift = 1.0 + (maker.z or 0.0)
        self._window, self._label = window, label
        self.drawer = LookDrawer(maker, runner, self)
        self.drawer.drawn.connect(self._show)
        self.low = NumberBox(self.tr("From, Å"), low=LOWEST, high=HIGHEST, decimals=1, parent=self)
        self.high = NumberBox(self.tr("To, Å"), low=LOWEST, high=HIGHEST, decimals=1, parent=self)
        self.label = QLineEdit(label, self, maxLength=MAX_LABEL)
        self.label.setAccessibleName(self.tr("What the look is at"))
        self.error = wrapped_label("", "warning")
        self.error.hide()
        self.picture = Picture(self.tr("Picture of the look"), self)
        self.measured = MeasuredTable(self)
        self._lay_out(is_editable)
        frame = self.tr("In the frame of the picture, in vacuum")
        for box in (self.low, self.high):
            box.setToolTip(frame)
        for box, change in ((self.low, self._change_low), (self.high, self._change_high)):
            box.setReadOnly(not is_editable)
            box.entered.connect(change)
        self.label.setReadOnly(not is_editable)
        self.label.textEdited.connect(self._change_label)
        self._show_range()
        self.drawer.draw(window, label)

    def _lay_out(self, is_editable: bool) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        if self._window is not None:
            parts = (self.low, short_label("–"), self.high, short_label("Å"), (self.label, 1))
            layout.addLayout(row(*parts))
        for box in (self.low, self.high, self.label):
            box.setVisible(self._window is not None)
        layout.addWidget(self.error)
        layout.addLayout(row(self.picture, (self.measured, 1), spacing=16))

    def _show_range(self) -> None:
        if self._window is not None:
            self.low.show_value(self._window[0])
            self.high.show_value(self._window[1])

    def _change_low(self, value: float) -> None:
        assert self._window is not None
        self._change((value, self._window[1]), self._label)

    def _change_high(self, value: float) -> None:
        assert self._window is not None
        self._change((self._window[0], value), self._label)

    def _change_label(self, text: str) -> None:
        assert self._window is not None
        self._change(self._window, text.strip())

    def _change(self, window: Window, label: str) -> None:
        if (window, label) == (self._window, self._label):
            return
        is_new = window != self._window
        self._window, self._label = window, label
        if is_new:  # the label is not in the picture
            self.drawer.draw(window, label)
        self.changed.emit(*window, label)

    def _show(self, look: DrawnLook) -> None:
        self.error.setText(translate_message(look.error))
        self.error.setVisible(bool(look.error))
        if not look.image.isNull():
            self.picture.show_pixmap(QPixmap.fromImage(look.image))
        self.picture.setVisible(not look.image.isNull())
        self.measured.show_look(look, self._shift)
        self.measured.setVisible(bool(look.measured))
        self.redrawn.emit()
