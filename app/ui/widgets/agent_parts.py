"""Small helpers shared by the parts of the agent panel."""

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel

from agent.protocol.reply import Verdict
from agent.trajectory.trajectory import Trajectory

MAX_NAME = 26


def colour_verdict(label: QLabel, verdict: Verdict | None) -> None:
    """Colour a label as the theme colours YES and NO."""
    role = {"YES": "accept", "NO": "reject"}.get(verdict or "", "title")
    if label.property("role") != role:
        label.setProperty("role", role)
        label.style().polish(label)


def short_name(name: str) -> str:
    """Shorten a long name from the left: the end of a path or address tells more."""
    return name if len(name) <= MAX_NAME else "…" + name[-MAX_NAME:]


def record_names(records: Sequence[Trajectory]) -> list[str]:
    """Names by model, made unique with the start of the hash, or else a number."""
    names = [short_name(each.model.name) for each in records]
    for index, each in enumerate(records):
        if names.count(short_name(each.model.name)) > 1:
            names[index] = f"{names[index]} · {each.model.sha256[:6]}"
    return [
        name if name not in names[:index] else f"{name} ({names[:index].count(name) + 1})"
        for index, name in enumerate(names)
    ]
