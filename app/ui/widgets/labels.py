"""Small pieces that the sections share."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QWidget


def words(text: str, role: str = "") -> QLabel:
    """Plain text that wraps."""
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setText(text)
    if role:
        label.setProperty("role", role)
    return label


def name(text: str, role: str = "") -> QLabel:
    """Plain text of one line."""
    label = words(text, role)
    label.setWordWrap(False)
    return label


def button(text: str, role: str = "quiet") -> QPushButton:
    """It leaves the focus with the plot."""
    made = QPushButton(text)
    made.setProperty("role", role)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.setAccessibleName(text)
    return made


def check(text: str) -> QCheckBox:
    made = QCheckBox(text)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.setAccessibleName(text)
    return made


def row(*parts: QWidget | int, spacing: int = 8) -> QHBoxLayout:
    """Side by side; a number is empty room that stretches by so much."""
    layout = QHBoxLayout()
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
        else:
            layout.addWidget(part)
    return layout


def with_key(text: str, key: str) -> str:
    """What a button says, and its key; a bare & would be taken for a mark of a shortcut."""
    text = text.replace("&", "&&")
    return f"{text}  {key.replace('&', '&&')}" if key else text
