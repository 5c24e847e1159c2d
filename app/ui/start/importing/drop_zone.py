"""Drag and drop of files; an overlay says what will happen before they are dropped."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from app.ui.start.importing.given_paths import GivenKind, GivenPaths, identify, identify_by_name
from app.ui.widgets.painted_button import smooth_painter, translucent

EDGE = 10
RADIUS = 14.0
OVERLAY_ALPHA = 238


class DropZone(QObject):
    """Accepts files dropped anywhere on `target`."""

    dropped = Signal(object)  # a `GivenPaths`, identified by the contents of the files

    def __init__(self, target: QWidget, current_theme: CurrentTheme, runner: Runner) -> None:
        super().__init__(target)
        self._target, self._runner = target, runner
        self.overlay = DropOverlay(current_theme, target)
        target.setAcceptDrops(True)
        target.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event:
            case QDropEvent() if event.type() == QEvent.Type.Drop:
                self.overlay.hide()
                event.acceptProposedAction()
                paths = local_paths(event.mimeData())
                self._runner.run(partial(identify, paths), self.dropped.emit, owner=self)
                return True
            case QDragEnterEvent() if event.type() == QEvent.Type.DragEnter:
                if not event.mimeData().hasUrls():
                    return False
                # Accept every drag, so that the overlay can say why unusable files are refused.
                event.acceptProposedAction()
                self.overlay.show_paths(identify_by_name(local_paths(event.mimeData())))
                return True
            case QDragMoveEvent() if event.type() == QEvent.Type.DragMove:
                event.acceptProposedAction()
                return True
        if event.type() in (QEvent.Type.DragLeave, QEvent.Type.Hide):
            self.overlay.hide()
        elif event.type() == QEvent.Type.Resize:
            self.overlay.setGeometry(self._target.rect())
        return False


class DropOverlay(QWidget):
    """Covers its parent while files are dragged over it."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme, self._covered = current_theme, parent
        self.text = ""
        self._detail = ""
        self._is_usable = True
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_paths(self, given: GivenPaths) -> None:
        self._is_usable = given.kind is not GivenKind.UNKNOWN
        self.text, self._detail = self._texts(given)
        self.setAccessibleName(self.text)
        self.setGeometry(self._covered.rect())
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._current_theme.theme, smooth_painter(self)
        painter.fillRect(self.rect(), translucent(theme.window, OVERLAY_ALPHA))
        tone = QColor(theme.accent if self._is_usable else theme.reject)
        painter.setPen(QPen(tone, 2.0, Qt.PenStyle.DashLine))
        frame = QRectF(self.rect()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
        painter.drawRoundedRect(frame, RADIUS, RADIUS)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 1.7)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(tone)
        upper = frame.adjusted(24, 0, -24, -frame.height() / 2)
        middle = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(upper, middle | Qt.AlignmentFlag.AlignBottom, self.text)
        painter.setFont(self.font())
        painter.setPen(QColor(theme.dim))
        lower = frame.adjusted(24, frame.height() / 2 + 10, -24, 0)
        painter.drawText(lower, middle | Qt.AlignmentFlag.AlignTop, self._detail)

    def _texts(self, given: GivenPaths) -> tuple[str, str]:
        if given.kind is GivenKind.UNKNOWN:
            return self.tr("This cannot be opened"), given.reason
        first = given.paths[0]
        if given.kind is GivenKind.SESSION:
            return self.tr("Drop to open the session"), first.name
        if len(given.paths) > 1:
            text = self.tr("Drop to start a session with {count} files")
            names = ", ".join(path.name for path in given.paths[:4])
            more = "" if len(given.paths) <= 4 else " …"
            return text.replace("{count}", str(len(given.paths))), names + more
        if first.is_dir():
            return self.tr("Drop to start a session with the spectra in this folder"), first.name
        return self.tr("Drop to open"), first.name


def local_paths(mime: QMimeData) -> list[Path]:
    """The dropped paths; empty if any of them is not on this computer."""
    urls = mime.urls()
    is_local = all(url.isLocalFile() for url in urls)
    return [Path(url.toLocalFile()) for url in urls] if is_local else []
