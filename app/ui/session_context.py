"""The objects that all parts of the window share."""

from __future__ import annotations

from dataclasses import dataclass

from app.ui.actions.commands import Commands
from app.ui.background.runner import Runner
from app.ui.candidate.current import CurrentCandidate
from app.ui.candidate.view_options import View
from app.ui.inspection.controller import InspectionController
from app.ui.keys.keymap import Keymap
from app.ui.session_bridge import SessionBridge
from app.ui.settings.settings_store import SettingsStore
from app.ui.theme.theme import CurrentTheme


@dataclass(frozen=True, kw_only=True)
class SessionContext:
    """The shared objects of one open session in one window."""

    bridge: SessionBridge
    current: CurrentCandidate
    view: View
    agent: InspectionController
    commands: Commands
    keymap: Keymap
    current_theme: CurrentTheme
    runner: Runner
    settings: SettingsStore
