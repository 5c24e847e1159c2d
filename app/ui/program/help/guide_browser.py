"""Shows a page of the guide; it loads only files that come with the program."""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QGuiApplication,
    QImage,
    QImageReader,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrame,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from app.ui.base.theme.theme import CurrentTheme, Theme, mixed
from app.ui.program.help.pages import GuidePage, anchor_of, help_folder

MAX_MATCHES = 2000
MAX_PICTURE_PX = 960
MARGIN_PX = 18
RESIZE_DELAY_MS = 60  # wait after the last resize before the page is laid out again

# HTML in a page is shown as plain text.
FEATURES = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value
    | QTextDocument.MarkdownFeature.MarkdownNoHTML.value
)
SIZES = {1: 1.7, 2: 1.3, 3: 1.1}  # font size of headings by level, relative to the text
LINE_PER_CENT = 130
# Less would let the background of code cover the descenders of the line above.
CELL_PER_CENT = 118
INDENT_PX = 22
SPACE_PX = 8


class GuideBrowser(QTextBrowser):
    """Emits clicked links instead of following them, because the window knows the pages."""

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
        self._searched, self.matches = text.strip(), []
        cursor = self.document().find(self._searched)
        while not cursor.isNull() and len(self.matches) < MAX_MATCHES:
            self.matches.append(cursor)
            cursor = self.document().find(self._searched, cursor)
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
        stretch, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode
        smaller = picture.scaled(size, stretch, smooth.SmoothTransformation)
        smaller.setDevicePixelRatio(pixel_ratio)
        return smaller

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
        for block in _blocks(self.document()):
            if block.blockFormat().headingLevel() and anchor_of(block.text()) == anchor:
                cursor, bar = QTextCursor(block), self.verticalScrollBar()
                self.setTextCursor(cursor)
                bar.setValue(bar.value() + self.cursorRect(cursor).top() - MARGIN_PX)
                return


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


def set_guide_page(document: QTextDocument, text: str, theme: Theme, font: QFont) -> None:
    """Turns a page of the guide into a document in the colours of the window.

    Qt's Markdown reader knows no styles, so blocks are formatted after it has read the page.
    """
    document.setUndoRedoEnabled(False)
    document.setDefaultFont(font)
    document.setIndentWidth(INDENT_PX)
    document.setMarkdown(text, FEATURES)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for table in _tables(document.rootFrame()):
        _drop_empty_line(table)
    for block in _blocks(document):
        _format_block(QTextCursor(block), block, theme, font)
    for table in _tables(document.rootFrame()):
        _format_table(table, theme)
    cursor.endEditBlock()


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _tables(frame: QTextFrame) -> Iterator[QTextTable]:
    for child in frame.childFrames():
        if isinstance(child, QTextTable):
            yield child
        yield from _tables(child)


def _drop_empty_line(table: QTextTable) -> None:
    """Remove the empty line that Qt adds to the first cell of a table after a code block."""
    cell = table.cellAt(0, 0)
    first = cell.firstCursorPosition()
    if not first.block().text() and first.block() != cell.lastCursorPosition().block():
        first.deleteChar()


def _format_block(cursor: QTextCursor, block: QTextBlock, theme: Theme, font: QFont) -> None:
    shape = QTextBlockFormat()
    level = block.blockFormat().headingLevel()
    is_code = _is_code(block)
    if level:
        shape.setTopMargin(0 if level == 1 else 22 if level == 2 else 14)
        shape.setBottomMargin(SPACE_PX)
    elif is_code:  # Qt makes each line a block, so they must join without a gap
        shape.setBackground(QBrush(QColor(_code_background(theme))))
        shape.setLeftMargin(4)
        shape.setNonBreakableLines(False)
        shape.setTopMargin(0)
        shape.setBottomMargin(0 if _is_code(block.next()) else 2 * SPACE_PX)
    elif cursor.currentTable() is not None:
        shape.setTopMargin(0)
        shape.setBottomMargin(0)
        _set_line_spacing(shape, CELL_PER_CENT)
    else:
        goes_on = block.next().isValid() and block.next().textList() is not None
        shape.setTopMargin(0)
        shape.setBottomMargin(3 if block.textList() is not None and goes_on else SPACE_PX)
        # The spacing is relative and would add a gap above pictures.
        if not any(kind.isImageFormat() for _, _, kind in _fragments(block)):
            _set_line_spacing(shape, LINE_PER_CENT)
    cursor.mergeBlockFormat(shape)
    for start, length, kind in _fragments(block):
        piece = QTextCursor(block)
        piece.setPosition(start)
        piece.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        piece.setCharFormat(_char_format(kind, theme, font, level, is_code=is_code))


