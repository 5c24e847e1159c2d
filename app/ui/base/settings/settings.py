"""The settings of a user, stored in a TOML file."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.reviewer_name import name_from_environment, system_user_name

Keys = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Field names are the keys of the file; every field has a default."""

    reviewer: str = ""
    language: str = "system"  # system, en or zh
    theme: str = "system"  # system, or one of theme.THEMES
    font_pt: int = 0  # 0 means the size of the system
    profile: str = "default"  # key profile, one of key_profiles.PROFILES
    keys: Keys = field(default_factory=dict)  # actions whose keys the user has changed
    blind: bool = False  # whether new sessions start in blind mode
    model: str = ""  # Model of the agent; empty means the best bundled one.
    device: str = "auto"  # What runs the model: auto, cpu, cuda or mps.
    watch: bool = False  # whether the agent leaves time to follow each of its looks
    workers: int = 1
    samp: bool = False  # whether the window is connected to other programs of this machine
    subclass_seconds: float = 0.0
    """How long letters name the sub-class of the object just accepted; 0: only when asked for."""
    subclass_sticky: bool = False  # whether they do until the next verdict instead
    neighbour_arcsec: float = 3.0
    sheet_size: int = 48  # spectra on a sheet of the overview
    comments: tuple[str, ...] = ()  # standard comments of the user
    line_lists: tuple[str, ...] = ()  # paths of the user's line lists
    templates: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    """Services that may be asked about candidates: see app.core.evidence.choice."""
    service_changes: Mapping[str, str] = field(default_factory=dict)
    """Their addresses, releases and tables where they differ, as "gaia.release"."""
    told: tuple[str, ...] = ()  # One-time questions and hints that were already shown: name, tour.
    recent: tuple[str, ...] = ()  # paths or URLs of sessions, latest first
    view: Mapping[str, object] = field(default_factory=dict)
    """View options that differ from their defaults."""
    layout: str = ""  # window geometry and panels as saved by Qt, base64


def reviewer_name(settings: Settings) -> str:
    """The name under which verdicts are saved: from the settings, the environment or the system."""
    if settings.reviewer.strip():
        return settings.reviewer.strip()
    return name_from_environment() or system_user_name("somebody")
