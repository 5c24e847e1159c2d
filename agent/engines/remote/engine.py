"""An engine at any OpenAI-compatible address: another program, another machine, a hosted model.

A server forgets between turns, so each turn sends the whole conversation. Servers that keep what
they have read of it say so in their counts.
"""

from __future__ import annotations

import random
from typing import Literal

from agent.engines.remote.address import Address, Key, KeyLookup, find_key, read_address
from agent.engines.remote.client import HttpClient, HttpError, ServerSession
from agent.engines.remote.conversation import RemoteConversation
from agent.engines.remote.errors import Clock, RetryPolicy, TransientError, one_line
from agent.engines.remote.request import Dialect
from agent.engines.remote.stream import read_all, read_json
from agent.errors import EngineError
from agent.rendering.model_image import QWEN25, Sizing

ToolCalls = Literal["text", "native", "auto"]

MAX_MODELS_BODY = 4 * 2**20
OUR_FAMILY = "spec-o3"
MAX_NAME = 500
SHOWN_MODELS = 8


class RemoteEngine:
    """A server and the name of a model there. Any number of conversations at a time."""

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
        retries: int = 4,
        sizing: Sizing = QWEN25,
        tool_calls: ToolCalls = "auto",
        allow_http: bool = False,
        clock: Clock | None = None,
        rng: random.Random | None = None,
    ) -> RemoteEngine:
        """Look at the server: without a `model`, it is asked for the one it has.

        `timeout_s` is the longest silence. `tool_calls`: "text" as Spec-o3 models call, "native"
        as hosted models do, "auto" by address and name. `allow_http` permits unencrypted talk with
        hosts outside this network; a key is sent over https or to this machine, nowhere else.
        """
        if not 0.01 <= timeout_s <= 86_400:
            raise EngineError(f"a timeout of {timeout_s} s is not usable")
        address = read_address(url, allow_http=allow_http)
        retry_policy = RetryPolicy(retries, clock=clock, rng=rng)
        line = HttpClient(address, _key_for(address, key), retry_policy.clock, timeout_s)
        try:
            name = model or retry_policy.run(lambda: _only_model(line), address.netloc)
        except BaseException:
            line.close()
            raise
        native = tool_calls == "native" or (tool_calls == "auto" and _calls_natively(address, name))
        dialect = Dialect(native=native)
        return cls(
            ServerSession(
                line,
                name,
                retry_policy,
                sizing,
                dialect,
                may_fall_back_to_text=tool_calls == "auto",
            )
        )

    def __repr__(self) -> str:
        return f"RemoteEngine({self._server.line.address.root!r}, {self.model!r})"

    @property
    def model(self) -> str:
        return self._server.model

    @property
    def sizing(self) -> Sizing:
        return self._server.sizing

    def open(self) -> RemoteConversation:
        return RemoteConversation(self._server)

    def close(self) -> None:
        self._server.line.close()


def _key_for(address: Address, key: str | KeyLookup | None) -> Key | None:
    """A key that was given must be sent; one that would be looked up may also stay where it is."""
    if key is None or isinstance(key, str):
        if key is not None and not address.may_receive_key:
            raise EngineError(f"the key would go to {address.root} unencrypted: use https://")
        return None if key is None else Key(key)
    found = key(address.host) if address.may_receive_key else None
    return Key(found) if found else None


def _calls_natively(address: Address, model: str) -> bool:
    """A public host most likely serves models that call tools in a way of their own."""
    return OUR_FAMILY not in model.lower() and not address.is_private


def _only_model(line: HttpClient) -> str:
    """The name of the one model the server has."""
    who = line.address.netloc
    try:
        with line.request("GET", "/models", None) as answer:
            listed = read_json(read_all(answer.pieces, MAX_MODELS_BODY)).get("data")
    except HttpError as refused:
        if refused.refusal.is_transient:
            raise TransientError(str(refused), refused.refusal.retry_after_s) from refused
        raise EngineError(f"{who} does not list its models: {refused}; name one") from refused
    except ValueError as error:
        raise EngineError(f"{who} does not answer in the chat protocol") from error
    names = _names(listed)
    if len(names) == 1 and len(names[0]) <= MAX_NAME:
        return names[0]
    some = ", ".join(one_line(name, 60) for name in names[:SHOWN_MODELS])
    raise EngineError(f"{who} has {len(names)} models: name one" + (f" ({some})" if some else ""))


def _names(listed: object) -> list[str]:
    entries = listed if isinstance(listed, list) else []
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    return [name for name in names if isinstance(name, str) and name]
