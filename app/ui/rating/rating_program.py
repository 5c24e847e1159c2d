"""The rating room as a program of its own: `spec-o3 rate`."""

from __future__ import annotations

import signal
import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from agent.ratings.desk import RatingDesk
from app.core.reviewer_name import settings_path
from app.ui.apply_theme import ThemeApplier
from app.ui.background.garbage_timer import GarbageTimer
from app.ui.background.runner import Runner
from app.ui.help.guide_reader import GuideReader
from app.ui.program_icon import program_icon
from app.ui.rating.rating_window import RatingWindow
from app.ui.settings.settings_store import SettingsStore
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.languages import install_translators, language_of
from app.ui.widgets.input_filter import InputFilter

SIGNAL_POLL_MS = 200


def start(desk: RatingDesk) -> int:
    """Show the room and wait until it is closed."""
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    GarbageTimer(application)  # before anything has a thread
    application.setWindowIcon(program_icon())
    settings, current_theme = SettingsStore(settings_path()), CurrentTheme()
    language = language_of(settings.settings.language)
    install_translators(application, language)
    theme_applier = ThemeApplier(application, current_theme, settings)
    runner = Runner()
    window = RatingWindow(desk, runner, current_theme)
    input_filter = InputFilter(window, {})
    guide = GuideReader(language, current_theme)
    window.help_requested.connect(guide.open_at)
    window.closed.connect(guide.close)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: QTimer.singleShot(0, window, window.close))
    # Python handles signals only between bytecodes, so Qt's loop must call some Python regularly.
    timer = QTimer(window, interval=SIGNAL_POLL_MS)
    timer.timeout.connect(lambda: None)
    timer.start()
    window.show()
    status = application.exec()
    timer.stop()
    runner.close()
    input_filter.close()
    settings.close()
    theme_applier.deleteLater()
    return status
