"""Models on servers that speak OpenAI's protocol."""

from pathlib import Path

from agent.engines.base import Engine
from agent.engines.kind import EngineKind, LoadOptions, ModelCard


class RemoteKind(EngineKind):
    name = "remote"
    program = "a server"
    is_server = True
    no_conversion = "on a server: there is nothing here to convert"

    def load(self, card: ModelCard, folder: Path | None, options: LoadOptions) -> Engine:
        from agent.engines.remote.engine import RemoteEngine

        assert card.server is not None
        return RemoteEngine.connect(
            card.server.urls,
            card.server.model or None,
            sizing=card.sizing,
            tool_calls="text" if card.rules == "published" else "auto",
            stream=not options.side_by_side,
        )


REMOTE = RemoteKind()
