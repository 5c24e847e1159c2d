"""llama.cpp's libraries, loaded when first needed; what they print goes to our log."""

from __future__ import annotations

import logging
from collections import deque
from functools import cache
from typing import Any

from agent.errors import EngineError

log = logging.getLogger("agent.engines.gguf")

ERROR_LEVEL = 4
"""Of llama.cpp's own levels."""
NOT_INSTALLED = (
    "GGUF models need llama-cpp-python, which is not installed: "
    "pip install 'spec-o3-workbench[gguf]'; or start a server with the model (xllamacpp comes with "
    "the workbench) and name its address as the model"
)


class Native:
    """`llama` and `mtmd` hold the C functions; the callbacks they print through live as long."""

    def __init__(self) -> None:
        try:
            import llama_cpp.llama_cpp as llama
            import llama_cpp.mtmd_cpp as mtmd
        except (ImportError, OSError, RuntimeError) as error:
            missing = isinstance(error, ModuleNotFoundError) and error.name == "llama_cpp"
            reason = "" if missing else f" ({str(error)[:200]})"
            raise EngineError(NOT_INSTALLED + reason) from error
        self.llama: Any = llama
        self.mtmd: Any = mtmd
        self._errors: deque[str] = deque(maxlen=3)
        self._listener = llama.llama_log_callback(self._hear)
        llama.llama_log_set(self._listener, None)
        mtmd.mtmd_helper_log_set(self._listener, None)
        llama.llama_backend_init()

    def _hear(self, level: int, text: bytes | None, _: object) -> None:
        line = (text or b"").decode("utf-8", "replace").rstrip()
        if not line:
            return
        if level == ERROR_LEVEL:
            self._errors.append(line[:200])
        log.debug("%s", line)

    def forget_errors(self) -> None:
        self._errors.clear()

    def last_error(self) -> str:
        """The first of the last errors printed, in brackets; the others follow from it."""
        return f" ({self._errors[0]})" if self._errors else ""


@cache
def native() -> Native:
    """The libraries, loaded once. Raises EngineError where they are missing."""
    return Native()
