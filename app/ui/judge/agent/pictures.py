"""Redraws the pictures the model saw and checks them against their hashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPixmap
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from agent.errors import TrajectoryError, WorkbenchError
from agent.rendering.model_image import QWEN25, Sizing
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import SpectrumRef, Step
from app.ui.base.background.runner import Runner
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.agent.card import THUMB
from app.ui.widgets.labels import column, short_label

if TYPE_CHECKING:
    from PIL.Image import Image

translate = QCoreApplication.translate
MAX_OF_SCREEN = 0.9
DELAY_MS = 200  # before drawing, so that quick moves through the list draw nothing


class PictureWindow(QFrame):
    """A large picture; a click or any key closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.caption = short_label("", "dim")
        self.picture = QLabel()
        column(self.picture, self.caption, margins=12, parent=self)

    def show_picture(self, image: QImage, caption: str) -> None:
        self.caption.setText(caption)
        self.picture.setAccessibleName(caption)
        room = self.screen().availableGeometry().size() * MAX_OF_SCREEN
        pixmap = QPixmap.fromImage(image)
        if pixmap.width() > room.width() or pixmap.height() > room.height():
            smooth = Qt.TransformationMode.SmoothTransformation
            pixmap = pixmap.scaled(room, Qt.AspectRatioMode.KeepAspectRatio, smooth)
        self.picture.setPixmap(pixmap)
        self.adjustSize()
        parent = self.parentWidget()
        window = parent.window().frameGeometry() if parent else self.screen().availableGeometry()
        self.move(window.center() - self.rect().center())
        self.show()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.close()


@dataclass(frozen=True, eq=False)
class PictureSource:
    """How an inspection draws its spectrum; `style` None means the named model's style."""

    spectrum: Spectrum
    model: str
    ref: SpectrumRef | None = None
    style: Mapping[str, Any] | None = None
    sizing: Sizing = QWEN25


class Pictures(QObject):
    """Draws one picture at a time, so that a new candidate does not wait for many."""

    drawn = Signal()
    failed = Signal(str)  # why the remaining pictures are not drawn

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.images: dict[str, QImage] = {}  # by hash, in the size the model saw
        self.thumbs: dict[str, QImage] = {}
        """By hash, at twice their displayed size for high-resolution screens."""
        self._runner = runner
        self._source: PictureSource | None = None
        self._waiting: list[Step] = []
        self._is_drawing = self._is_closed = False
        self._timer = QTimer(self, interval=DELAY_MS, singleShot=True)
        self._timer.timeout.connect(self._draw_next)

    def request(self, source: PictureSource, looks: Sequence[Step]) -> None:
        missing = [look for look in looks if look.picture and look.picture not in self.images]
        self._source, self._waiting = source, missing
        if missing and not self._is_drawing and not self._is_closed:
            self._timer.start()

    def forget(self) -> None:
        self._source, self._waiting = None, []
        self._timer.stop()
        self.images.clear()
        self.thumbs.clear()

    def close(self) -> None:
        self._is_closed = True
        self._timer.stop()

    def _draw_next(self) -> None:
        source, is_free = self._source, not (self._is_drawing or self._is_closed)
        if source is None or not self._waiting or not is_free:
            return
        look, self._is_drawing = self._waiting.pop(0), True
        work = partial(redraw_look, source, look)
        done, failed = partial(self._on_drawn, source, look), partial(self._on_failed, source)
        self._runner.run(work, done, failed, owner=self)

    def _on_drawn(self, source: PictureSource, look: Step, drawn: tuple[QImage, QImage]) -> None:
        self._is_drawing = False
        if self._source is not None and self._source.spectrum is source.spectrum:
            self.images[look.picture], self.thumbs[look.picture] = drawn
            self.drawn.emit()
        self._draw_next()

    def _on_failed(self, source: PictureSource, error: WorkbenchError) -> None:
        self._is_drawing = False
        if source is self._source:
            self._waiting = []
            self.failed.emit(translate_message(str(error)))
        self._draw_next()


def redraw_look(source: PictureSource, look: Step) -> tuple[QImage, QImage]:
    """Return the picture and its thumbnail. Any thread.

    Raises TrajectoryError if the picture is not what the model saw.
    """
    # Imported here because drawing loads matplotlib, which would slow down the start.
    from agent.hashing import picture_hash, spectrum_hash
    from agent.inspection.inspector_factory import looking_card
    from agent.inspection.pictures import PictureMaker, spectrum_ref
    from agent.rendering.render import PUBLISHED, Style

    ref, sizing = source.ref or spectrum_ref(source.spectrum), source.sizing
    if ref.sha256 and spectrum_hash(source.spectrum) != ref.sha256:
        raise TrajectoryError(
            translate("agent", "Pictures not shown: the spectrum has changed since the inspection")
        )
    if source.style is not None:
        style = Style.from_table(source.style)
    else:
        card = looking_card(source.model)
        style, sizing = (PUBLISHED, QWEN25) if card is None else (card.style, card.sizing)
    picture = PictureMaker.of(source.spectrum, ref, style, sizing).redraw(look)
    if picture_hash(picture) != look.picture:
        raise TrajectoryError(
            translate("agent", "Picture not shown: it differs from what the model saw")
        )
    image, (width, height) = qimage(picture), THUMB
    smooth, keep = Qt.TransformationMode.SmoothTransformation, Qt.AspectRatioMode.KeepAspectRatio
    return image, image.scaled(2 * round(width), 2 * round(height), keep, smooth)


def qimage(picture: Image) -> QImage:
    rgb = picture.convert("RGB")
    image = QImage(rgb.tobytes(), rgb.width, rgb.height, 3 * rgb.width, QImage.Format.Format_RGB888)
    return image.copy()  # QImage does not own the bytes
