"""The first start: an optional question for the name, and the way to the sample."""

import pytest
from PySide6.QtCore import Qt

from app.ui.base.settings.settings_store import SettingsStore
from app.ui.start.importing import ready_made_sessions
from app.ui.start.welcome_page import WelcomePage
from tests.app.ui.candidates import sample_file
from tests.app.ui.steps import click, shown_in
from tests.app.ui.whole_window import CTRL, before_window

Key = Qt.Key


@pytest.fixture(autouse=True)
def nobody_told(monkeypatch):
    monkeypatch.delenv("SPEC_O3_REVIEWER", raising=False)
    monkeypatch.setattr("app.ui.base.settings.settings.system_user_name", lambda fallback: "ada42")


@pytest.fixture
def settings():
    return SettingsStore()


@pytest.fixture
def page(qtbot, tools, settings):
    page = shown_in(qtbot, WelcomePage(settings, tools.current_theme, tools.runner))
    qtbot.waitUntil(page.name_prompt.field.hasFocus)
    return page


def test_a_name_and_the_sample_with_two_keys(qtbot, page, settings):
    assert page.name_prompt.isVisible() and not page.reviewer.isVisible()
    assert page.name_prompt.field.text() == "ada42"
    qtbot.keyClicks(page.name_prompt.field, "Ada  Lovelace")  # replaces the proposed name
    qtbot.keyClick(page.name_prompt.field, Key.Key_Return)
    assert (settings.settings.reviewer, settings.settings.told) == ("Ada Lovelace", ("name",))
    assert not page.name_prompt.isVisible()
    assert page.reviewer.isVisible() and page.reviewer.name.text() == "Ada Lovelace"
    with qtbot.waitSignal(page.sample_requested):
        qtbot.keyClick(page.focusWidget(), Key.Key_Return)


def test_the_button_does_the_same(qtbot, page, settings):
    click(qtbot, page.name_prompt.keep_button)
    assert settings.settings.reviewer == "ada42"


def test_escape_puts_it_off_for_good(qtbot, page, tools, settings):
    qtbot.keyClick(page.name_prompt.field, Key.Key_Escape)
    assert not page.name_prompt.isVisible()
    assert (settings.settings.reviewer, settings.settings.told) == ("", ("name",))
    again = shown_in(qtbot, WelcomePage(settings, tools.current_theme, tools.runner))
    assert not again.name_prompt.isVisible()


def test_who_is_known_is_not_asked(qtbot, tools, monkeypatch):
    monkeypatch.setenv("SPEC_O3_REVIEWER", "Grace")
    told = WelcomePage(SettingsStore(), tools.current_theme, tools.runner)
    chosen = WelcomePage(*tools.all)
    for page in (told, chosen):
        shown_in(qtbot, page)
        assert not page.name_prompt.isVisible() and page.reviewer.isVisible()


def test_an_empty_name_is_none_and_the_tour_is_offered_until_it_was_taken(page, settings, qtbot):
    assert "tour" in page.sample_button.accessibleDescription()
    settings.change(told=("tour",))
    assert "tour" not in page.sample_button.accessibleDescription()
    assert "60 simulated" in page.sample_button.accessibleDescription()
    page.name_prompt.field.clear()
    qtbot.keyClick(page.name_prompt.field, Key.Key_Return)
    assert settings.settings.reviewer == "" and page.reviewer.name.text() == "ada42"


@pytest.fixture
def newcomer(qtbot, monkeypatch, tmp_path):
    """A user in front of the window at the very first start."""
    monkeypatch.setattr(ready_made_sessions, "user_data_path", lambda *_, **__: tmp_path)
    settings = SettingsStore()
    settings.change(reviewer="not yet")
    with before_window(qtbot, None, settings) as person:
        settings.change(reviewer="")
        person.window.opening.show_welcome()
        prompt = person.window.opening.welcome.name_prompt
        prompt.field.setText("ada42")
        prompt.field.setFocus()
        person.wait(prompt.field.hasFocus)
        person.wait(lambda: prompt._was_shown)
        yield person


def test_keys_of_the_window_work_while_it_asks_and_escape_ends_it(newcomer):
    newcomer.press("k", CTRL)
    newcomer.wait(newcomer.window.keys.palette.isVisible)
    newcomer.press(Key.Key_Escape)
    assert newcomer.window.opening.welcome.name_prompt.isVisible()
    newcomer.press(Key.Key_Escape)
    assert not newcomer.window.opening.welcome.name_prompt.isVisible()
    assert newcomer.window.settings.settings.told == ("name",)


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Escape])
def test_the_demo_asks_before_it_opens_the_sample(newcomer, key):
    opening = newcomer.window.opening
    opening.begin_with_sample("sample_real")
    assert newcomer.window.view is None and opening.welcome.name_prompt.field.hasFocus()
    newcomer.press(key)
    newcomer.wait(lambda: newcomer.window.view is not None and newcomer.current.is_painted)
    assert newcomer.session.reviewer == "ada42" and newcomer.session.count() == 40


def test_the_demo_opens_what_is_chosen_instead(newcomer, tmp_path):
    newcomer.window.opening.begin_with_sample("sample")
    location = sample_file(tmp_path, 3)
    newcomer.window.opening.open_session(location)
    newcomer.wait(lambda: newcomer.window.view is not None and newcomer.current.is_painted)
    assert newcomer.session.location == location


def test_the_demo_opens_at_once_for_who_is_known(newcomer):
    newcomer.press(Key.Key_Return)
    newcomer.window.opening.begin_with_sample("sample")
    newcomer.wait(lambda: newcomer.window.view is not None and newcomer.current.is_painted)


@pytest.mark.parametrize(("typed", "name"), [("", ""), ("Ada", "Ada")])
def test_who_goes_on_without_an_answer(newcomer, typed, name):
    """The user is not asked again, and what was typed is kept."""
    settings = newcomer.window.settings
    if typed:
        newcomer.press("a", CTRL)
        newcomer.type(typed)
    click(newcomer.qtbot, newcomer.window.opening.welcome.sample_button)
    newcomer.wait(lambda: newcomer.window.view is not None and newcomer.current.is_painted)
    assert settings.settings.reviewer == name and newcomer.session.reviewer == (name or "ada42")
    assert "name" in settings.settings.told
