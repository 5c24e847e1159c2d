"""llama.cpp's libraries, loaded on first use, with their output sent to our log."""

import logging
from collections import deque
from functools import cache
from typing import Any

from agent.errors import EngineError

log = logging.getLogger("agent.engines.gguf")

# GGML_LOG_LEVEL_ERROR
ERROR_LEVEL = 4
NOT_INSTALLED = (
    "GGUF models need llama-cpp-python, which is not installed: "
    'pip install "spec-o3-workbench[gguf]"; or start a server with the model '
    "(xllamacpp comes with the workbench) and use its address as the model"
)


class Native:
    """The C functions of llama.cpp in `llama` and `mtmd`.

    Keeps the log callback alive: native code holds no reference to it.
    """

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
        self._log_callback = llama.llama_log_callback(self._on_log)
        llama.llama_log_set(self._log_callback, None)
        mtmd.mtmd_helper_log_set(self._log_callback, None)
        llama.llama_backend_init()

    def _on_log(self, level: int, text: bytes | None, _: object) -> None:
        line = (text or b"").decode("utf-8", "replace").rstrip()
        if not line:
            return
        if level == ERROR_LEVEL:
            self._errors.append(line[:200])
        log.debug("%s", line)

    def forget_errors(self) -> None:
        self._errors.clear()

    def last_error(self) -> str:
        """Return the first recent error in brackets; later ones usually follow from it."""
        return f" ({self._errors[0]})" if self._errors else ""


@cache
def native() -> Native:
    """Return the libraries, loaded once. Raises EngineError if they are missing."""
    return Native()
