"""Addresses of servers where models are named: `http://host:port/v1#model`."""

from __future__ import annotations

from agent.errors import EngineError, ResourceError


def is_server(name: str) -> bool:
    return name.lower().startswith(("http://", "https://"))


def split_server(name: str) -> tuple[str, str]:
    """The server's root and the model named behind `#`, empty where none is."""
    url, _, model = name.partition("#")
    return checked_url(url), model.strip()


def checked_url(url: str) -> str:
    """The server's root in one form. Refuses an address that holds a key: it goes on records."""
    from agent.engines.remote.address import read_address  # httpx takes a while to import

    try:
        return read_address(url, allow_http=True).root  # what may go there, the engine decides
    except EngineError as error:
        raise ResourceError(str(error)) from error
