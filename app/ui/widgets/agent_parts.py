"""Small pieces that the parts of the agent panel share."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from agent.protocol.reply import Verdict
from agent.trajectory.trajectory import Trajectory

MOST_OF_A_NAME = 26


def label(role: str = "") -> QLabel:
    """Plain text."""
    made = QLabel()
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("role", role)
    return made


def row(*parts: QWidget | tuple[QWidget, int] | None, spacing: int = 8) -> QHBoxLayout:
    """Side by side; a pair says how it stretches, None is empty room."""
    made = QHBoxLayout()
    made.setContentsMargins(0, 0, 0, 0)
    made.setSpacing(spacing)
    for part in parts:
        if part is None:
            made.addStretch(1)
        elif isinstance(part, tuple):
            made.addWidget(*part)
        else:
            made.addWidget(part)
    return made


def colour_verdict(shown: QLabel, verdict: Verdict | None) -> None:
    """As the theme colours a YES and a NO."""
    role = {"YES": "accept", "NO": "reject"}.get(verdict or "", "title")
    if shown.property("role") != role:
        shown.setProperty("role", role)
        shown.style().polish(shown)


def short_name(name: str) -> str:
    """The end of a long path or address tells more than its beginning."""
    return name if len(name) <= MOST_OF_A_NAME else "…" + name[-MOST_OF_A_NAME:]


def record_names(records: Sequence[Trajectory]) -> list[str]:
    """By model; with the beginning of its hash, or a number, where two have one name."""
    names = [short_name(each.model.name) for each in records]
    for place, each in enumerate(records):
        if names.count(short_name(each.model.name)) > 1:
            names[place] = f"{names[place]} · {each.model.sha256[:6]}"
    return [
        name if name not in names[:place] else f"{name} ({names[:place].count(name) + 1})"
        for place, name in enumerate(names)
    ]
