"""Open the window for a moment and report what it shows, for the self-test.

`python -m app.selftest.window_probe SESSION`
"""

import json
import sys
from pathlib import Path

from PySide6.QtCore import QTimer, qVersion
from PySide6.QtWidgets import QApplication

from app.ui.base.apply_theme import ThemeApplier
from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.program_icon import program_icon
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.languages import LANGUAGES, install_translators
from app.ui.program.main_window import MainWindow

POLL_MS = 20
TIMEOUT_MS = 100_000
MIN_COLOURS = 20  # a window with only anti-aliased text has about this many
STRIDE = 3
BLANK, NO_ICON, NO_TRANSLATION, LATE = 3, 4, 5, 6


def main() -> int:
    application = QApplication(sys.argv[:1])
    GarbageTimer(application)  # as the program does
    if any(len(install_translators(application, each)) < 2 for each in LANGUAGES if each != "en"):
        return _failed(NO_TRANSLATION, "a translation of the window is missing")
    if program_icon().pixmap(32, 32).toImage().pixelColor(16, 16).alpha() == 0:
        return _failed(NO_ICON, "the icon cannot be drawn: the SVG plugin of Qt is missing")
    settings, current_theme = SettingsStore(), CurrentTheme()
    theme_applier = ThemeApplier(application, current_theme, settings)
    window = MainWindow(settings, current_theme)
    window.show()
    window.opening.open_session(Path(sys.argv[1]))
    timer = QTimer(window, interval=POLL_MS)
    timer.timeout.connect(lambda: _is_shown(window) and application.exit(0))
    timer.start()
    QTimer.singleShot(TIMEOUT_MS, window, lambda: application.exit(LATE))
    status = application.exec()
    timer.stop()
    sys.stdout.write("shown\n")  # tests/bench measures the time until here
    sys.stdout.flush()
    result = _describe(window)
    window.close()
    theme_applier.deleteLater()
    if status:
        return _failed(LATE, "no spectrum was drawn in time")
    if int(result["colours"]) < MIN_COLOURS:
        return _failed(BLANK, f"the window is blank: {result['colours']} colours")
    sys.stdout.write(json.dumps(result) + "\n")
    return 0


def _is_shown(window: MainWindow) -> bool:
    return window.view is not None and window.view.context.current.is_painted


def _describe(window: MainWindow) -> dict[str, str | int]:
    picture = window.grab().toImage()
    width, height = picture.width(), picture.height()
    points = ((x, y) for x in range(0, width, STRIDE) for y in range(0, height, STRIDE))
    colours = {picture.pixel(x, y) for x, y in points}
    return {"qt": qVersion(), "width": width, "height": height, "colours": len(colours)}


def _failed(status: int, message: str) -> int:
    sys.stderr.write(message + "\n")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
