"""Factories for the labels, buttons and rows that panels share."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QWidget

from agent.ellipsis import shortened

MAX_NAME, MAX_REASON, MAX_SHOWN, MAX_DETAILS = 200, 1000, 4000, 20_000
"""Characters; Qt lays out the whole of a text, which takes minutes for one without an end."""
NARROW_PX = 40


def cut(text: str, most: int = MAX_SHOWN) -> str:
    """A text of any length, short enough to be shown."""
    return shortened(text, most)


def one_line(text: str, most: int = MAX_NAME) -> str:
    """A name of any length and shape, short enough for a title."""
    return cut(" ".join(text[: 2 * most].split()), most)


def narrow(label: QLabel) -> QLabel:
    """Let a label be narrower than its longest word, which may be that of a path or a stranger."""
    label.setMinimumWidth(NARROW_PX)
    return label


def wrapped_label(text: str, role: str = "") -> QLabel:
    """A label for plain text that wraps."""
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setText(text)
    if role:
        label.setProperty("role", role)
    return label


def short_label(text: str, role: str = "") -> QLabel:
    """A label for one line of plain text."""
    label = wrapped_label(text, role)
    label.setWordWrap(False)
    return label


def button(text: str, role: str = "quiet") -> QPushButton:
    """A button that never takes the focus from the plot."""
    made = QPushButton(text)
    made.setProperty("role", role)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.setAccessibleName(text)
    return made


def check_box(text: str) -> QCheckBox:
    made = QCheckBox(text)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.setAccessibleName(text)
    return made


def row(*parts: QWidget | tuple[QWidget, int] | int, spacing: int = 8) -> QHBoxLayout:
    """Widgets side by side; a pair has a stretch, a number is empty space with that stretch."""
    layout = QHBoxLayout()
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
        elif isinstance(part, tuple):
            layout.addWidget(*part)
        else:
            layout.addWidget(part)
    return layout


def escape_mnemonics(text: str) -> str:
    """For buttons and menus, where Qt takes a single & for a mnemonic: names are shown whole."""
    return text.replace("&", "&&")


def with_key(text: str, key: str) -> str:
    """A button's text with its key."""
    return escape_mnemonics(f"{text}  {key}" if key else text)
