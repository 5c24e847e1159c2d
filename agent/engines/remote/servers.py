"""The servers of one model: where a new conversation goes, and which of them are down."""

import logging
import threading
from collections.abc import Collection, Sequence

from agent.engines.remote.client import FIRST_PAUSE_S, ServerSession, require_model
from agent.engines.remote.errors import ServerFailed, TransientError
from agent.errors import EngineError

# Faults in a row, of any conversations, after which a server counts as down
FAULTS = 3
LONGEST_PAUSE_S = 300.0

_log = logging.getLogger(__name__)


class Servers:
    """For any number of threads. The only server of a model never counts as down."""

    def __init__(self, sessions: Sequence[ServerSession]) -> None:
        self._all = tuple(sessions)
        self._clock = sessions[0].retry_policy.clock
        self._lock = threading.Lock()
        self.busy = 0  # how often a server said that it has too much to do

    @property
    def count(self) -> int:
        return len(self._all)

    @property
    def first(self) -> ServerSession:
        return self._all[0]

    def take(self, tried: Collection[ServerSession] = ()) -> ServerSession:
        """Open a conversation at the server that has the fewest, and that was not tried before.

        Raises EngineError if there is none.
        """
        self._ask_again()
        with self._lock:
            up = [server for server in self._all if not server.down and server not in tried]
            if not up:
                raise EngineError(self._why_none())
            chosen = min(up, key=lambda server: server.open)
            chosen.open += 1
            return chosen

    def leave(self, server: ServerSession) -> None:
        with self._lock:
            server.open -= 1

    def failed(self, server: ServerSession, fault: TransientError) -> None:
        """Note a failed attempt. Raises ServerFailed once the server counts as down."""
        with self._lock:
            if fault.is_busy:
                self.busy += 1
            if fault.status or len(self._all) == 1:  # it lives
                return
            server.faults += 1
            if server.faults >= FAULTS and not server.down:
                self.mark_down(server, fault.reason)
            why = server.down
        if why:
            raise ServerFailed(f"{server.name}: {why}")

    def mark_down(self, server: ServerSession, why: str) -> None:
        """Open no more conversations at a server until it answers again."""
        server.down = why
        server.ask_at = self._clock.now() + server.pause_s
        _log.warning("%s: %s; going on without it until it answers", server.name, why)

    def close(self) -> None:
        for server in self._all:
            server.client.close()

    def _ask_again(self) -> None:
        """Ask a server that is down whether it is up again, if its pause is over."""
        with self._lock:
            now = self._clock.now()
            due = [server for server in self._all if server.down and server.ask_at <= now]
            if not due:
                return
            server = due[0]
            # set first, so that no other conversation waits for the answer
            server.pause_s = min(2 * server.pause_s, LONGEST_PAUSE_S)
            server.ask_at = now + server.pause_s
        try:
            require_model(server.client, server.model)
        except (EngineError, TransientError):
            return
        with self._lock:
            server.down, server.faults, server.pause_s = "", 0, FIRST_PAUSE_S
        _log.warning("%s answers again", server.name)

    def _why_none(self) -> str:
        if len(self._all) == 1:
            return f"{self.first.name} does not answer"
        reasons = (f"{each.name}: {each.down or 'it failed'}" for each in self._all)
        return "no server answers (" + "; ".join(reasons) + ")"
