"""Ask a server which models it has."""

from __future__ import annotations

from agent.engines.remote.address import Key, redact_keys
from agent.engines.remote.client import HttpClient, HttpError
from agent.engines.remote.errors import TransientError, one_line
from agent.engines.remote.stream import TooLong, read_all, read_json
from agent.errors import EngineError

MAX_MODELS_BODY = 4 * 2**20
LISTING_S = 10.0
MAX_NAME = 500
SHOWN_MODELS = 8


def only_model(client: HttpClient) -> str:
    """Return the name of the server's only model. Raises TransientError, EngineError."""
    server = client.address.netloc
    try:
        names = listed_models(client)
    except HttpError as refused:
        raise EngineError(
            f"{server} does not list its models: {refused}; add #MODEL to the address"
        ) from refused
    if len(names) == 1 and _is_usable(names[0], client.key):
        return names[0]
    some = _shown(client, names)
    choice = f": add one to the address as #MODEL ({some})" if some else ""
    raise EngineError(f"{server} lists {len(names)} models{choice}")


def require_model(client: HttpClient, model: str) -> None:
    """Refuse a server that lists other models. Raises TransientError, EngineError."""
    try:
        names = listed_models(client)
    except HttpError:
        return  # it answers, and some servers list nothing
    if names and model not in names:
        some = _shown(client, names)
        raise EngineError(f"{client.address.netloc} does not serve {model}, but {some}")


def listed_models(client: HttpClient) -> list[str]:
    """Return what the server lists. Raises HttpError, TransientError, EngineError."""
    server = client.address.netloc
    try:
        with client.request(
            "GET", "/models", None, total_s=min(LISTING_S, client.turn_s)
        ) as answer:
            listed = read_json(read_all(answer.pieces, MAX_MODELS_BODY)).get("data")
    except HttpError as refused:
        refusal = refused.refusal
        if refusal.is_transient:
            raise TransientError(
                str(refused), refusal.retry_after_s, status=refusal.status
            ) from refused
        raise
    except TooLong as error:
        raise EngineError(f"{server}: {error}") from error
    except ValueError as error:
        raise EngineError(f"{server} does not speak the OpenAI chat protocol") from error
    entries = listed if isinstance(listed, list) else []
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    return [name for name in names if isinstance(name, str) and name]


def _shown(client: HttpClient, names: list[str]) -> str:
    shown = (redact_keys(name[:MAX_NAME], client.key) for name in names[:SHOWN_MODELS])
    return ", ".join(one_line(name, 60) for name in shown)


def _is_usable(name: str, key: Key | None) -> bool:
    """Whether a name can be shown and recorded."""
    repeats_key = key is not None and key.redact(name) != name
    return len(name) <= MAX_NAME and name.isprintable() and not repeats_key
