"""What the dialogs for sharing a list have in common: names in a line, and a form."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QFormLayout, QVBoxLayout, QWidget


def names_in(text: str) -> tuple[str, ...]:
    """The names between commas, Chinese ones too, with single spaces within."""
    names = text.replace("，", ",").replace("、", ",").split(",")
    return tuple(" ".join(name.split()) for name in names if name.strip())


def form_of(fields: Iterable[tuple[str, QWidget]]) -> QFormLayout:
    """A form of named fields, whose names are read aloud, too."""
    form = QFormLayout()
    form.setHorizontalSpacing(12)
    form.setVerticalSpacing(8)
    for name, field in fields:
        field.setAccessibleName(name)
        form.addRow(name, field)
    return form


def stacked() -> tuple[QWidget, QVBoxLayout]:
    """A widget with a layout for the parts of a dialog, without margins."""
    inner = QWidget()
    inside = QVBoxLayout(inner)
    inside.setContentsMargins(0, 0, 0, 0)
    inside.setSpacing(8)
    return inner, inside
