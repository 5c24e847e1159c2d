"""Files and folders that are written completely or not at all."""

import os
import sys
import threading
from pathlib import Path

import pytest

from agent import atomic_file
from agent.atomic_file import atomic_folder, replace_folder, write_file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fill(folder: Path, name: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(name)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_half_way_leaves_the_old_file_and_no_part(
    tmp_path: Path, error: BaseException
) -> None:
    path = tmp_path / "kept.txt"
    write_file(path, "before")
    with pytest.raises(type(error)), atomic_file.atomic_file(path) as file:
        file.write(b"half")
        raise error
    assert path.read_text() == "before"
    assert names(tmp_path) == ["kept.txt"]


def test_a_disk_that_cannot_keep_it_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk says so when the file is synced, before it has its name."""
    path = tmp_path / "kept.txt"
    write_file(path, "before")
    seen: list[bytes] = []

    def refuse(number: int) -> None:
        seen.append(next(tmp_path.glob(".*.part")).read_bytes())
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="Input/output"):
        write_file(path, "after")
    assert seen == [b"after"]
    assert path.read_text() == "before"
    assert names(tmp_path) == ["kept.txt"]


def test_two_writers_at_once(tmp_path: Path) -> None:
    """Each has a part of its own; the file is all of one of them."""
    path = tmp_path / "both.txt"
    both = threading.Barrier(2)

    def write(letter: bytes) -> None:
        with atomic_file.atomic_file(path) as file:
            for _ in range(3):
                both.wait(60)
                file.write(letter * 10_000)

    writers = [threading.Thread(target=write, args=[letter]) for letter in (b"a", b"b")]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert path.read_bytes() in (b"a" * 30_000, b"b" * 30_000)
    assert names(tmp_path) == ["both.txt"]


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "out.csv"
    link.symlink_to(tmp_path / "real" / "out.csv")
    write_file(link, "1")
    write_file(link, "2")
    assert link.is_symlink()
    assert (tmp_path / "real" / "out.csv").read_text() == "2"


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions there")
def test_permissions_stay(tmp_path: Path) -> None:
    plain, own = tmp_path / "plain", tmp_path / "own"
    plain.write_text("as others make it")
    for path in (tmp_path / "new", own):
        write_file(path, "1")
        assert path.stat().st_mode == plain.stat().st_mode
    own.chmod(0o600)
    write_file(own, "2")
    assert own.stat().st_mode & 0o777 == 0o600


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="this is a folder"):
        write_file(tmp_path, "1")
    with pytest.raises(OSError, match="create it first"):
        write_file(tmp_path / "none" / "out", "1")


def test_an_older_folder_is_replaced(tmp_path: Path) -> None:
    fill(tmp_path / "made", "old")
    with atomic_folder(tmp_path / "made") as part:
        fill(part, "new")
    assert names(tmp_path) == ["made"]
    assert names(tmp_path / "made") == ["new"]


def test_a_failure_leaves_the_old_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "made", "old")
    with pytest.raises(ValueError), atomic_folder(tmp_path / "made") as part:
        fill(part, "new")
        raise ValueError
    rename = Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if path.name == "part":
            raise OSError(13, "Permission denied")
        return rename(path, target)

    fill(tmp_path / "part", "new")
    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(OSError, match="denied"):
        replace_folder(tmp_path / "part", tmp_path / "made")
    assert names(tmp_path) == ["made", "part"]
    assert names(tmp_path / "made") == ["old"]
