"""The page on screen: pictures from the guide alone, search and themes."""

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor, QFont, QImage, QTextCursor, QTextDocument
from PySide6.QtTest import QTest

from app.ui.base.theme.theme import DARK, LIGHT
from app.ui.program.help.guide_browser import LINE_PER_CENT, GuideBrowser, set_guide_page
from app.ui.program.help.guide_reader import GuideReader
from app.ui.program.help.pages import GuidePage, guide, help_folder

FROM_ELSEWHERE = (
    "http://example.org/a.png", "https://example.org/a.png", "file:///usr/share/pixmaps/a.png",
    "//example.org/a.png", "../../../README.md", "../../icons/dark/check.svg", "../images/none.png"
)  # fmt: skip
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


def pictures(reader):
    """Names of the pictures on the page, with the loaded images."""
    block = reader.browser.document().begin()
    while block.isValid():
        each = block.begin()
        while not each.atEnd():
            kind = each.fragment().charFormat()
            if kind.isImageFormat():
                name = kind.toImageFormat().name()
                yield name, reader.browser.loadResource(IMAGE, QUrl(name))
            each += 1
        block = block.next()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_is_shown_whole(qtbot, current_theme, language):
    reader = GuideReader(language, current_theme)
    qtbot.addWidget(reader)
    for page in guide(language):
        reader.open_at(page.name)
        qtbot.waitExposed(reader)
        assert reader.page == page and reader.list.currentItem().text() == page.title
        assert reader.browser.toPlainText().startswith(page.title)
        assert all(picture.width() > 1 for _, picture in pictures(reader))
        qtbot.waitUntil(lambda: not reader.browser._resize_timer.isActive())
        assert reader.browser.horizontalScrollBar().maximum() == 0, page.name
        assert reader.browser.verticalScrollBar().value() == 0
    reader.close()


def is_a_dot(picture):
    return picture.width() == picture.height() == 1 and picture.pixelColor(0, 0).alpha() == 0


def test_qt_does_not_read_what_the_page_may_not_show(qtbot, tmp_path, current_theme):
    picture = QImage(40, 40, QImage.Format.Format_RGB32)
    picture.fill(MAGENTA)
    assert picture.save(str(tmp_path / "secret.png"))
    browser = GuideBrowser(current_theme)
    qtbot.addWidget(browser)
    browser.resize(400, 300)
    browser.show()
    names = (tmp_path / "secret.png", f"file://{tmp_path}/secret.png", "../images/none.png")
    text = "\n\n".join(f"![picture]({name})" for name in names)
    path = help_folder() / "en" / "vetting.md"
    browser.show_page(GuidePage(name="page", title="page", path=path, text=text))
    shown = browser.grab().toImage()
    colours = {
        shown.pixelColor(x, y).name() for x in range(shown.width()) for y in range(shown.height())
    }
    assert MAGENTA.name() not in colours


def test_it_follows_the_theme_and_links_and_loads_nothing_from_elsewhere(
    qtbot, reader, current_theme
):
    reader.open_at("vetting")
    bar = reader.browser.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    current_theme.use(DARK)
    assert bar.value() == pytest.approx(bar.maximum() // 2, abs=4)
    letters = reader.browser.document().begin().begin().fragment().charFormat()
    assert letters.foreground().color() == QColor(DARK.text)
    reader.open_at("what-it-is")
    cursor = reader.browser.document().find("agreement")
    cursor.setPosition(cursor.selectionStart() + 4)
    reader.browser.setTextCursor(cursor)
    reader.browser.ensureCursorVisible()
    spot = reader.browser.cursorRect(cursor).center()
    QTest.mouseClick(reader.browser.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert reader.page.name == "calibration"
    for name in FROM_ELSEWHERE:
        assert is_a_dot(reader.browser.loadResource(IMAGE, QUrl(name)))
    style = QTextDocument.ResourceType.StyleSheetResource.value
    assert is_a_dot(reader.browser.loadResource(style, QUrl("../images/agent-en-1440.png")))


MAGENTA = QColor("#ff00ff")
IMAGE = QTextDocument.ResourceType.ImageResource.value


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
