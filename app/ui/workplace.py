"""What every part of the window works with."""

from __future__ import annotations

from dataclasses import dataclass

from app.ui.agent_desk import AgentDesk
from app.ui.bridge import SessionBridge
from app.ui.commands import Commands
from app.ui.desk import Desk
from app.ui.keymap import Keymap
from app.ui.runner import Runner
from app.ui.settings_keeper import SettingsKeeper
from app.ui.theme import Looks
from app.ui.view import View


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
