"""The pictures the model saw, drawn again for the candidate on the desk, proved by their hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from agent.errors import TrajectoryError, WorkbenchError
from agent.rendering.model_image import QWEN25, Sizing
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import SpectrumRef, Step, Trajectory
from app.ui.agent.card_layout import THUMB
from app.ui.background.runner import Runner

if TYPE_CHECKING:
    from PIL.Image import Image


from PySide6.QtGui import QKeyEvent, QMouseEvent, QPixmap
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

SCREEN = 0.9
"""Of the screen at most."""


class PictureWindow(QFrame):
    """Goes away with a click or any key."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.caption = QLabel()
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self.caption.setProperty("role", "dim")
        self.picture = QLabel()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(8)
        layout.addWidget(self.picture)
        layout.addWidget(self.caption)

    def show_picture(self, image: QImage, caption: str) -> None:
        self.caption.setText(caption)
        self.picture.setAccessibleName(caption)
        room = self.screen().availableGeometry().size() * SCREEN
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


translate = QCoreApplication.translate
REST_MS = 200
"""Who flies through the list does not wait for pictures."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PictureSource:
    """How an inspection sees its spectrum. `style` None: as the model of that name does."""

    spectrum: Spectrum
    model: str
    ref: SpectrumRef | None = None
    style: Mapping[str, Any] | None = None
    sizing: Sizing = QWEN25

    @classmethod
    def of(cls, record: Trajectory, spectrum: Spectrum) -> PictureSource:
        return cls(
            spectrum=spectrum,
            model=record.model.name,
            ref=record.spectrum,
            style=record.style,
            sizing=record.sizing,
        )


class Pictures(QObject):
    """Drawn one after the other, so that a change of candidate is not kept waiting."""

    drawn = Signal()
    failed = Signal(str)
    """Why the others do not come."""

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.images: dict[str, QImage] = {}
        """By hash, as large as the model had them."""
        self.thumbs: dict[str, QImage] = {}
        """By hash, twice as fine as they are shown, for fine screens."""
        self._runner = runner
        self._seen: PictureSource | None = None
        self._waiting: list[Step] = []
        self._is_drawing = self._is_closed = False
        self._timer = QTimer(self, interval=REST_MS, singleShot=True)
        self._timer.timeout.connect(self._draw_next)

    def want(self, seen: PictureSource, looks: Sequence[Step]) -> None:
        """Those of these looks that are not there yet, soon."""
        missing = [look for look in looks if look.picture and look.picture not in self.images]
        self._seen, self._waiting = seen, missing
        if missing and not self._is_drawing and not self._is_closed:
            self._timer.start()

    def forget(self) -> None:
        """Another candidate is on the desk."""
        self._seen, self._waiting = None, []
        self._timer.stop()
        self.images.clear()
        self.thumbs.clear()

    def close(self) -> None:
        """Nothing more is drawn."""
        self._is_closed = True
        self._timer.stop()

    def _draw_next(self) -> None:
        is_free = not (self._is_drawing or self._is_closed)
        if self._seen is None or not self._waiting or not is_free:
            return
        look, self._is_drawing = self._waiting.pop(0), True
        work = partial(draw, self._seen, look)
        done, failed = partial(self._came, self._seen, look), partial(self._failed, self._seen)
        self._runner.run(work, done, failed, owner=self)

    def _came(self, seen: PictureSource, look: Step, drawn: tuple[QImage, QImage]) -> None:
        self._is_drawing = False
        if self._seen is not None and self._seen.spectrum is seen.spectrum:
            self.images[look.picture], self.thumbs[look.picture] = drawn
            self.drawn.emit()
        self._draw_next()

    def _failed(self, seen: PictureSource, error: WorkbenchError) -> None:
        self._is_drawing = False
        if seen is self._seen:
            self._waiting = []
            self.failed.emit(str(error))
        self._draw_next()


def draw(seen: PictureSource, look: Step) -> tuple[QImage, QImage]:
    """The picture, and a small one. Raises TrajectoryError where it is not what the model saw. Any
    thread."""
    # Drawing brings matplotlib's Agg with it, which the window's start does without.
    from agent.hashing import picture_hash, spectrum_hash
    from agent.inspection.pictures import PictureMaker, spectrum_ref
    from agent.rendering.render import Style

    ref, sizing = seen.ref or spectrum_ref(seen.spectrum), seen.sizing
    if ref.sha256 and spectrum_hash(seen.spectrum) != ref.sha256:
        raise TrajectoryError(
            translate("agent", "the spectrum has changed since: its pictures are not shown")
        )
    if seen.style is None:
        style, sizing = _look_of(seen.model)
    else:
        style = Style.from_table(seen.style)
    viewer = PictureMaker.of(seen.spectrum, ref, style, sizing)
    picture = viewer.redraw(look)
    if picture_hash(picture) != look.picture:
        raise TrajectoryError(
            translate("agent", "a picture comes out different from what the model saw")
        )
    image, (width, height) = _image(picture), THUMB
    smooth, keep = Qt.TransformationMode.SmoothTransformation, Qt.AspectRatioMode.KeepAspectRatio
    return image, image.scaled(2 * round(width), 2 * round(height), keep, smooth)


def _look_of(model: str) -> tuple[Any, Sizing]:
    """Style and sizing of a model's card."""
    from agent.inspection.make_inspector import MEASURED
    from agent.models.registry import find_model
    from agent.rendering.render import PUBLISHED

    if model.casefold() == MEASURED:
        return PUBLISHED, QWEN25
    card = find_model(model).card
    return card.style, card.sizing


def _image(picture: Image) -> QImage:
    rgb = picture.convert("RGB")
    data = rgb.tobytes()
    image = QImage(data, rgb.width, rgb.height, 3 * rgb.width, QImage.Format.Format_RGB888)
    return image.copy()  # Qt does not keep the bytes
