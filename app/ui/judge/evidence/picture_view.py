"""A picture of the sky with the fibre's circle, a scale and the directions."""

from PySide6.QtCore import QBuffer, QByteArray, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QImageReader, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.services.catalogues.service import Service
from app.services.catalogues.sky_picture import PIXELS, SkyPicture
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.evidence.card import SourceCard
from app.ui.widgets.labels import column, wrapped_label
from app.ui.widgets.painted_button import smooth_painter

FIBRES_ARCSEC = {"LAMOST": 3.3, "SDSS": 3.0, "BOSS": 2.0, "DESI": 1.5}
"""Diameters on the sky: Cui et al. 2012; Smee et al. 2013; DESI Collaboration 2016."""
TARGET_ARCSEC = 4.0  # of the ring where the fibre is not known
BARS_ARCSEC = (5.0, 10.0, 20.0, 30.0)
WIDEST_BAR = 0.35
USUAL_PX = 240
INK, SHADE = "#ffffff", "#a0000000"
"""On a picture of the sky, in every theme."""


class SkyView(QWidget):
    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self._image = QImage()
        self._arcsec, self._ring_arcsec = 60.0, TARGET_ARCSEC
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_picture(self, image: QImage, arcsec: float, ring_arcsec: float) -> None:
        self._image, self._arcsec, self._ring_arcsec = image, arcsec, ring_arcsec
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(USUAL_PX, USUAL_PX)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return min(width, 2 * USUAL_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth_painter(self)
        side = float(min(self.width(), self.height()))
        room = QRectF((self.width() - side) / 2.0, 0.0, side, side)
        painter.drawImage(room, self._image)
        scale = side / self._arcsec
        radius = 0.5 * self._ring_arcsec * scale
        for colour, width in ((SHADE, 3.0), (INK, 1.4)):
            painter.setPen(QPen(QColor(colour), width))
            painter.drawEllipse(room.center(), radius, radius)
        self._draw_bar(painter, room, scale)
        self._draw_directions(painter, room)

    def _draw_bar(self, painter: QPainter, room: QRectF, scale: float) -> None:
        fitting = [each for each in BARS_ARCSEC if each * scale <= WIDEST_BAR * room.width()]
        length = (fitting or BARS_ARCSEC[:1])[-1]
        left, y = room.left() + 10.0, room.bottom() - 10.0
        for colour, width in ((SHADE, 4.0), (INK, 2.0)):
            painter.setPen(QPen(QColor(colour), width))
            painter.drawLine(QPointF(left, y), QPointF(left + length * scale, y))
        self._draw_text(painter, QPointF(left, y - 5.0), f'{length:g}"')

    def _draw_directions(self, painter: QPainter, room: QRectF) -> None:
        metrics = painter.fontMetrics()
        top = room.top() + metrics.ascent() + 4.0
        self._draw_text(painter, QPointF(room.center().x() - 4.0, top), "N")
        middle = room.center().y() + metrics.ascent() / 2.0
        self._draw_text(painter, QPointF(room.left() + 6.0, middle), "E")

    def _draw_text(self, painter: QPainter, at: QPointF, text: str) -> None:
        painter.setPen(QColor(SHADE))
        for x, y in ((-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)):
            painter.drawText(at + QPointF(x, y), text)
        painter.setPen(QColor(INK))
        painter.drawText(at, text)


class SkyPictureView(QWidget):
    """The picture, and a line that says of which survey and year it is."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = SkyView(current_theme, self)
        self.view.setAccessibleName(self.tr("Picture of the sky"))
        self.caption = wrapped_label("", "small")
        column((self.view, 0, Qt.AlignmentFlag.AlignTop), self.caption, spacing=4, parent=self)

    def show_picture(self, picture: SkyPicture, image: QImage, survey: str) -> None:
        fibre = fibre_arcsec(survey)
        self.view.show_picture(image, picture.arcsec, fibre or TARGET_ARCSEC)
        text = self.tr('{survey}, about {year}; {size}" wide, north up, east left.')
        text = text.replace("{survey}", picture.survey).replace("{year}", f"{picture.epoch:.0f}")
        text = text.replace("{size}", f"{picture.arcsec:g}")
        ring = self.tr('Ring: the fibre, {width}" across.')
        if fibre is None:
            ring = self.tr('Ring: {width}" around the position; the fibre is not known.')
        ring = ring.replace("{width}", f"{fibre or TARGET_ARCSEC:g}")
        self.caption.setText(f"{text} {ring}")


def fibre_arcsec(survey: str) -> float | None:
    """Diameter of a survey's fibre by the name of the survey in the file; None: not known."""
    name = survey.upper()
    if "BOSS" in name or "SDSS-V" in name:
        return FIBRES_ARCSEC["BOSS"]
    return next((size for word, size in FIBRES_ARCSEC.items() if word in name), None)


def read_picture(content: bytes) -> QImage:
    """Decode a JPEG of the size that is asked for, and nothing else; any thread.

    Left to choose, Qt takes any format, and an SVG makes it open files and paint without end.
    """
    buffer = QBuffer()
    buffer.setData(content)
    reader = QImageReader(buffer, QByteArray(b"jpeg"))
    reader.setAutoDetectImageFormat(False)
    return reader.read() if reader.size() == QSize(PIXELS, PIXELS) else QImage()


class PictureCard(SourceCard):
    _picture: SkyPicture | None = None

    def __init__(self, service: Service, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(service, current_theme, parent)
        self.view = SkyPictureView(current_theme, self)
        self.inside.addWidget(self.view)

    def take_picture(self, picture: SkyPicture | None, image: QImage, survey: str) -> None:
        """The picture of the answer that is shown next, and the survey of the spectrum."""
        self._picture, self._image, self._survey = picture, image, survey

    def show_match(self) -> None:
        super().show_match()
        picture = None if self.shown_match is None else self._picture
        self.view.setVisible(picture is not None)
        if picture is not None:
            self.view.show_picture(picture, self._image, self._survey)
