"""What all conversations with one server share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.backends.remote_line import Line
from agent.backends.remote_request import Dialect
from agent.backends.remote_retry import Retrying
from agent.imaging import Sizing


def _nothing() -> None:
    """The server is somebody else's: only asking tells whether it is there."""


@dataclass(eq=False, repr=False)
class Server:
    """`extras` go with every request in text form; `check_alive` raises EngineError where trying
    again is of no use; `may_go_text`: if native calls are refused, text is tried."""

    line: Line
    model: str
    retrying: Retrying
    sizing: Sizing
    dialect: Dialect = field(default_factory=Dialect)
    may_go_text: bool = False
    extras: Mapping[str, Any] = field(default_factory=dict)
    check_alive: Callable[[], None] = _nothing
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        """For messages."""
        return self.line.address.netloc

    def learn(self, before: Dialect, after: Dialect) -> None:
        """The server took a request of this form, and none of the one before."""
        with self._lock:
            if self.dialect == before:
                self.dialect = after
