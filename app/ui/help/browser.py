"""Shows a page of the guide. What it loads lies in the program: nothing from elsewhere, ever."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QImageReader,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QTextBrowser, QTextEdit, QWidget

from app.ui.help.dressed import set_page
from app.ui.help.pages import GuidePage, anchor_of, help_folder
from app.ui.theme.colours import mixed
from app.ui.theme.theme import CurrentTheme

MOST_FOUND = 2000
WIDEST_PICTURE_PX = 960
MARGIN_PX = 18
CALM_MS = 60
"""After the last change of its width, before the pictures are drawn anew."""


class GuideBrowser(QTextBrowser):
    """Links are told, not followed: the window knows the pages."""

    followed = Signal(QUrl)

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self._page: GuidePage | None = None
        self._words = ""
        self._width = 0
        self._calm = QTimer(self, singleShot=True, interval=CALM_MS)
        self._calm.timeout.connect(self._lay_out)
        self.places: list[QTextCursor] = []
        """Where the words are that one looks for."""
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.document().setDocumentMargin(MARGIN_PX)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.anchorClicked.connect(self.followed)
        current_theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def page(self) -> GuidePage | None:
        return self._page

    def show_page(self, page: GuidePage, anchor: str = "") -> None:
        self._page = page
        self._lay_out()
        self.verticalScrollBar().setValue(0)
        if anchor:
            self._go_to(anchor)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Pictures of the guide's own folder, as wide as there is room for."""
        if self._page is None or kind != QTextDocument.ResourceType.ImageResource.value:
            return None
        path = picture_path(self._page.path.parent, QUrl(name))
        return None if path is None else self._picture(path)

    def find_words(self, words: str) -> int:
        """Marks them all; how many there are."""
        self._words = words.strip()
        self.places = self._found()
        self._mark()
        return len(self.places)

    def go_to_found(self, number: int) -> None:
        place = QTextCursor(self.places[number])
        place.setPosition(place.selectionStart())
        self.setTextCursor(place)
        self.ensureCursorVisible()
        self._mark(number)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._page is not None and self.viewport().width() != self._width:
            self._calm.start()

    def _lay_out(self) -> None:
        if self._page is None:
            return
        bar = self.verticalScrollBar()
        share = bar.value() / bar.maximum() if bar.maximum() else 0.0
        self._width = self.viewport().width()
        self.document().clear()
        set_page(self.document(), self._page.text, self._current_theme.theme, self.font())
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.find_words(self._words)
        bar.setValue(round(share * bar.maximum()))

    def _restyle(self, _: object = None) -> None:
        theme = self._current_theme.theme
        self.setStyleSheet(
            f"QTextBrowser {{ background: {theme.panel}; border: 1px solid {theme.border};"
            " border-radius: 8px; padding: 0px; }"
        )
        self._lay_out()

    def _picture(self, path: Path) -> QImage | None:
        reader = QImageReader(str(path))
        whole = reader.size()
        if not whole.isValid():
            return None
        screen = self.screen() or QGuiApplication.primaryScreen()
        sharpness = screen.devicePixelRatio() if screen is not None else 1.0
        room = max(self.viewport().width() - 2 * MARGIN_PX - 4, 80)
        width = min(room, WIDEST_PICTURE_PX, whole.width())
        height = width * whole.height() / whole.width()
        size = QSize(round(width * sharpness), round(height * sharpness))
        picture = reader.read()
        if picture.isNull():
            return None
        smaller = picture.scaled(
            size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        smaller.setDevicePixelRatio(sharpness)
        return smaller

    def _found(self) -> list[QTextCursor]:
        found: list[QTextCursor] = []
        if not self._words:
            return found
        cursor = self.document().find(self._words)
        while not cursor.isNull() and len(found) < MOST_FOUND:
            found.append(cursor)
            cursor = self.document().find(self._words, cursor)
        return found

    def _mark(self, chosen: int = -1) -> None:
        theme = self._current_theme.theme
        plain, clear = QTextCharFormat(), QTextCharFormat()
        plain.setBackground(QColor(mixed(theme.panel, theme.agent, 0.35)))
        clear.setBackground(QColor(theme.agent))
        clear.setForeground(QColor(theme.on_agent))
        marks = []
        for number, place in enumerate(self.places):
            mark = QTextEdit.ExtraSelection()
            mark.cursor = place
            mark.format = clear if number == chosen else plain
            marks.append(mark)
        self.setExtraSelections(marks)

    def _go_to(self, anchor: str) -> None:
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and anchor_of(block.text()) == anchor:
                place = QTextCursor(block)
                self.setTextCursor(place)
                self.verticalScrollBar().setValue(
                    self.verticalScrollBar().value() + self.cursorRect(place).top() - MARGIN_PX
                )
                return
            block = block.next()


def picture_path(folder: Path, name: QUrl) -> Path | None:
    """A picture beside the guide that a page in `folder` names; None for anything else."""
    if not name.isRelative():
        return None
    path = (folder / name.path()).resolve()
    is_ours = path.is_relative_to(help_folder().resolve()) and path.suffix == ".png"
    return path if is_ours and path.is_file() else None
