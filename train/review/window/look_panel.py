"""One call of a draft: its range and label, the picture it gives and what is measured there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLineEdit, QWidget

from agent.errors import ToolError, WorkbenchError
from agent.inspection.pictures import PictureMaker
from agent.protocol.tool import MAX_LABEL
from agent.spectra.spectrum import Window
from app.ui.base.background.runner import Runner
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.agent.measured_rows import measured_rows, measurement_notes, window_text
from app.ui.judge.agent.pictures import qimage
from app.ui.widgets.labels import column, row, short_label, wrapped_label
from app.ui.widgets.number_box import NumberBox
from train.review.window.inspection_view import MeasuredTable, PicturePlace

LOWEST, HIGHEST = 100.0, 100_000.0  # angstrom that a person may ask for


class LookPanel(QWidget):
    """Range, label, picture and measurements; with `window` None the whole spectrum."""

    changed = Signal(float, float, str)  # another range or label
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
        self._maker, self._runner = maker, runner
        self._is_drawing = False
        self._is_waiting = False
        """Whether another window was asked for since the one that is being drawn."""
        self.low = NumberBox(self.tr("From, Å"), low=LOWEST, high=HIGHEST, decimals=1, parent=self)
        self.high = NumberBox(self.tr("To, Å"), low=LOWEST, high=HIGHEST, decimals=1, parent=self)
        self.label = QLineEdit(label, self, maxLength=MAX_LABEL)
        self.label.setAccessibleName(self.tr("What the look is at"))
        self.error = wrapped_label("", "warning")
        self.error.hide()
        self.picture = PicturePlace(self.tr("Picture of the look"), self)
        self.measured = MeasuredTable(self)
        self._lay_out()
        frame = self.tr("In the frame of the picture, in vacuum")
        for box in (self.low, self.high):
            box.setToolTip(frame)
        for end, box in enumerate((self.low, self.high)):
            box.setReadOnly(not is_editable)
            box.entered.connect(partial(self._change_end, end))
        self.label.setReadOnly(not is_editable)
        self.label.textEdited.connect(self._change_label)
        if window is not None:
            self.low.show_value(window[0])
            self.high.show_value(window[1])
        self._draw()

    def _lay_out(self) -> None:
        layout = column(spacing=6, parent=self)
        if self._window is not None:
            parts = (self.low, short_label("–"), self.high, short_label("Å"), (self.label, 1))
            layout.addLayout(row(*parts))
        for box in (self.low, self.high, self.label):
            box.setVisible(self._window is not None)
        layout.addWidget(self.error)
        layout.addLayout(row(self.picture, (self.measured, 1), spacing=16))

    def _change_end(self, end: int, value: float) -> None:
        assert self._window is not None
        low, high = self._window
        self._change((low, value) if end else (value, high), self._label)

    def _change_label(self, text: str) -> None:
        assert self._window is not None
        self._change(self._window, text.strip())

    def _change(self, window: Window, label: str) -> None:
        if (window, label) == (self._window, self._label):
            return
        is_new = window != self._window
        self._window, self._label = window, label
        if is_new:  # the label is not in the picture
            self._draw()
        self.changed.emit(*window, label)

    def _draw(self) -> None:
        """Draw the window in the background; of those asked for meanwhile only the last."""
        self._is_waiting = self._is_drawing
        if not self._is_drawing:
            self._is_drawing = True
            work = partial(draw_look, self._maker, self._window, self._label)
            self._runner.run(work, self._on_drawn, self._on_failed, owner=self)

    def _on_drawn(self, look: DrawnLook) -> None:
        self._is_drawing = False
        if self._is_waiting:
            self._draw()
        else:
            self._show(look)

    def _on_failed(self, error: WorkbenchError) -> None:
        self._on_drawn(DrawnLook(error=str(error)))

    def _show(self, look: DrawnLook) -> None:
        self.error.setText(translate_message(look.error))
        self.error.setVisible(bool(look.error))
        if not look.image.isNull():
            self.picture.show_image(look.image)
        self.picture.setVisible(not look.image.isNull())
        rows = measured_rows(look.measured, self._shift)
        notes = measurement_notes(look.measured)
        self.measured.show_measured(window_text(look.measured), rows, notes)
        self.measured.setVisible(bool(look.measured))
        self.redrawn.emit()


@dataclass(frozen=True, eq=False)
class DrawnLook:
    """What a call shows: the picture as a model sees it, and our measurements; or an error."""

    image: QImage = field(default_factory=QImage)
    measured: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


def draw_look(maker: PictureMaker, window: Window | None, label: str) -> DrawnLook:
    """Draw a window, or the whole spectrum for None; any thread."""
    if window is None:
        return DrawnLook(qimage(maker.overview()))
    low, high = window
    try:
        picture, _ = maker.look({"wavelength_range": [low, high], "label": label or None})
    except ToolError as error:
        return DrawnLook(error=str(error))
    return DrawnLook(qimage(picture), maker.measure(low, high))
