"""The guide and the About dialog, which are imported when they are first opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.ui.base.actions.commands import Commands
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.languages import language_of
from app.ui.program.help.pages import ABOUT, add_help_key

if TYPE_CHECKING:
    from app.ui.program.help.about_dialog import AboutDialog
    from app.ui.program.help.guide_reader import GuideReader


class HelpWindows(QObject):
    def __init__(
        self,
        window: QWidget,
        language: str,
        commands: Commands,
        current_theme: CurrentTheme,
        runner: Runner,
        default_page: Callable[[], str],
    ) -> None:
        super().__init__(window)
        self._window, self._commands, self._runner = window, commands, runner
        self._current_theme, self._default_page = current_theme, default_page
        self._language = language_of(language)  # until the window is closed
        self.guide: GuideReader | None = None
        self.about: AboutDialog | None = None

    def show_guide(self, page: str = "") -> None:
        """Open the guide at this page, by default at one about what is on screen."""
        from app.ui.program.help.guide_reader import GuideReader  # slow to import

        if self.guide is None:
            self.guide = GuideReader(self._language, self._current_theme)
        self.guide.open_at(page or self._default_page())

    def show_about(self) -> None:
        from app.ui.program.help.about_dialog import AboutDialog

        if self.about is None:
            self.about = AboutDialog(self._commands, self._runner, self._window)
            add_help_key(self.about, ABOUT, self.show_guide)
        self.about.show_models()

    def close(self) -> None:
        if self.guide is not None:
            self.guide.close()
            self.guide.deleteLater()
            self.guide = None
