"""The engine for OpenAI-compatible servers: local programs, other machines, hosted models.

The protocol has no state, so each turn sends the whole conversation. Servers that cache its start
report that in their token counts.
"""

from __future__ import annotations

import random
from typing import Literal

from agent.engines.remote.address import (
    Address,
    Key,
    KeyLookup,
    find_key,
    read_address,
    redact_keys,
)
from agent.engines.remote.client import HttpClient, HttpError, ServerSession
from agent.engines.remote.conversation import RemoteConversation
from agent.engines.remote.errors import Clock, RetryPolicy, TransientError, one_line
from agent.engines.remote.request import Dialect
from agent.engines.remote.stream import TooLong, read_all, read_json
from agent.errors import EngineError
from agent.protocol.rules import OURS, Rules
from agent.rendering.model_image import QWEN25, Sizing

ToolCalls = Literal["text", "native", "auto"]

MAX_MODELS_BODY = 4 * 2**20
LISTING_S = 10.0
OUR_FAMILY = "spec-o3"
MAX_NAME = 500
SHOWN_MODELS = 8


class RemoteEngine:
    """A model on a server; any number of conversations may run at once."""

    def __init__(self, server: ServerSession) -> None:
        """Use `connect`."""
        self._server = server

    @classmethod
    def connect(
        cls,
        url: str,
        model: str | None = None,
        *,
        key: str | KeyLookup | None = find_key,
        timeout_s: float = 120.0,
        turn_s: float | None = None,
        retries: int = 4,
        sizing: Sizing = QWEN25,
        tool_calls: ToolCalls = "auto",
        allow_http: bool = False,
        clock: Clock | None = None,
        rng: random.Random | None = None,
    ) -> RemoteEngine:
        """Connect to a server; without a `model`, use the only one it lists.

        `timeout_s` is the longest silence, `turn_s` the longest time for a whole reply, by default
        ten times as long. `tool_calls`: "text" as Spec-o3 models write them,
        "native" as for hosted models, "auto" depends on address and name. `allow_http` permits
        unencrypted connections beyond the local network; a key is sent only over https or to this
        machine.
        """
        if not 0.01 <= timeout_s <= 86_400:
            raise EngineError(f"the timeout must be from 0.01 to 86,400 s, not {timeout_s}")
        address = read_address(url, allow_http=allow_http)
        retry_policy = RetryPolicy(retries, clock=clock, rng=rng)
        secret = _key_for(address, key)
        client = HttpClient(address, secret, retry_policy.clock, timeout_s, turn_s)
        try:
            name = model or retry_policy.run(lambda: _only_model(client), address.netloc)
        except BaseException:
            client.close()
            raise
        native = tool_calls == "native" or (tool_calls == "auto" and _calls_natively(address, name))
        dialect = Dialect(native=native)
        return cls(
            ServerSession(
                client,
                name,
                retry_policy,
                sizing,
                dialect,
                may_fall_back_to_text=tool_calls == "auto",
            )
        )

    def __repr__(self) -> str:
        return f"RemoteEngine({self._server.client.address.root!r}, {self.model!r})"

    @property
    def model(self) -> str:
        return self._server.model

    @property
    def sizing(self) -> Sizing:
        return self._server.sizing

    def open(self, rules: Rules = OURS) -> RemoteConversation:
        """Open a conversation; the server's chat template ends the turns, whatever the rules."""
        return RemoteConversation(self._server)

    def close(self) -> None:
        self._server.client.close()


def _key_for(address: Address, key: str | KeyLookup | None) -> Key | None:
    """Return the key to send: a given key must be sendable, a looked-up key is optional."""
    if key is None or isinstance(key, str):
        if key is not None and not address.may_receive_key:
            raise EngineError(f"the key would be sent to {address.root} unencrypted: use https://")
        return None if key is None else Key(key)
    found = key(address.host) if address.may_receive_key else None
    return Key(found) if found else None


def _calls_natively(address: Address, model: str) -> bool:
    # public hosts most likely serve models with their own format of tool calls
    return OUR_FAMILY not in model.lower() and not address.is_private


def _only_model(client: HttpClient) -> str:
    """Ask the server for the name of its only model."""
    server = client.address.netloc
    try:
        with client.request(
            "GET", "/models", None, total_s=min(LISTING_S, client.turn_s)
        ) as answer:
            listed = read_json(read_all(answer.pieces, MAX_MODELS_BODY)).get("data")
    except HttpError as refused:
        if refused.refusal.is_transient:
            raise TransientError(str(refused), refused.refusal.retry_after_s) from refused
        raise EngineError(
            f"{server} does not list its models: {refused}; add #MODEL to the address"
        ) from refused
    except TooLong as error:
        raise EngineError(f"{server}: {error}") from error
    except ValueError as error:
        raise EngineError(f"{server} does not speak the OpenAI chat protocol") from error
    names = _names(listed)
    if len(names) == 1 and _is_usable(names[0], client.key):
        return names[0]
    shown = (redact_keys(name[:MAX_NAME], client.key) for name in names[:SHOWN_MODELS])
    some = ", ".join(one_line(name, 60) for name in shown)
    choice = f": add one to the address as #MODEL ({some})" if some else ""
    raise EngineError(f"{server} lists {len(names)} models{choice}")


def _is_usable(name: str, key: Key | None) -> bool:
    """Whether a name can be shown and recorded."""
    repeats_key = key is not None and key.redact(name) != name
    return len(name) <= MAX_NAME and name.isprintable() and not repeats_key


def _names(listed: object) -> list[str]:
    entries = listed if isinstance(listed, list) else []
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    return [name for name in names if isinstance(name, str) and name]
