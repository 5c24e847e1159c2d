"""The objects that all parts of the window share."""

from dataclasses import dataclass

from app.ui.base.actions.commands import Commands
from app.ui.base.background.runner import Runner
from app.ui.base.keys.keymap import Keymap
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.session.candidate.current import CurrentCandidate
from app.ui.session.candidate.object_velocity import ObjectVelocity
from app.ui.session.candidate.view_options import View
from app.ui.session.inspection.controller import InspectionController
from app.ui.session.session_bridge import SessionBridge


@dataclass(frozen=True, kw_only=True)
class WindowContext:
    """The shared objects of a window, whatever session is open."""

    commands: Commands
    keymap: Keymap
    settings: SettingsStore
    current_theme: CurrentTheme
    runner: Runner
    view: View


@dataclass(frozen=True, kw_only=True)
class SessionContext(WindowContext):
    """Also those of the session that is open in it."""

    bridge: SessionBridge
    current: CurrentCandidate
    velocity: ObjectVelocity
    agent: InspectionController
