"""The guide: its pages in their order, links, search, and F1 from everywhere."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest

from app.ui.base.actions.actions import ACTIONS
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.program.help import pages
from app.ui.program.help.pages import (
    ABOUT,
    BY_PAGE,
    EXPORT,
    FIRST,
    MODELS,
    anchor_of,
    guide,
    help_page_for,
    page_at,
)
from tests.app.ui.steps import activated
from tests.app.ui.whole_window import CTRL, before_window

Key = Qt.Key
SAMPLE = Path(__file__).resolve().parents[5] / "resources" / "sample" / "candidates.csv"


def test_links_go_to_pages_headings_and_texts_and_the_web_to_the_browser(
    qtbot, reader, monkeypatch
):
    reader.follow(QUrl("vetting.md#blind-mode"))
    assert reader.page.name == "vetting"
    bar = reader.browser.verticalScrollBar()
    assert bar.value() > 200
    reader.follow(QUrl("#every-key"))
    assert reader.page.name == "vetting"
    reader.back.click()
    assert reader.page.name == "vetting"
    QTest.keyClick(reader, Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert reader.page.name == "README" and not reader.back.isEnabled()
    reader.open_at("new-class")
    reader.follow(QUrl("../../tasks/README.md"))
    assert reader.page.title == "Tasks" and reader.list.currentRow() == -1
    reader.list.setCurrentRow(0)
    assert reader.page.name == "README"
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    reader.follow(QUrl("https://pytorch.org"))
    refused_ones = ("javascript:alert(1)", "/etc/passwd", "../../../README.md")
    for refused in ("file:///etc/passwd", *refused_ones):
        reader.follow(QUrl(refused))
    assert opened == [QUrl("https://pytorch.org")] and reader.page.name == "README"


def test_words_are_found_and_esc_leaves_the_search_and_then_the_guide(qtbot, reader):
    reader.open_at("calibration")
    QTest.keyClick(reader, Key.Key_F, CTRL)
    assert reader.search.hasFocus()
    QTest.keyClicks(reader.search, "kappa")
    count = len(reader.browser.matches)
    assert count >= 2 and reader.match_count.text() == f"1 of {count}"
    QTest.keyClick(reader.search, Key.Key_Return)
    assert reader.match_count.text() == f"2 of {count}"
    QTest.keyClick(reader.search, Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert reader.match_count.text() == f"1 of {count}"
    marks = reader.browser.extraSelections()
    assert len(marks) == count
    items = [reader.list.item(row) for row in range(reader.list.count())]
    titles = {item.text(): item.font().bold() for item in items}
    assert titles["Agreement and calibration"] and not titles["Lists and spectra"]
    reader.search.setText("no such words")
    assert reader.match_count.text() == "not on this page"
    reader.search.clear()
    QTest.keyClicks(reader.search, "vLLM")
    QTest.keyClick(reader.search, Key.Key_Escape)
    assert reader.search.text() == "" and reader.isVisible()
    QTest.keyClick(reader.browser, Key.Key_Escape)
    assert not reader.isVisible()


# In the window


def press_help(person):
    person.press(Key.Key_F1)
    guide_window = person.window.help.guide
    assert guide_window is not None and guide_window.isVisible()
    name = guide_window.page.name
    person.wait(guide_window.isActiveWindow)
    QTest.keyClick(guide_window.browser, Key.Key_F1)
    assert not guide_window.isVisible()
    activated(person.qtbot, person.window)
    return name


def test_f1_opens_the_page_that_fits(person):
    assert press_help(person) == "vetting"
    for key, page in ((Key.Key_2, "teams"), (Key.Key_3, "calibration"), (Key.Key_1, "vetting")):
        person.press(key, CTRL)
        assert press_help(person) == page
    assert person.log() == []
    agent = person.view.judging.docks["agent"].part
    QTest.mouseMove(agent, QPoint(4, 60))  # the screen is 800 wide
    assert press_help(person) == "agent"
    person.press("e", CTRL)
    dialog = person.view.dialogs.export
    person.wait(dialog.isActiveWindow)
    QTest.keyClick(dialog, Key.Key_F1)
    assert person.window.help.guide.page.name == "export"
    person.wait(person.window.help.guide.isActiveWindow)
    person.window.commands.run("settings")
    settings = person.window.settings_dialog
    settings.open_page(settings.agent)
    person.wait(settings.isActiveWindow)
    settings.agent.workers.setFocus()
    QTest.keyClick(settings.agent.workers, Key.Key_F1)
    assert person.window.help.guide.page.name == "models"
    for each in (person.window.help.guide, dialog, settings):
        each.close()
    person.window.opening.import_lists([SAMPLE])
    person.wait(lambda: person.window.view is None)
    assert press_help(person) == "formats"


def test_f1_on_the_first_page_in_the_language_of_the_window_and_with_it(qtbot):
    settings = SettingsStore()
    settings.change(language="zh")
    with before_window(qtbot, None, settings) as person:
        assert press_help(person) == "README" and person.window.help.guide.page.title == "指南"
        person.press(Key.Key_F1)
        guide_window = person.window.help.guide
        assert guide_window.isVisible()
        person.window.close()
        assert not guide_window.isVisible()


def test_pages_of_every_language_place_and_heading():
    for language in ["en", "zh"]:
        found = guide(language)
        assert found[0].name == FIRST and len({page.name for page in found}) == len(found) > 8
    assert guide("xx") == guide("en")
    beside = pages.help_folder().parent
    assert page_at(beside / "tasks" / "README.md").title == "Tasks"
    assert page_at(beside / ".." / "README.md") is None
    assert page_at(beside / "sample" / "candidates.csv") is None
    assert page_at(beside / "nothing.md") is None
    for heading, anchor in [
        ("Blind mode", "blind-mode"),
        ("Through a server: vLLM and others", "through-a-server-vllm-and-others"),
        ("通过服务器：vLLM 等", "通过服务器vllm-等"),
    ]:
        assert anchor_of(heading) == anchor
    names = {page.name for page in guide("en")}
    assert set(BY_PAGE) <= set(ACTIONS)
    reached = {help_page_for(each) for each in ("", *BY_PAGE)}
    reached |= {help_page_for("judging_page", in_agent=True), help_page_for("", is_importing=True)}
    assert len(reached) == 7 and reached | {ABOUT, EXPORT, MODELS} <= names


def test_a_program_without_its_guide_has_no_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "help_folder", lambda: tmp_path)
    assert guide("en") == ()


def test_a_page_that_is_listed_and_not_there_is_left_out(tmp_path, monkeypatch):
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "README.md").write_text("# First\n\n[gone](gone.md) [there](there.md)\n")
    (tmp_path / "en" / "there.md").write_text("no heading")
    monkeypatch.setattr(pages, "help_folder", lambda: tmp_path)
    assert [page.title for page in guide("en")] == ["First", "there"]
