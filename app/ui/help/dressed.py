"""A page of the guide as a document in the colours of the window.

Qt reads Markdown without any style of ours, so the blocks are dressed after it has.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
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

from app.ui.theme.colours import mixed
from app.ui.theme.theme import Theme

FEATURES = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value
    | QTextDocument.MarkdownFeature.MarkdownNoHTML.value
)
"""HTML in a page is text like any other."""
SIZES = {1: 1.7, 2: 1.3, 3: 1.1}
"""Of headings, to that of the text."""
LINE_PER_CENT = 130
CELL_PER_CENT = 118
"""With less the ground of code would lie over the feet of the line above."""
INDENT_PX = 22
SPACE_PX = 8


def set_page(document: QTextDocument, text: str, theme: Theme, font: QFont) -> None:
    document.setUndoRedoEnabled(False)
    document.setDefaultFont(font)
    document.setIndentWidth(INDENT_PX)
    document.setMarkdown(text, FEATURES)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for table in _tables(document.rootFrame()):
        _drop_empty_line(table)
    for block in _blocks(document):
        _dress_block(QTextCursor(block), block, theme, font)
    for table in _tables(document.rootFrame()):
        _dress_table(table, theme)
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
    """Behind a block of code Qt puts one into a table's first cell."""
    first = table.cellAt(0, 0).firstCursorPosition()
    if (
        not first.block().text()
        and first.block() != table.cellAt(0, 0).lastCursorPosition().block()
    ):
        first.deleteChar()


def _dress_block(cursor: QTextCursor, block: QTextBlock, theme: Theme, font: QFont) -> None:
    shape = QTextBlockFormat()
    level = block.blockFormat().headingLevel()
    is_code = _is_code(block)
    if level:
        shape.setTopMargin(0 if level == 1 else 22 if level == 2 else 14)
        shape.setBottomMargin(SPACE_PX)
    elif is_code:
        _dress_code(shape, block, theme)
    elif cursor.currentTable() is not None:
        shape.setTopMargin(0)
        shape.setBottomMargin(0)
        _space_lines(shape, CELL_PER_CENT)
    else:
        in_list = block.textList() is not None
        shape.setTopMargin(0)
        shape.setBottomMargin(3 if in_list and _goes_on(block) else SPACE_PX)
        if not _is_picture(block):  # it would get air of a third of its height
            _space_lines(shape, LINE_PER_CENT)
    cursor.mergeBlockFormat(shape)
    for start, length, kind in _pieces(block):
        piece = QTextCursor(block)
        piece.setPosition(start)
        piece.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        piece.setCharFormat(_letters(kind, theme, font, level, is_code=is_code))


def _space_lines(shape: QTextBlockFormat, per_cent: int) -> None:
    shape.setLineHeight(per_cent, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)


def _pieces(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    """Before anything is changed: changes join and split them."""
    found = []
    each = block.begin()
    while not each.atEnd():
        piece = each.fragment()
        found.append((piece.position(), piece.length(), piece.charFormat()))
        each += 1
    return found


def _letters(
    kind: QTextCharFormat, theme: Theme, font: QFont, level: int, *, is_code: bool
) -> QTextCharFormat:
    letters = QTextCharFormat(kind)
    if kind.isImageFormat():
        return letters
    letters.clearProperty(QTextFormat.Property.FontSizeAdjustment.value)  # Qt's own, of headings
    if level:
        letters.setFontPointSize(font.pointSizeF() * SIZES.get(level, 1.0))
        letters.setFontWeight(QFont.Weight.DemiBold)
    if kind.isAnchor():
        letters.setForeground(QColor(theme.accent))
        letters.setFontUnderline(False)
    else:
        letters.setForeground(QColor(theme.text))
    if is_code or kind.fontFixedPitch():
        letters.setFontFamilies([_fixed(), *font.families()])
        letters.setFontPointSize(font.pointSizeF() * 0.95)
        if not is_code:
            letters.setBackground(QColor(_ground(theme)))
    return letters


def _dress_code(shape: QTextBlockFormat, block: QTextBlock, theme: Theme) -> None:
    """Lines of one command each: the ground of a block goes on from line to line."""
    shape.setBackground(QBrush(QColor(_ground(theme))))
    shape.setLeftMargin(4)
    shape.setNonBreakableLines(False)
    shape.setTopMargin(0)
    shape.setBottomMargin(0 if _is_code(block.next()) else 2 * SPACE_PX)


def _dress_table(table: QTextTable, theme: Theme) -> None:
    made = table.format()
    made.setBorder(1)
    made.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    made.setBorderBrush(QBrush(QColor(theme.border)))
    made.setBorderCollapse(True)
    made.setCellPadding(5)
    made.setCellSpacing(0)
    made.setTopMargin(SPACE_PX)
    made.setBottomMargin(2 * SPACE_PX)
    made.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    table.setFormat(made)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        heading = cell.firstCursorPosition()
        heading.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.DemiBold)
        heading.mergeCharFormat(bold)
        cell_shape = cell.format()
        cell_shape.setBackground(QBrush(QColor(_ground(theme))))
        cell.setFormat(cell_shape)


def _is_picture(block: QTextBlock) -> bool:
    return any(kind.isImageFormat() for _, _, kind in _pieces(block))


def _goes_on(block: QTextBlock) -> bool:
    return block.next().isValid() and block.next().textList() is not None


def _is_code(block: QTextBlock) -> bool:
    """Qt takes the first cell of a table behind a block of code for more of it."""
    shape = block.blockFormat()
    if not block.isValid() or QTextCursor(block).currentTable() is not None:
        return False
    return shape.hasProperty(QTextFormat.Property.BlockCodeFence.value) or shape.hasProperty(
        QTextFormat.Property.BlockCodeLanguage.value
    )


def _ground(theme: Theme) -> str:
    return mixed(theme.panel, theme.text, 0.06)


def _fixed() -> str:
    """Of a system without a desktop the font for it need not be one."""
    told = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if QFontInfo(told).fixedPitch():
        return QFontInfo(told).family()  # not the name of a kind, such as "monospace"
    asked = QFont("monospace")
    asked.setStyleHint(QFont.StyleHint.Monospace)
    return QFontInfo(asked).family()
