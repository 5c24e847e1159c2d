"""Run GGUF models without a compiler: llama.cpp's server from a wheel, in a child process."""

from __future__ import annotations

from pathlib import Path

from agent.engines.gguf.checks import check_language_model, check_vision_part
from agent.engines.gguf.engine import FEWEST_TOKENS, LONGEST_CONTEXT, MOST_TOKENS, default_threads
from agent.engines.gguf.grammar import turn_grammar
from agent.engines.gguf.header import read_gguf_header
from agent.engines.gguf.llama_server_child import ALIAS
from agent.engines.gguf.llama_server_process import ServerProcess
from agent.engines.kind import is_installed
from agent.engines.remote.address import Key, read_address
from agent.engines.remote.client import HttpClient, ServerSession
from agent.engines.remote.engine import RemoteEngine
from agent.engines.remote.errors import RetryPolicy
from agent.engines.remote.servers import Servers
from agent.errors import EngineError
from agent.protocol.rules import OURS, Rules
from agent.rendering.model_image import QWEN25, Sizing

RETRIES = 2
# A slow machine may read a picture and a long conversation for minutes before the first token
SILENCE_S = 1800.0


class LlamaServerEngine(RemoteEngine):
    """An engine that owns its server process and ends it when closed."""

    def __init__(self, server: ServerSession, process: ServerProcess) -> None:
        """Use `start`."""
        super().__init__(Servers((server,)))
        self._process = process

    @classmethod
    def start(
        cls,
        model: Path,
        mmproj: Path,
        *,
        context: int = LONGEST_CONTEXT,
        threads: int | None = None,
        sizing: Sizing = QWEN25,
        rules: Rules = OURS,
        ready_s: float = 600.0,
    ) -> LlamaServerEngine:
        """Start a server for a model; `ready_s` limits loading, `context` is in tokens.

        The server ends turns as `rules` say, in all its conversations.
        """
        if not is_installed("xllamacpp"):
            raise EngineError("GGUF models need xllamacpp: pip install xllamacpp")
        language = check_language_model(read_gguf_header(model))
        _check_sizing(sizing, check_vision_part(read_gguf_header(mmproj), language).factor)
        arguments = [str(model.resolve()), str(mmproj.resolve())]
        arguments += ["--context", str(min(context, language.context_length))]
        arguments += ["--threads", str(threads or default_threads())]
        arguments += ["--tight"] if rules.is_published else []
        process = ServerProcess.start(arguments, ready_s)
        try:
            retry_policy = RetryPolicy(RETRIES)
            address = read_address(process.address)
            client = HttpClient(address, Key(process.key), retry_policy.clock, SILENCE_S)
        except BaseException:
            process.close()
            raise
        server = ServerSession(
            client,
            ALIAS,
            retry_policy,
            sizing,
            # sends counts with every piece, so that a turn cut short is counted too
            extras={"timings_per_token": True, "grammar": turn_grammar(rules)},
            check_alive=process.check,
        )
        return cls(server, process)

    @property
    def pid(self) -> int:
        return self._process.pid

    def close(self) -> None:
        super().close()
        self._process.close()


def _check_sizing(sizing: Sizing, factor: int) -> None:
    # llama.cpp pads or resizes other pictures, and the model would see another one
    least, most = FEWEST_TOKENS * factor**2, MOST_TOKENS * factor**2
    if sizing.factor != factor or not least <= sizing.min_pixels <= sizing.max_pixels <= most:
        raise EngineError(
            f"the model takes pictures of {FEWEST_TOKENS} to {MOST_TOKENS} squares of {factor} "
            f"pixels, not {sizing}; change the model card's [sizing]"
        )
