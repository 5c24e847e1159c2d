"""Web pages about the object; a button that cannot open one says why."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QDesktopServices

from app.ui.controls import links
from tests.app.ui.steps import click, said


@pytest.fixture
def opened(monkeypatch):
    urls = []

    class Browser:
        works = True

        @staticmethod
        def openUrl(url):
            urls.append(url.toString(url.ComponentFormattingOption.FullyEncoded))
            return Browser.works

    monkeypatch.setattr(links, "QDesktopServices", Browser)
    assert QDesktopServices is not Browser
    return urls, Browser


def make_real(context):
    """Replace the current spectrum as if it were from a telescope."""
    current = context.current
    current.spectrum = replace(current.spectrum, simulated=False, meta={"OBSID": "7&x=1"})
    current.spectrum_changed.emit(current.spectrum)


def test_pages_open_where_there_are_some_and_say_why_not(qtbot, panel, context, opened):
    assert context.current.spectrum.simulated
    for each in panel.links.pages.values():
        assert not each.isEnabled() and "simulated" in each.toolTip()
    assert "simulated" in said(qtbot, context, "open_simbad") and opened[0] == []
    make_real(context)
    candidate = context.current.candidate
    click(qtbot, panel.links.pages["open_simbad"])
    assert f"{candidate.ra:.6f}%20" in opened[0][0]
    context.commands.run("open_lamost")
    assert opened[0][1].endswith("?obsid=7%26x%3D1")
    make_real(context)
    opened[1].works = False
    assert "https://aladin" in said(qtbot, context, "open_aladin")
    ran = []
    context.commands.add("snapshot", lambda: ran.append("snapshot"))
    context.commands.add("copy_range", lambda: ran.append("copy_range"))
    click(qtbot, panel.links.picture)
    click(qtbot, panel.links.copy)
    assert ran == ["snapshot", "copy_range"] and "Ctrl+S" in panel.links.picture.text()


def test_without_a_candidate_nothing_opens(qtbot, context, opened):
    made = links.Links(context)
    qtbot.addWidget(made)
    assert not made.pages["open_sdss"].isEnabled()
    assert "No object" in made.pages["open_sdss"].toolTip()
