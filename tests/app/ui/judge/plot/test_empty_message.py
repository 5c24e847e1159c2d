"""The message in the plot while there is no spectrum."""

import shutil

import pytest

from agent.tasks.catalogue import find_task
from app.core.importing.importer import import_list
from app.core.session.session import new_session
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.conftest import opened_context
from tests.app.ui.judge.plot.conftest import on_to
from tests.app.ui.steps import click, shown_in


@pytest.fixture
def three(tmp_path):
    """A session of three files, the second of which is missing."""
    folder = tmp_path / "spectra"
    folder.mkdir()
    found = sorted((SAMPLE / "spectra").rglob("spec-*.fits.gz"))[:3]
    for number, path in enumerate(found, 1):
        shutil.copy(path, folder / f"{number}.fits.gz")
    rows = "".join(f"{number}.fits.gz,object {number}\n" for number in (1, 2, 3))
    (tmp_path / "three.csv").write_text("file,object_id\n" + rows)
    with new_session(tmp_path / "three.speco3", find_task("CV"), "Ada") as session:
        import_list(session, tmp_path / "three.csv", spectra=folder)
        (folder / "2.fits.gz").rename(folder / "lost")
        with opened_context(session) as context:
            yield context, folder


def test_a_broken_spectrum_says_why_and_is_skipped_or_read_again(qtbot, three):
    context, folder = three
    panel = shown_in(qtbot, SpectrumPanel(context))
    on_to(qtbot, context, 1)
    context.current.next()
    qtbot.waitUntil(panel.empty_message.retry_button.isVisible)
    assert "2.fits.gz" in panel.empty_message.reason.text() and not context.current.is_painted
    assert panel.empty_message.next_button.text() == "Next object (N)"
    context.keymap.rebind("next", ["J"])
    assert panel.empty_message.next_button.text() == "Next object (J)"
    context.keymap.rebind("next", [])
    assert panel.empty_message.next_button.text() == "Next object"
    click(qtbot, panel.empty_message.next_button)
    qtbot.waitUntil(lambda: context.current.candidate.id == 3 and context.current.is_painted)
    assert not panel.empty_message.isVisible()
    context.current.go_to(2)
    qtbot.waitUntil(panel.empty_message.retry_button.isVisible)
    (folder / "lost").rename(folder / "2.fits.gz")
    click(qtbot, panel.empty_message.retry_button)
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert context.current.candidate.id == 2 and not panel.empty_message.isVisible()


def test_an_empty_list_is_said_in_words(qtbot, context):
    panel = SpectrumPanel(context)
    qtbot.addWidget(panel)
    context.current._show(None)
    assert not panel.empty_message.isHidden() and "empty" in panel.empty_message.reason.text()
