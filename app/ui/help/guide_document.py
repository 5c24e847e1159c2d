"""Turns a page of the guide into a document in the colours of the window.

Qt's Markdown reader knows no styles, so blocks are formatted after it has read the page.
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

from app.ui.theme.theme import Theme, mixed

# HTML in a page is shown as plain text.
FEATURES = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value
    | QTextDocument.MarkdownFeature.MarkdownNoHTML.value
)
SIZES = {1: 1.7, 2: 1.3, 3: 1.1}
"""Font size of headings by level, relative to the text."""
LINE_PER_CENT = 130
# Less would let the background of code cover the descenders of the line above.
CELL_PER_CENT = 118
INDENT_PX = 22
SPACE_PX = 8


def set_guide_page(document: QTextDocument, text: str, theme: Theme, font: QFont) -> None:
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
    first = table.cellAt(0, 0).firstCursorPosition()
    if (
        not first.block().text()
        and first.block() != table.cellAt(0, 0).lastCursorPosition().block()
    ):
        first.deleteChar()


def _format_block(cursor: QTextCursor, block: QTextBlock, theme: Theme, font: QFont) -> None:
    shape = QTextBlockFormat()
    level = block.blockFormat().headingLevel()
    is_code = _is_code(block)
    if level:
        shape.setTopMargin(0 if level == 1 else 22 if level == 2 else 14)
        shape.setBottomMargin(SPACE_PX)
    elif is_code:
        _format_code(shape, block, theme)
    elif cursor.currentTable() is not None:
        shape.setTopMargin(0)
        shape.setBottomMargin(0)
        _set_line_spacing(shape, CELL_PER_CENT)
    else:
        in_list = block.textList() is not None
        shape.setTopMargin(0)
        shape.setBottomMargin(3 if in_list and _list_continues(block) else SPACE_PX)
        if not _is_picture(block):  # the spacing is relative and would add a gap above pictures
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


def _format_code(shape: QTextBlockFormat, block: QTextBlock, theme: Theme) -> None:
    """Format a line of code; Qt makes each line a block, so they must join without a gap."""
    shape.setBackground(QBrush(QColor(_code_background(theme))))
    shape.setLeftMargin(4)
    shape.setNonBreakableLines(False)
    shape.setTopMargin(0)
    shape.setBottomMargin(0 if _is_code(block.next()) else 2 * SPACE_PX)


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
    table_format.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
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


def _is_picture(block: QTextBlock) -> bool:
    return any(kind.isImageFormat() for _, _, kind in _fragments(block))


def _list_continues(block: QTextBlock) -> bool:
    return block.next().isValid() and block.next().textList() is not None


def _is_code(block: QTextBlock) -> bool:
    """Whether this is code; Qt wrongly marks the first cell of a table after code, too."""
    shape = block.blockFormat()
    if not block.isValid() or QTextCursor(block).currentTable() is not None:
        return False
    return shape.hasProperty(QTextFormat.Property.BlockCodeFence.value) or shape.hasProperty(
        QTextFormat.Property.BlockCodeLanguage.value
    )


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
