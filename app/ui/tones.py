"""Colours that follow from a theme: what lies under a pointer, a chosen row, a grey text."""

from __future__ import annotations

from dataclasses import dataclass

from app.ui.colours import mixed
from app.ui.theme import Theme


@dataclass(frozen=True, kw_only=True)
class Tones:
    hover: str
    """A button under the pointer."""
    pressed: str
    field: str
    """Where text is written."""
    edge: str
    """Of fields and buttons: clearer than the border of a card."""
    outline: str
    """Of what is filled in or ticked: there is nothing else to tell it by."""
    row: str
    """Every second row."""
    chosen: str
    """A chosen row; `text` on it."""
    disabled: str
    """Text of what cannot be used now."""
    handle: str
    """Of scroll bars."""
    primary_hover: str
    tip: str
    on_tip: str


def tones(theme: Theme) -> Tones:
    panel, text = theme.panel, theme.text
    return Tones(
        hover=mixed(panel, text, 0.07),
        pressed=mixed(panel, text, 0.13),
        field=mixed(panel, theme.window, 0.45) if theme.is_dark else panel,
        edge=mixed(theme.border, text, 0.16),
        outline=mixed(theme.border, text, 0.30 if theme.is_dark else 0.42),
        row=mixed(panel, text, 0.025),
        chosen=mixed(panel, theme.accent, 0.17 if theme.is_dark else 0.15),
        disabled=mixed(theme.dim, panel, 0.26),
        handle=mixed(panel, text, 0.40 if theme.is_dark else 0.50),
        primary_hover=mixed(theme.accent, text, 0.14),
        tip=mixed(panel, text, 0.10) if theme.is_dark else mixed(text, panel, 0.06),
        on_tip=text if theme.is_dark else panel,
    )


def tint(theme: Theme, colour: str, share: float) -> str:
    """A surface with a breath of a colour, such as a verdict's button at rest."""
    return mixed(theme.panel, colour, share)
