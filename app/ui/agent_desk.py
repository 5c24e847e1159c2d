"""The agent at work, as the window sees it: what it does, on which candidate, how to steer it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from agent.trajectory import Trajectory
from app.ui.bridge import SessionBridge
from app.ui.desk import Desk
from app.ui.runner import Runner
from app.ui.settings_keeper import SettingsKeeper


class AgentDesk(QObject):
    """Runs inspections in the worker process. Close it before the session."""

    started = Signal(int, object)
    """An inspection of that candidate has begun: its number, and the `ModelRef`."""
    spoke = Signal(int, str)
    """A piece of what the agent says, as it comes."""
    stepped = Signal(int, object)
    """A `Step` that happened."""
    ended = Signal(int, object)
    """The `Trajectory`, which is kept by then."""
    broke = Signal(int, str)
    """Why there is none."""
    looking = Signal(object, str)
    """Where the agent looks on the candidate on the desk, live or replayed: an observed range and
    its label; None: nowhere."""
    shown_changed = Signal(object)
    """The `Trajectory` whose evidence is on screen, or None: hidden in blind mode, or there is
    none."""
    state_changed = Signal()
    """Of `is_running`, `is_held`, the batch, the model."""

    def __init__(
        self,
        bridge: SessionBridge,
        desk: Desk,
        runner: Runner,
        settings: SettingsKeeper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.shown: Trajectory | None = None

    def close(self) -> None:
        """What runs is stopped; comes back when the worker is gone."""
