"""Menu entries that call a function."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.ui.widgets.labels import escape_mnemonics


def add_action(menu: QMenu, text: str, call: Callable[[], object]) -> QAction:
    """Add an entry; what Qt tells about its check mark is not passed on."""
    action = menu.addAction(escape_mnemonics(text))
    action.triggered.connect(partial(_call, call))
    return action


def add_check(menu: QMenu, text: str, is_on: bool, call: Callable[[bool], object]) -> QAction:
    """Add an entry with a check mark; `call` is told whether it is set."""
    action = menu.addAction(escape_mnemonics(text))
    action.setCheckable(True)
    action.setChecked(is_on)
    action.triggered.connect(partial(_call_checked, action, call))
    return action


def _call(call: Callable[[], object], *_: object) -> None:
    call()


def _call_checked(action: QAction, call: Callable[[bool], object], *_: object) -> None:
    # Qt gives a partial no argument, as it cannot see how many it takes.
    call(action.isChecked())
