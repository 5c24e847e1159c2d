"""Lines that are added to a file are all there, or none of them is."""

import errno
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.trajectory.append_lines import append_lines

LINES = ["first", "second Å"]


def test_lines_are_added(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    assert append_lines(path, LINES) == 2
    assert append_lines(path, []) == 0
    append_lines(path, ["third"])
    assert path.read_text(encoding="utf-8") == "first\nsecond Å\nthird\n"


def test_a_half_line_stays_alone(tmp_path: Path) -> None:
    """As a crash, or an editor, left it."""
    path = tmp_path / "kept.jsonl"
    path.write_bytes(b'{"half": ')
    append_lines(path, LINES)
    assert path.read_text(encoding="utf-8") == '{"half": \nfirst\nsecond Å\n'


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_nothing_is_left_of_what_was_not_added(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_bytes(b"before")

    def lines() -> Iterator[str]:
        yield "x" * 1_000_000
        raise error

    with pytest.raises(type(error)):
        append_lines(path, lines())
    assert path.read_bytes() == b"before"


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes with names there")
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from pathlib import Path\n"
         "from agent.trajectory.append_lines import append_lines\n"
         "append_lines(Path('/dev/stdout'), ['one', 'two'])"],
        stdout=subprocess.PIPE, check=True, cwd=Path(__file__).resolve().parents[3],
    )  # fmt: skip
    assert done.stdout == b"one\ntwo\n"
