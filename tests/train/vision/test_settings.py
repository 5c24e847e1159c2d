from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from train.vision.settings import LessonSettings, SchoolSettings, SpeechSettings, read_tables


def test_a_change_without_a_table_belongs_to_the_command() -> None:
    tables = read_tables("school", ["batch=7", "lessons.windows=3", "speech.batch=5"])
    assert tables.read(SchoolSettings, "school").batch == 7
    assert tables.read(LessonSettings, "lessons").windows == 3
    assert tables.read(SpeechSettings, "speech").batch == 5


def test_changes_override_a_file_and_later_tables_override_earlier_ones(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[speech]\nbatch = 3\nheads = 2\n[rare_speech]\nbatch = 4\n")
    tables = read_tables("", ["speech.heads=4"], config=file)
    plain = tables.read(SpeechSettings, "speech")
    rare = tables.read(SpeechSettings, "speech", "rare_speech")
    assert (plain.batch, plain.heads) == (3, 4)
    assert (rare.batch, rare.heads) == (4, 4)
    assert tables.read(SchoolSettings, "school") == SchoolSettings()


@pytest.mark.parametrize(
    ("text", "why"),
    [("minutes=3", "name its table, such as school"), ("scool.minutes=3", 'did you mean "school"')],
)
def test_a_change_of_no_table_is_refused(text: str, why: str) -> None:
    with pytest.raises(WorkbenchError, match=why):
        read_tables("", [text])
