"""The share of the screen that the axes and the diagnostic windows have, window maximised."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.base.apply_theme import ThemeApplier
from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.verdict.flag_row import FLAGS
from app.ui.program.main_window import MainWindow
from tests.app.ui.candidates import sample_file
from tests.bench.measuring import told_by
from tests.processes import wait_until

SIZES = ((1280, 720), (1440, 900), (1920, 1080), (2560, 1440))
SCREENS = (*((*size, 1.0) for size in SIZES), (1920, 1080, 1.5))
TITLE_PX = 24
"""What the title of a maximised window takes."""
WAIT_S = 60.0


def figures() -> Iterator[dict[str, object]]:
    for width, height, scale in SCREENS:
        with tempfile.TemporaryDirectory() as folder:
            own = dict.fromkeys(("SPEC_O3_CONFIG", "XDG_DATA_HOME"), folder)
            environment = {**os.environ, **own, "QT_QPA_PLATFORM": "offscreen"}
            words = (str(round(width / scale)), str(round(height / scale)), folder)
            command = ("-m", "tests.bench.bench_window_area", *words)
            found = told_by(*command, environment=environment)
        yield {"screen": f"{width}x{height} at {scale:.0%}", **found}


def measure(width: int, height: int, folder: Path) -> dict[str, float | str]:
    """Percent of a screen of so many logical pixels; the window has all but its title."""
    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    GarbageTimer(application)  # as the program does
    settings, theme = SettingsStore(), CurrentTheme()
    settings.change(reviewer="Ada", told=("name", "tour"))
    applier = ThemeApplier(application, theme, settings)
    window = MainWindow(settings, theme)
    window.resize(width, height - TITLE_PX)
    window.show()
    window.opening.open_session(sample_file(folder))
    wait_until(
        lambda: window.view is not None and window.view.context.current.is_painted, WAIT_S,
        partial(QTest.qWait, 20)
    )  # fmt: skip
    QTest.qWait(200)
    usual = shares(window, width * height)
    for flag in list(FLAGS)[:3]:
        window.view.context.current.toggle_flag(flag)
    QTest.qWait(200)
    flagged = shares(window, width * height)
    window.close()
    applier.deleteLater()
    return usual | {f"{name}_with_three_flags": value for name, value in flagged.items()}


def shares(window: MainWindow, screen: int) -> dict[str, float | str]:
    """Percent of so many pixels that the axes have, and the axes with the diagnostic windows."""
    assert window.view is not None
    judging = window.view.judging
    stage = judging.plot.plot.stage.geometry()
    axes = stage.width() * stage.height()
    windows = sum(cell.width() * cell.height() for cell in judging.docks["windows"].part.cells)
    return {
        "axes_percent": 100.0 * axes / screen,
        "with_windows_percent": 100.0 * (axes + windows) / screen,
        "axes_px": f"{stage.width():.0f}x{stage.height():.0f}",
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))))
