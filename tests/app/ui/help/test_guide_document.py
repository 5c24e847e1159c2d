"""Markdown becomes a document in the colours of the theme."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QFont, QTextCursor, QTextDocument

from app.ui.help.guide_document import LINE_PER_CENT, set_guide_page
from app.ui.theme.theme import DARK, LIGHT

PAGE = """# Title

Text with `code` and a [link](other.md).

```
spec-o3 demo
spec-o3 vet list.csv
```

| key | action |
|---|---|
| A | accept |

<img src='file:///etc/passwd'><b>bold</b>
"""


@pytest.fixture(params=[LIGHT, DARK], ids=lambda theme: theme.name)
def theme(request):
    return request.param


@pytest.fixture
def document(qapp, theme):
    document = QTextDocument()
    set_guide_page(document, PAGE, theme, QFont(qapp.font()))
    return document


def char_format(document, text):
    cursor = document.find(text)
    assert not cursor.isNull(), text
    return cursor.charFormat()


def test_text_code_tables_and_html_in_the_colours_of_the_theme(document, theme):
    assert char_format(document, "Text").foreground().color() == QColor(theme.text)
    assert char_format(document, "link").foreground().color() == QColor(theme.accent)
    title, text = char_format(document, "Title"), char_format(document, "Text")
    assert title.fontPointSize() > text.font().pointSizeF()
    first, last = (document.find(text).block() for text in ("spec-o3 demo", "spec-o3 vet"))
    assert first.blockFormat().background() == last.blockFormat().background()
    assert first.blockFormat().bottomMargin() == 0 < last.blockFormat().bottomMargin()
    paragraph = document.find("Text").block().blockFormat()
    assert paragraph.lineHeight() == LINE_PER_CENT
    table = QTextCursor(document.find("key")).currentTable()
    assert table.cellAt(0, 0).firstCursorPosition().block().text() == "key"
    assert "<b>bold</b>" in document.toPlainText() and "<img" in document.toPlainText()
    block = document.begin()
    while block.isValid():
        assert not any(piece.format.isImageFormat() for piece in block.textFormats())
        block = block.next()
