from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from tests.train.evaluate.helpers import make_judgement, rows
from train.evaluate.judgement import add_judgements, read_judgements, tasks_with_members

HALF_SURE = '{"key": "a", "task": "CV", "answer": "YES", "verdict": null, "p_yes": 0.5}'


def test_judgements_are_read_back_without_a_line_that_was_cut_off(tmp_path: Path):
    path = tmp_path / "one.jsonl"
    first = make_judgement(1, "YES", None, p_yes=0.25, stopped_by="error")
    second = replace(make_judgement(2, "NO", "NO"), snr=12.5)
    add_judgements(path, [first])
    add_judgements(path, [second])
    with path.open("a") as file:
        file.write('{"key": "cut of')
    assert list(read_judgements(path)) == [first, second]
    assert not first.is_right and second.is_right


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("no json", "not a line of JSON"),
        ("{}", "not a judgement"),
        ('{"key": "a", "task": "CV", "answer": "YES", "verdict": "MAYBE", "p_yes": null}', "not a"),
        *(
            (HALF_SURE.replace("0.5", p), "not a")
            for p in ("1.5", "-0.1", "1e999", "NaN", "Infinity", "true", '"0.5"')
        ),
        ("[" * 90_000, "not a line of JSON"),
        ("\udcff", "not a line of JSON"),
    ],
)
def test_faulty_lines_are_named_by_number(tmp_path: Path, line: str, reason: str):
    path = tmp_path / "one.jsonl"
    add_judgements(path, [make_judgement(1, "YES", "YES")])
    with path.open("a", errors="surrogateescape") as file:
        file.write(line + "\n")
    with pytest.raises(WorkbenchError, match=f"line 2: {reason}"):
        list(read_judgements(path))


def test_tasks_without_a_positive_do_not_count():
    both = [*rows(1, 0, 0, 3), *rows(0, 0, 1, 3, "CS")]
    assert tasks_with_members(both) == ["CV"]
    assert tasks_with_members(rows(0, 0, 1, 3, "CS")) == []


def test_a_file_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(WorkbenchError, match="cannot read"):
        list(read_judgements(tmp_path / "none.jsonl"))
