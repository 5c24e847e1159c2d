"""The page on screen: pictures from the guide alone, search and themes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor, QTextDocument
from PySide6.QtTest import QTest

from app.ui.help.guide_reader import GuideReader
from app.ui.help.pages import guide
from app.ui.theme.theme import DARK


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
        assert reader.page == page
        assert reader.list.currentItem().text() == page.title
        assert reader.browser.toPlainText().startswith(page.title)
        assert all(picture is not None for _, picture in pictures(reader))
        qtbot.waitUntil(lambda: not reader.browser._resize_timer.isActive())
        assert reader.browser.horizontalScrollBar().maximum() == 0, page.name
        assert reader.browser.verticalScrollBar().value() == 0
    reader.close()


@pytest.mark.parametrize(
    "name",
    [
        "http://example.org/a.png",
        "https://example.org/a.png",
        "file:///usr/share/pixmaps/a.png",
        "//example.org/a.png",
        "../../../README.md",
        "../../icons/dark/check.svg",
        "../images/none.png",
    ],
)
def test_nothing_from_elsewhere_is_loaded(reader, name):
    assert reader.browser.loadResource(IMAGE, QUrl(name)) is None
    style = QTextDocument.ResourceType.StyleSheetResource.value
    assert reader.browser.loadResource(style, QUrl("../images/agent-en-1440.png")) is None


def test_it_follows_the_theme_and_stays_where_it_was(qtbot, reader, current_theme):
    reader.open_at("vetting")
    bar = reader.browser.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    current_theme.use(DARK)
    assert bar.value() == pytest.approx(bar.maximum() // 2, abs=4)
    letters = reader.browser.document().begin().begin().fragment().charFormat()
    assert letters.foreground().color() == QColor(DARK.text)


def test_a_click_on_a_link_is_followed(qtbot, reader):
    reader.open_at("what-it-is")
    cursor = reader.browser.document().find("agreement")
    cursor.setPosition(cursor.selectionStart() + 4)
    reader.browser.setTextCursor(cursor)
    reader.browser.ensureCursorVisible()
    spot = reader.browser.cursorRect(cursor).center()
    QTest.mouseClick(reader.browser.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert reader.page.name == "calibration"


IMAGE = QTextDocument.ResourceType.ImageResource.value
