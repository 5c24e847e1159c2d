"""Exit codes and last words, for people."""

from __future__ import annotations

import pytest

from app.worker.exit_reason import cleaned, how_it_ended, last_words


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-9, "was killed by SIGKILL (as when memory runs out)"),
        (-11, "was killed by SIGSEGV (native code failed)"),
        (-15, "was killed by SIGTERM"),
        (-200, "was killed by signal 200"),
        (0, "ended with status 0"),
        (0xC0000005, "died of an access violation: native code failed"),
    ],
)
def test_how_it_ended(code: int, words: str) -> None:
    assert how_it_ended(code) == words


def test_the_last_line_before_the_trace_of_the_interpreter() -> None:
    lines = cleaned([b"loading\n", b"bad \x1b[2Jmagic \xff\r\n", b"\n"])
    assert lines[1].startswith("bad ?[2Jmagic")
    assert last_words([*lines, "Fatal Python error: Aborted", '  File "x.py", line 3']) == lines[1]
    assert last_words([*lines, "[PYI-7:ERROR] Failed to execute script 'main'!"]) == lines[1]
    assert last_words(lines) == lines[1]
    assert last_words([]) == ""
    assert len(cleaned([b"x" * 5000])[0]) < 300
