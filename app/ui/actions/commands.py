"""What the window can do, by name: keys, buttons, menus and the palette all run the same thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal

from app.ui.actions.actions import ACTIONS


class Commands(QObject):
    """Which part of the window answers to which action of `actions.ACTIONS`."""

    ran = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls: dict[str, Callable[[], object]] = {}
        self._ends: dict[str, Callable[[], object]] = {}
        self._lent: dict[str, Callable[[], object]] = {}

    def add(
        self, name: str, call: Callable[[], object], end: Callable[[], object] | None = None
    ) -> None:
        """`end` is for what lasts while a key is held."""
        if name not in ACTIONS:
            raise KeyError(f"no action is called {name!r}")
        self._calls[name] = call
        if end is not None:
            self._ends[name] = end

    def lend(self, calls: Mapping[str, Callable[[], object]]) -> None:
        """A page that is on screen answers to these itself; without any it no longer does."""
        self._lent = dict(calls)

    def is_lent(self, name: str) -> bool:
        return name in self._lent

    def can(self, name: str) -> bool:
        return name in self._calls

    def is_held(self, name: str) -> bool:
        """Whether it lasts until `let_go`."""
        return name in self._ends

    def run(self, name: str) -> None:
        call = self._lent.get(name, self._calls.get(name))
        if call is not None:
            call()
            self.ran.emit(name)

    def let_go(self, name: str) -> None:
        end = self._ends.get(name)
        if end is not None:
            end()

    def forget(self) -> None:
        """All of them: the parts that answered are about to go."""
        self._calls.clear()
        self._ends.clear()
        self._lent.clear()
