"""The keys of the main window: what they do, the list of them, and the palette of commands."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.ui.base.actions.commands import Commands
from app.ui.base.keys.key_filter import ANYWHERE, KeyFilter
from app.ui.base.keys.keymap import Keymap
from app.ui.program.command_palette import CommandPalette
from app.ui.program.keys_overlay import KeysOverlay


class WindowKeys(QObject):
    """`focus_page` gives the keys to the page on screen, `leave_field` also takes back a prompt.

    `page` names the page of the session on screen; empty: there is none.
    """

    def __init__(
        self,
        window: QWidget,
        commands: Commands,
        keymap: Keymap,
        focus_page: Callable[[], None],
        leave_field: Callable[[], None],
        page: Callable[[], str],
    ) -> None:
        super().__init__(window)
        self._commands, self._page = commands, page
        self.overlay = KeysOverlay(keymap, window)
        self.palette = CommandPalette(commands, keymap, window, self.is_available)
        self.palette.closed.connect(focus_page)
        self.filter = KeyFilter(commands, keymap, window, leave_field, self.is_available)

    def is_available(self, name: str) -> bool:
        """Whether the page on screen offers this command."""
        if name in ANYWHERE or self._commands.is_overridden(name):
            return True
        page = self._page()
        return page == "judging_page" or (page == "history_page" and name in ("undo", "redo"))
