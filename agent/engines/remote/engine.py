"""The engine for OpenAI-compatible servers: local programs, other machines, hosted models.

The protocol has no state, so each turn sends the whole conversation. Servers that cache its start
report that in their token counts.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from typing import Literal

from agent.engines.remote.address import Address, Key, KeyLookup, find_key, read_address
from agent.engines.remote.client import (
    TURN_SILENCES,
    HttpClient,
    ServerSession,
    only_model,
    require_model,
)
from agent.engines.remote.conversation import RemoteConversation
from agent.engines.remote.errors import Clock, RetryPolicy, ServerFailed
from agent.engines.remote.request import Dialect
from agent.engines.remote.servers import Servers
from agent.errors import EngineError
from agent.protocol.rules import OURS, Rules
from agent.rendering.model_image import QWEN25, Sizing

ToolCalls = Literal["text", "native", "auto"]

OUR_FAMILY = "spec-o3"
# A server that sends a turn whole is silent for as long as it writes it
WHOLE_SILENCES = 4


class RemoteEngine:
    """A model on one or several servers; any number of conversations may run at once."""

    def __init__(self, servers: Servers) -> None:
        """Use `connect`."""
        self._servers = servers
        self.model, self.sizing = servers.first.model, servers.first.sizing

    @classmethod
    def connect(
        cls,
        urls: str | Sequence[str],
        model: str | None = None,
        *,
        key: str | KeyLookup | None = find_key,
        timeout_s: float = 120.0,
        turn_s: float | None = None,
        retries: int = 4,
        sizing: Sizing = QWEN25,
        tool_calls: ToolCalls = "auto",
        stream: bool = True,
        clock: Clock | None = None,
        rng: random.Random | None = None,
    ) -> RemoteEngine:
        """Connect to servers of one model; without a `model`, use the only one they list.

        `timeout_s` is the longest silence, `turn_s` the longest time for a whole reply, by default
        ten times as long. `tool_calls`: "text" as Spec-o3 models write them, "native" as for hosted
        models, "auto" depends on address and name. A key is sent only over https or to this
        machine. One of several servers may be down; all others must serve the same model. Without
        `stream`, replies are sent whole, which costs both sides much less; nobody can read along.
        """
        if not 0.01 <= timeout_s <= 86_400:
            raise EngineError(f"the timeout must be from 0.01 to 86,400 s, not {timeout_s}")
        turn_s = TURN_SILENCES * timeout_s if turn_s is None else turn_s
        silence_s = timeout_s if stream else WHOLE_SILENCES * timeout_s
        named = [urls] if isinstance(urls, str) else urls
        addresses = dict.fromkeys(read_address(url) for url in named)
        retry_policy = RetryPolicy(retries, clock=clock, rng=rng)
        clients: list[HttpClient] = []
        try:
            for address in addresses:
                secret = _key_for(address, key)
                clients.append(HttpClient(address, secret, retry_policy.clock, silence_s, turn_s))
            name, down = _common_model(clients, model, retry_policy)
        except BaseException:
            for client in clients:
                client.close()
            raise
        auto = tool_calls == "auto"
        sessions = []
        for client in clients:
            # public hosts most likely serve models with their own format of tool calls
            is_foreign = OUR_FAMILY not in name.lower() and not client.address.is_private
            native = is_foreign if auto else tool_calls == "native"
            dialect = Dialect(native, frozenset() if stream else frozenset({"stream"}))
            sessions.append(
                ServerSession(
                    client, name, retry_policy, sizing, dialect, may_fall_back_to_text=auto
                )
            )
        servers = Servers(sessions)
        for session in sessions:
            if session.client in down:
                servers.mark_down(session, down[session.client])
        return cls(servers)

    def __repr__(self) -> str:
        return f"RemoteEngine({self._servers.first.client.address.root!r}, {self.model!r})"

    @property
    def busy(self) -> int:
        """How often a server said that it has too much to do."""
        return self._servers.busy

    def open(self, rules: Rules = OURS) -> RemoteConversation:
        """Open a conversation; the server's chat template ends the turns, whatever the rules."""
        return RemoteConversation(self._servers)

    def close(self) -> None:
        self._servers.close()


def _common_model(
    clients: Sequence[HttpClient], model: str | None, retry_policy: RetryPolicy
) -> tuple[str, dict[HttpClient, str]]:
    """Return the name of the model that all servers serve, and why some do not answer."""
    if model is not None and len(clients) == 1:
        return model, {}  # some servers list nothing
    name, named_by, down = model, "", {}
    for client in clients:
        server = client.address.netloc
        try:
            if model is None:
                found = retry_policy.run(partial(only_model, client), server)
            else:
                retry_policy.run(partial(require_model, client, model), server)
                found = model
        except ServerFailed as fault:
            down[client] = str(fault).removeprefix(f"{server}: ")
            continue
        if name is not None and found != name:
            raise EngineError(
                f"{named_by} serves {name}, but {server} serves {found}: "
                "all addresses must serve the same model"
            )
        name, named_by = found, server
    if len(down) == len(clients):
        raise EngineError("; ".join(f"{each.address.netloc}: {why}" for each, why in down.items()))
    assert name is not None
    return name, down


def _key_for(address: Address, key: str | KeyLookup | None) -> Key | None:
    """Return the key to send: a given key must be sendable, a looked-up key is optional."""
    if key is None or isinstance(key, str):
        if key is not None and not address.may_receive_key:
            raise EngineError(f"the key would be sent to {address.root} unencrypted: use https://")
        return None if key is None else Key(key)
    found = key(address.host) if address.may_receive_key else None
    return Key(found) if found else None
