"""A wording in a folder is what it was, or refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import ResourceError
from agent.protocol.wording_file import read_wording, write_wording
from tests.agent.protocol.wordings import SYSTEM, TOOL_LINE, text_of, wording


def test_what_is_written_is_read_again_to_the_byte(tmp_path: Path) -> None:
    odd = replace(wording(), system="Å “clerk”\r\n\tof tapes ", tasks={"CV": "\n \r\nQ?\n\n"})
    for each in (wording(), odd):
        folder = write_wording(each, tmp_path / "models" / "wordings" / each.name)
        assert read_wording(folder) == each
        assert read_wording(folder).sha256 == each.sha256
    assert [path.name for path in folder.parent.iterdir()] == ["clerk"]


def test_the_files_are_plain_texts(tmp_path: Path) -> None:
    folder = write_wording(wording(), tmp_path / "clerk")
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert {"wording.toml", "system.txt", "tool.json", "tasks/CV.txt", "tasks/WD.txt"} <= names
    assert (folder / "system.txt").read_text(encoding="utf-8") == SYSTEM
    assert (folder / "tool.json").read_text(encoding="utf-8") == TOOL_LINE
    assert (folder / "tasks" / "CV.txt").read_bytes() == text_of("cv").encode()
    assert "clerk/tapes" in (folder / "wording.toml").read_text(encoding="utf-8")


def test_a_changed_text_is_refused(tmp_path: Path) -> None:
    folder = write_wording(wording(), tmp_path / "clerk")
    path = folder / "tasks" / "CV.txt"
    path.write_text(path.read_text(encoding="utf-8") + "!", encoding="utf-8")
    with pytest.raises(ResourceError, match=r"CV\.txt is not the text .* models wording clerk"):
        read_wording(folder)
    path.unlink()
    with pytest.raises(ResourceError, match="not a file"):
        read_wording(folder)


@pytest.mark.parametrize("path", ["../../secret", "tasks/../x.txt", "/etc/passwd", "tasks/a/b.txt"])
def test_paths_stay_in_the_folder(tmp_path: Path, path: str) -> None:
    folder = write_wording(wording(), tmp_path / "clerk")
    file = folder / "wording.toml"
    text = file.read_text(encoding="utf-8").replace('"system.txt"', json.dumps(path))
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ResourceError, match="expected the path of a text"):
        read_wording(folder)


def test_a_long_or_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="not a file"):
        read_wording(tmp_path)
    folder = write_wording(wording(), tmp_path / "clerk")
    (folder / "system.txt").write_bytes(b"x" * 10**6)
    with pytest.raises(ResourceError, match="longer than 256 KiB"):
        read_wording(folder)
