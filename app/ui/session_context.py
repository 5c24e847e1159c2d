"""What every part of the window works with."""

from __future__ import annotations

from dataclasses import dataclass

from app.ui.actions.commands import Commands
from app.ui.background.runner import Runner
from app.ui.candidate.current import Desk
from app.ui.candidate.view_options import View
from app.ui.inspection.controller import AgentDesk
from app.ui.keys.keymap import Keymap
from app.ui.session_bridge import SessionBridge
from app.ui.settings.settings_keeper import SettingsKeeper
from app.ui.theme.theme import Looks


@dataclass(frozen=True, kw_only=True)
class Workplace:
    """Of one open session, in one window. A part takes of it what it needs."""

    bridge: SessionBridge
    desk: Desk
    view: View
    agent: AgentDesk
    commands: Commands
    keymap: Keymap
    looks: Looks
    runner: Runner
    settings: SettingsKeeper
