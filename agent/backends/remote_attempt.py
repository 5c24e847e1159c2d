"""One turn asked for, in the form the server takes; asked again after a fault that may pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.backends.base import Cancelled, Sampling, ShouldStop, Watch
from agent.backends.remote_keys import OUR_VARIABLE
from agent.backends.remote_line import Refused
from agent.backends.remote_messages import Said, messages
from agent.backends.remote_preview import Preview
from agent.backends.remote_refusal import Refusal
from agent.backends.remote_request import Body, Dialect, bare, request_body, simpler
from agent.backends.remote_retry import Passing
from agent.backends.remote_server import Server
from agent.backends.remote_turn import Heard, hear
from agent.errors import ContextFullError, EngineError

FAULTS_BEFORE_BARE = 2
"""Answers of 500 after which all that a server may be choking on is left out."""
SILENCES_BEFORE_WHOLE = 2
"""Streams that ended before their first word, after which the turn is asked for in one piece:
llama_cpp.server can only say what is wrong that way."""


@dataclass(frozen=True)
class Wish:
    """What the caller wants of the turn."""

    sampling: Sampling
    seed: int = 0
    stop: Sequence[str] = ()
    watch: Watch | None = None
    should_stop: ShouldStop | None = None


class Attempt:
    """Called once, and again after each fault that passes."""

    def __init__(self, server: Server, said: Sequence[Said], wish: Wish, preview: Preview) -> None:
        self.wasted = False
        """An earlier call came far enough for the server to have computed something."""
        self._server = server
        self._said = said
        self._wish = wish
        self._preview = preview
        self._learnt = self._dialect = server.dialect
        self._faults = 0
        self._silences = 0

    def __call__(self) -> Heard:
        """Raises Passing, Cancelled, EngineError."""
        while True:
            if self._wish.should_stop is not None and self._wish.should_stop():
                raise Cancelled
            body = self._body()
            try:
                heard = self._hear(body)
            except Refused as refused:
                self.wasted |= refused.refusal.status >= 500
                self._dialect = self._next_dialect(body, refused.refusal)
                continue
            except Passing as fault:
                self.wasted = True
                self._silences += fault.speechless
                self._server.check_alive()
                raise
            self._server.learn(self._learnt, self._dialect)
            return heard

    def _hear(self, body: Body) -> Heard:
        wish = self._wish
        return hear(
            self._server.line,
            body,
            self._preview,
            stop=wish.stop,
            should_stop=wish.should_stop,
            max_tokens=wish.sampling.max_new_tokens,
        )

    def _body(self) -> Body:
        wish = self._wish
        dialect = self._dialect
        if self._silences >= SILENCES_BEFORE_WHOLE:
            dialect = replace(dialect, dropped=dialect.dropped | {"stream"})
        return request_body(
            dialect,
            self._server.model,
            messages(self._said, native=self._dialect.native),
            wish.sampling,
            wish.seed,
            wish.watch,
            self._server.extras,
        )

    def _next_dialect(self, body: Body, refusal: Refusal) -> Dialect:
        """A simpler form to ask in at once, or the error that it is."""
        if refusal.is_context_full:
            raise ContextFullError(
                f"{self._server.name}: the conversation is longer than the model can read"
                + (f" ({refusal.words})" if refusal.words else "")
            )
        may_go_text = self._server.may_go_text
        changed = simpler(self._dialect, body, refusal, may_go_text=may_go_text)
        if changed is not None:
            return changed
        if not refusal.is_passing:
            raise EngineError(f"{self._server.name}: {refusal}{self._help(refusal)}")
        self._server.check_alive()
        self._faults += refusal.status == 500
        if self._faults >= FAULTS_BEFORE_BARE:
            self._dialect = bare(self._dialect, body) or self._dialect
        raise Passing(str(refusal), refusal.retry_after_s)

    def _help(self, refusal: Refusal) -> str:
        """What to try, where we know."""
        line = self._server.line
        if refusal.status != 401 or line.key is not None:
            return ""
        if not line.address.may_see_a_key:
            return "; keys are sent over https alone"
        return f"; set {OUR_VARIABLE} to your key"
