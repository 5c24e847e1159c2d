"""An error that says what to install if llama.cpp is missing."""

import sys

import pytest

from agent.engines.gguf.native import Native
from agent.errors import EngineError


def test_without_the_library_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "llama_cpp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(EngineError, match=r"pip install .*\[gguf\].*server") as info:
        Native()
    assert "\n" not in str(info.value)
