"""Exit codes and the last line of stderr, in words for users."""

from __future__ import annotations

import pytest

from app.worker.exit_reason import describe_exit, last_line, printable_lines


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
    assert describe_exit(code) == words


def test_the_last_line_before_the_trace_of_the_interpreter() -> None:
    lines = printable_lines([b"loading\n", b"bad \x1b[2Jmagic \xff\r\n", b"\n"])
    assert lines[1].startswith("bad ?[2Jmagic")
    assert last_line([*lines, "Fatal Python error: Aborted", '  File "x.py", line 3']) == lines[1]
    assert last_line([*lines, "[PYI-7:ERROR] Failed to execute script 'main'!"]) == lines[1]
    assert last_line(lines) == lines[1]
    assert last_line([]) == ""
    assert len(printable_lines([b"x" * 5000])[0]) < 300
