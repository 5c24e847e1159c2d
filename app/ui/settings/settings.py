"""What a person has chosen once and for all, in a TOML file of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Keys = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Every field has a default: a missing or faulty file is a window as it comes."""

    reviewer: str = ""
    language: str = "system"
    """system, en or zh."""
    theme: str = "system"
    """system, or one of theme.THEMES."""
    font_pt: int = 0
    """0: the system's."""
    profile: str = "default"
    """Of keys: see keymap.PROFILES."""
    keys: Keys = field(default_factory=dict)
    """Actions whose keys the user has changed."""
    blind: bool = False
    """For new sessions."""
    model: str = ""
    """Of the agent; empty: the best in the box."""
    workers: int = 1
    neighbour_arcsec: float = 3.0
    comments: tuple[str, ...] = ()
    """Standard comments of the user."""
    line_lists: tuple[str, ...] = ()
    """Files of line lists of the user."""
    templates: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    """What a newcomer is asked or shown once: name, tour."""
    recent: tuple[str, ...] = ()
    """Sessions, the newest first."""
    view: Mapping[str, object] = field(default_factory=dict)
    """view.Options that differ from their defaults."""
    layout: str = ""
    """Qt's own record of the window's place and panels, base64."""
