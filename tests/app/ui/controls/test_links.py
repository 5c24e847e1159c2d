"""Web pages about the object; a button that cannot open one says why."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices

from app.ui.controls import links


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


def test_a_simulated_spectrum_has_no_pages_and_says_so(qtbot, panel, context, opened):
    assert context.current.spectrum.simulated
    for each in panel.links.pages.values():
        assert not each.isEnabled()
        assert "simulated" in each.toolTip()
    with qtbot.waitSignal(context.current.message) as signal:
        context.commands.run("open_simbad")
    assert "simulated" in signal.args[0]
    assert opened[0] == []


def test_buttons_open_pages(qtbot, panel, context, opened):
    make_real(context)
    candidate = context.current.candidate
    qtbot.mouseClick(panel.links.pages["open_simbad"], Qt.MouseButton.LeftButton)
    assert f"{candidate.ra:.6f}%20" in opened[0][0]
    context.commands.run("open_lamost")
    assert opened[0][1].endswith("?obsid=7%26x%3D1")


def test_without_a_browser_the_address_is_told(qtbot, panel, context, opened):
    make_real(context)
    opened[1].works = False
    with qtbot.waitSignal(context.current.message) as signal:
        context.commands.run("open_aladin")
    assert "https://aladin" in signal.args[0]


def test_picture_and_numbers_are_the_plots(qtbot, panel, context):
    ran = []
    context.commands.add("snapshot", lambda: ran.append("snapshot"))
    context.commands.add("copy_range", lambda: ran.append("copy_range"))
    qtbot.mouseClick(panel.links.picture, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(panel.links.copy, Qt.MouseButton.LeftButton)
    assert ran == ["snapshot", "copy_range"]
    assert "Ctrl+S" in panel.links.picture.text()


def test_without_a_candidate_nothing_opens(qtbot, context, opened):
    made = links.Links(context)
    qtbot.addWidget(made)
    assert not made.pages["open_sdss"].isEnabled()
    assert "No object" in made.pages["open_sdss"].toolTip()
