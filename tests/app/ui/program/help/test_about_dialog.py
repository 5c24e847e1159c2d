"""The About dialog states what the program is not, and the training data of its inspectors."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from agent.models.registry import ModelLocation, list_models
from app.ui.base.actions.commands import Commands
from app.ui.base.background.runner import Runner
from app.ui.program.help import about_dialog
from app.ui.program.help.about_dialog import all_model_sources, model_sources, state_text
from tests.app.ui.steps import click
from tests.app.ui.whole_window import before_window

PUBLISHED = next(each for each in list_models() if each.card.name == "spec-o3-7b")


def trained(**changes) -> ModelLocation:
    return replace(PUBLISHED, card=replace(PUBLISHED.card, **changes), origin="bundled")


def texts_of(widget) -> str:
    return "\n".join(each.text() for each in widget.findChildren(QLabel))


@pytest.fixture
def dialog(qtbot):
    runner = Runner()
    made = about_dialog.AboutDialog(Commands(), runner)
    qtbot.addWidget(made)
    yield made
    runner.close()


@pytest.fixture
def in_a_download(tmp_path, monkeypatch):
    """Where a bundle, which holds the licences of its parts, was unpacked."""
    (tmp_path / "licences").mkdir()
    monkeypatch.setattr("sys.frozen", True, raising=False)
    monkeypatch.setattr("sys.executable", str(tmp_path / "spec-o3"))
    return tmp_path


def test_each_model_says_what_its_card_says(qtbot, dialog, monkeypatch):
    places = (
        trained(name="nano", trained_on="20,000 simulated candidates, seed 1", simulated_only=True),
        trained(name="silent", trained_on=""),
        trained(name="mine", trained_on="2,000 of my own <b>LAMOST</b> spectra"),
    )
    monkeypatch.setattr(about_dialog, "list_models", lambda on_fault: places)
    dialog.show_models()
    qtbot.waitUntil(lambda: dialog.inspectors.count() == 5)
    texts = texts_of(dialog)
    assert "20,000 simulated candidates, seed 1" in texts
    assert "The model card does not say what it was trained on." in texts
    assert "2,000 of my own <b>LAMOST</b> spectra" in texts
    assert texts.count("simulated spectra only") == 2  # the measured inspector's, too
    for place in range(5):
        for label in dialog.inspectors.itemAt(place).widget().findChildren(QLabel):
            assert label.textFormat() == Qt.TextFormat.PlainText


def test_what_it_is_not_and_each_model_once(dialog, qtbot):
    texts = texts_of(dialog)
    for words in ("to be trusted without checking", "says little about your survey", "Version"):
        assert words in texts
    assert "BSD 3-Clause" in texts_of(dialog)
    assert dialog.licences_button.isHidden()  # pip installed the parts, and their licences
    dialog.show_models()
    qtbot.waitUntil(lambda: "LAMOST low-resolution spectra" in texts_of(dialog))
    assert "not on this machine" in texts_of(dialog)
    dialog.show_models()
    qtbot.waitUntil(lambda: dialog.inspectors.count() > 1)
    count = dialog.inspectors.count()
    dialog.show_models()
    qtbot.waitUntil(lambda: dialog.inspectors.count() == count)


def test_a_download_opens_its_licences(qtbot, in_a_download, dialog, monkeypatch):
    opened = []
    monkeypatch.setattr(about_dialog.QDesktopServices, "openUrl", opened.append)
    dialog.show()
    click(qtbot, dialog.licences_button)
    assert [url.toLocalFile() for url in opened] == [str(in_a_download / "licences")]


def test_its_buttons_run_what_they_say(qtbot, monkeypatch):
    opened = []
    monkeypatch.setattr(
        "app.ui.base.crash_report.QDesktopServices.openUrl", lambda url: opened.append(url) or True
    )
    with before_window(qtbot, None) as person:
        link = person.window.opening.welcome.findChild(object, "about_link")
        click(qtbot, link)
        about = person.window.help.about
        assert about.isVisible() and not about.isModal()
        qtbot.waitUntil(lambda: about.inspectors.count() > 1)
        click(qtbot, about.buttons["crash_reports"])
        assert len(opened) == 1 and not about.isVisible()
        person.window.commands.run("about")
        assert about.isVisible()
        click(qtbot, about.close_button)
        assert not about.isVisible()


def test_models_speak_through_their_cards(tmp_path):
    first, *others = all_model_sources()
    assert (first.name, first.simulated_only, first.is_installed) == ("measured", True, True)
    assert others[0].name == "panel" and not others[0].simulated_only
    assert "spec-o3-7b" in [each.name for each in others]
    card = replace(PUBLISHED.card, trained_on="my <b>LAMOST</b> spectra", simulated_only=True)
    sources = model_sources(replace(PUBLISHED, card=card))
    assert sources.about == "my <b>LAMOST</b> spectra"
    assert state_text(sources) == "simulated spectra only"
    silent = model_sources(replace(PUBLISHED, card=replace(PUBLISHED.card, trained_on="")))
    assert silent.about == "The model card does not say what it was trained on."
    assert state_text(model_sources(replace(PUBLISHED, folder=None))) == "not on this machine"
