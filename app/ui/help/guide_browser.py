"""Shows a page of the guide; it loads only files that come with the program."""

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
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from app.ui.help.guide_document import set_guide_page
from app.ui.help.pages import GuidePage, anchor_of, help_folder
from app.ui.theme.theme import CurrentTheme, mixed

MAX_MATCHES = 2000
MAX_PICTURE_PX = 960
MARGIN_PX = 18
RESIZE_DELAY_MS = 60
"""Wait after the last resize before the page is laid out again."""


class GuideBrowser(QTextBrowser):
    """Emits clicked links instead of following them, because the window knows the pages."""

    link_clicked = Signal(QUrl)

    def __init__(self, current_theme: CurrentTheme) -> None:
        super().__init__()
        self._current_theme = current_theme
        self.page: GuidePage | None = None
        self._searched = ""
        self._width = 0
        self._resize_timer = QTimer(self, singleShot=True, interval=RESIZE_DELAY_MS)
        self._resize_timer.timeout.connect(self._lay_out)
        self.matches: list[QTextCursor] = []
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.document().setDocumentMargin(MARGIN_PX)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.anchorClicked.connect(self.link_clicked)
        current_theme.changed.connect(self._restyle)
        self._restyle()

    def show_page(self, page: GuidePage, anchor: str = "") -> None:
        self.page = page
        self._lay_out()
        self.verticalScrollBar().setValue(0)
        if anchor:
            self._go_to(anchor)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load pictures from the guide's own folder, scaled to the available width.

        Anything else becomes a transparent dot: for nothing, or an empty picture, Qt would read
        the named file itself.
        """
        picture = None
        if self.page is not None and kind == QTextDocument.ResourceType.ImageResource.value:
            path = picture_path(self.page.path.parent, QUrl(name))
            picture = None if path is None else self._picture(path)
        return picture or transparent_dot()

    def find_text(self, text: str) -> int:
        """Highlight all matches; returns their number."""
        self._searched = text.strip()
        self.matches = self._find_all()
        self._highlight()
        return len(self.matches)

    def go_to_match(self, number: int) -> None:
        cursor = QTextCursor(self.matches[number])
        cursor.setPosition(cursor.selectionStart())
        self.setTextCursor(cursor)
        self.ensureCursorVisible()
        self._highlight(number)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.page is not None and self.viewport().width() != self._width:
            self._resize_timer.start()

    def _lay_out(self) -> None:
        if self.page is None:
            return
        bar = self.verticalScrollBar()
        position = bar.value() / bar.maximum() if bar.maximum() else 0.0
        self._width = self.viewport().width()
        self.document().clear()
        set_guide_page(self.document(), self.page.text, self._current_theme.theme, self.font())
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.find_text(self._searched)
        bar.setValue(round(position * bar.maximum()))

    def _restyle(self, _: object = None) -> None:
        theme = self._current_theme.theme
        self.setStyleSheet(
            f"QTextBrowser {{ background: {theme.panel}; border: 1px solid {theme.border};"
            " border-radius: 8px; padding: 0px; }"
        )
        self._lay_out()

    def _picture(self, path: Path) -> QImage | None:
        reader = QImageReader(str(path))
        full_size = reader.size()
        if not full_size.isValid():
            return None
        screen = self.screen() or QGuiApplication.primaryScreen()
        pixel_ratio = screen.devicePixelRatio() if screen is not None else 1.0
        available = max(self.viewport().width() - 2 * MARGIN_PX - 4, 80)
        width = min(available, MAX_PICTURE_PX, full_size.width())
        height = width * full_size.height() / full_size.width()
        size = QSize(round(width * pixel_ratio), round(height * pixel_ratio))
        picture = reader.read()
        if picture.isNull():
            return None
        smaller = picture.scaled(
            size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        smaller.setDevicePixelRatio(pixel_ratio)
        return smaller

    def _find_all(self) -> list[QTextCursor]:
        matches: list[QTextCursor] = []
        if not self._searched:
            return matches
        cursor = self.document().find(self._searched)
        while not cursor.isNull() and len(matches) < MAX_MATCHES:
            matches.append(cursor)
            cursor = self.document().find(self._searched, cursor)
        return matches

    def _highlight(self, chosen: int = -1) -> None:
        theme = self._current_theme.theme
        normal, strong = QTextCharFormat(), QTextCharFormat()
        normal.setBackground(QColor(mixed(theme.panel, theme.agent, 0.35)))
        strong.setBackground(QColor(theme.agent))
        strong.setForeground(QColor(theme.on_agent))
        marks = []
        for number, cursor in enumerate(self.matches):
            mark = QTextEdit.ExtraSelection()
            mark.cursor = cursor
            mark.format = strong if number == chosen else normal
            marks.append(mark)
        self.setExtraSelections(marks)

    def _go_to(self, anchor: str) -> None:
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and anchor_of(block.text()) == anchor:
                cursor = QTextCursor(block)
                self.setTextCursor(cursor)
                self.verticalScrollBar().setValue(
                    self.verticalScrollBar().value() + self.cursorRect(cursor).top() - MARGIN_PX
                )
                return
            block = block.next()


def transparent_dot() -> QImage:
    dot = QImage(1, 1, QImage.Format.Format_ARGB32)
    dot.fill(Qt.GlobalColor.transparent)
    return dot


def picture_path(folder: Path, name: QUrl) -> Path | None:
    """Path of a picture of the guide named by a page in `folder`; None for anything else."""
    if not name.isRelative():
        return None
    path = (folder / name.path()).resolve()
    is_ours = path.is_relative_to(help_folder().resolve()) and path.suffix == ".png"
    return path if is_ours and path.is_file() else None