def _set_line_spacing(shape: QTextBlockFormat, per_cent: int) -> None:
    shape.setLineHeight(per_cent, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)


def _fragments(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    """Position, length and format of the fragments, read first because edits change them."""
    fragments = []
    each = block.begin()
    while not each.atEnd():
        fragment = each.fragment()
        fragments.append((fragment.position(), fragment.length(), fragment.charFormat()))
        each += 1
    return fragments


def _char_format(
    kind: QTextCharFormat, theme: Theme, font: QFont, level: int, *, is_code: bool
) -> QTextCharFormat:
    result = QTextCharFormat(kind)
    if kind.isImageFormat():
        return result
    result.clearProperty(QTextFormat.Property.FontSizeAdjustment.value)  # set by Qt for headings
    if level:
        result.setFontPointSize(font.pointSizeF() * SIZES.get(level, 1.0))
        result.setFontWeight(QFont.Weight.DemiBold)
    if kind.isAnchor():
        result.setForeground(QColor(theme.accent))
        result.setFontUnderline(False)
    else:
        result.setForeground(QColor(theme.text))
    if is_code or kind.fontFixedPitch():
        result.setFontFamilies([_fixed_family(), *font.families()])
        result.setFontPointSize(font.pointSizeF() * 0.95)
        if not is_code:
            result.setBackground(QColor(_code_background(theme)))
    return result


def _format_table(table: QTextTable, theme: Theme) -> None:
    table_format = table.format()
    table_format.setBorder(1)
    table_format.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    table_format.setBorderBrush(QBrush(QColor(theme.border)))
    table_format.setBorderCollapse(True)
    table_format.setCellPadding(5)
    table_format.setCellSpacing(0)
    table_format.setTopMargin(SPACE_PX)
    table_format.setBottomMargin(2 * SPACE_PX)
    # Qt rounds columns up: with 100 % a table may be a pixel wider than the page.
    table_format.setWidth(QTextLength(QTextLength.Type.PercentageLength, 99))
    table.setFormat(table_format)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        heading = cell.firstCursorPosition()
        heading.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.DemiBold)
        heading.mergeCharFormat(bold)
        cell_shape = cell.format()
        cell_shape.setBackground(QBrush(QColor(_code_background(theme))))
        cell.setFormat(cell_shape)


def _is_code(block: QTextBlock) -> bool:
    """Whether this is code; Qt wrongly marks the first cell of a table after code, too."""
    shape, kinds = block.blockFormat(), QTextFormat.Property
    if not block.isValid() or QTextCursor(block).currentTable() is not None:
        return False
    marks = kinds.BlockCodeFence, kinds.BlockCodeLanguage
    return any(shape.hasProperty(mark.value) for mark in marks)


def _code_background(theme: Theme) -> str:
    return mixed(theme.panel, theme.text, 0.06)


def _fixed_family() -> str:
    """A fixed-pitch family; without a desktop, the system's "fixed font" may not be one."""
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if QFontInfo(system).fixedPitch():
        return QFontInfo(system).family()  # resolved, not a generic name such as "monospace"
    fallback = QFont("monospace")
    fallback.setStyleHint(QFont.StyleHint.Monospace)
    return QFontInfo(fallback).family()
