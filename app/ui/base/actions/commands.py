"""Dispatches actions by name, so keys, buttons, menus and the palette all run the same code."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from app.ui.base.actions.actions import ACTIONS


class KeyTaker(Protocol):
    """Something on screen that takes some keys before any action does."""

    def wants(self, keys: Sequence[str]) -> bool: ...
    def take(self, keys: Sequence[str]) -> None: ...
    def leave(self, name: str) -> None:
        """Another key is about to run the action `name`, or none."""


class Commands(QObject):
    """Registry of the callables behind `actions.ACTIONS`."""

    ran = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls: dict[str, Callable[[], object]] = {}
        self._ends: dict[str, Callable[[], object]] = {}
        self._overrides: dict[str, Callable[[], object]] = {}
        self.key_taker: KeyTaker | None = None
        self.may_run: Callable[[str], bool] = lambda name: True
        """Asked before each action; it says why where it refuses one."""

    def add(
        self, name: str, call: Callable[[], object], end: Callable[[], object] | None = None
    ) -> None:
        """Register `call`; `end` runs on release of the key, for actions that last while held."""
        if name not in ACTIONS:
            raise KeyError(f"unknown action {name!r}")
        self._calls[name] = call
        if end is not None:
            self._ends[name] = end

    def override(self, calls: Mapping[str, Callable[[], object]]) -> None:
        """Let the visible page handle these actions; an empty mapping removes all overrides."""
        self._overrides = dict(calls)

    def is_overridden(self, name: str) -> bool:
        return name in self._overrides

    def can(self, name: str) -> bool:
        return name in self._calls

    def has_end(self, name: str) -> bool:
        """Whether the action lasts until `release`."""
        return name in self._ends

    def run(self, name: str) -> None:
        call = self._overrides.get(name, self._calls.get(name))
        if call is not None and self.may_run(name):
            call()
            self.ran.emit(name)

    def release(self, name: str) -> None:
        if (end := self._ends.get(name)) is not None:
            end()

    def clear(self) -> None:
        """Remove all handlers, because the widgets behind them are about to be deleted."""
        self._calls.clear()
        self._ends.clear()
        self._overrides.clear()
        self.key_taker = None
        self.may_run = lambda name: True
