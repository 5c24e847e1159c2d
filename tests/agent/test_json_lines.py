"""Lines that are added to a file are all there, or none of them is."""

import errno
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from agent.json_lines import append_lines, append_to_log, read_lines, read_log

LINES = ["first", "second Å"]


def test_lines_are_added_and_a_half_line_stays_alone(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    assert append_lines(path, LINES) == 2
    assert append_lines(path, []) == 0
    append_lines(path, ["third"])
    assert path.read_text(encoding="utf-8") == "first\nsecond Å\nthird\n"
    path.write_bytes(b'{"half": ')  # as a crash, or an editor, left it
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
         "from agent.json_lines import append_lines\n"
         "append_lines(Path('/dev/stdout'), ['one', 'two'])"],
        stdout=subprocess.PIPE, check=True, cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    assert done.stdout == b"one\ntwo\n"


def numbered(entry: object) -> int:
    if not isinstance(entry, dict):
        raise WorkbenchError("no entry")
    return int(entry["number"])


def test_entries_are_kept_in_order(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    append_to_log(path, [{"number": 1, "by": "Ада"}])
    append_to_log(path, [{"number": 2}, {"number": 3}])
    assert list(read_log(path, numbered)) == [1, 2, 3]
    assert list(read_log(tmp_path / "absent", numbered)) == []


def test_a_line_cut_off_by_a_crash_is_left_out_and_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    append_to_log(path, [{"number": 1}])
    with path.open("a") as file:
        file.write('{"number": 2, "b')
    assert list(read_log(path, numbered)) == [1]
    append_to_log(path, [{"number": 3}])
    assert list(read_log(path, numbered)) == [1, 3]


def test_a_whole_line_without_its_end_stays(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"number": 1}')  # as an editor may leave it
    append_to_log(path, [{"number": 2}])
    assert list(read_log(path, numbered)) == [1, 2]


def test_a_line_that_is_too_long_is_neither_written_nor_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.jsonl"
    entry = {"number": 1, "note": "n" * 200}
    append_to_log(path, [entry])
    with pytest.raises(WorkbenchError, match="line 1: longer than 150 bytes"):
        list(read_lines(path, len, 150))
    monkeypatch.setattr("agent.json_lines.MAX_LINE", 150)
    with pytest.raises(WorkbenchError, match="longer than 150 bytes"):
        append_to_log(path, [entry])


def test_a_line_that_is_no_entry_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"number": 1}\n\n[]\n')
    with pytest.raises(WorkbenchError, match="line 3: no entry"):
        list(read_log(path, numbered))
