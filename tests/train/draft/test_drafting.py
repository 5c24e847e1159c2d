from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from agent.examples.examples import Example, write_examples
from agent.trajectory.trajectory_file import read_trajectories
from tests.train.draft.spectra import SHORT, all_examples, drafted
from tests.train.test_cli import call
from train.draft.drafting import DraftRun, draft_all
from train.draft.settings import DraftSettings
from train.draft.teachers import Draft, MeasuredTeacher

SEVEN = 7


def run_of(example_set: Path, out: Path, **changes: object) -> DraftRun:
    run = DraftRun(
        sets=(example_set,), out=out, teacher="measured", settings=SHORT, seed=4, limit=SEVEN
    )
    return replace(run, **changes)


def test_lines_and_counts(example_set: Path, tmp_path: Path) -> None:
    seen: list[int] = []
    counts = draft_all(run_of(example_set, tmp_path / "a.jsonl"), advance=seen.append)
    lines = list(read_trajectories(tmp_path / "a.jsonl"))
    assert sum(counts.values()) == SEVEN == sum(seen)
    assert counts["drafted"] == len(lines)
    note = json.loads((tmp_path / "a.json").read_text())
    assert note["done"] == SEVEN and note["counts"] == dict(counts)


def test_workers_do_not_change_a_byte(example_set: Path, tmp_path: Path) -> None:
    for workers, name in ((1, "one"), (2, "two")):
        draft_all(run_of(example_set, tmp_path / f"{name}.jsonl", limit=10), workers=workers)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


class Stopping:
    """A teacher that is killed at its n-th draft."""

    def __init__(self, last: int) -> None:
        self.left = last
        self.measured = MeasuredTeacher(SHORT)

    def draft(self, example: Example, variant: int, seed: int) -> Draft:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return self.measured.draft(example, variant, seed)


def test_a_killed_run_resumes_to_the_same_bytes(example_set: Path, tmp_path: Path) -> None:
    whole = run_of(example_set, tmp_path / "whole.jsonl", limit=12)
    draft_all(whole)
    broken = replace(whole, out=tmp_path / "broken.jsonl")
    with pytest.raises(KeyboardInterrupt):
        draft_all(broken, teacher=Stopping(10))
    with broken.out.open("ab") as file:
        file.write(b'{"half a line')
    assert draft_all(broken) == draft_all(whole)
    assert broken.out.read_bytes() == whole.out.read_bytes()


def test_other_settings_or_another_file_are_refused(example_set: Path, tmp_path: Path) -> None:
    run = run_of(example_set, tmp_path / "a.jsonl", limit=2)
    draft_all(run)
    with pytest.raises(WorkbenchError, match="started with other settings"):
        draft_all(replace(run, seed=5))
    (tmp_path / "mine.jsonl").write_text("precious\n")
    with pytest.raises(WorkbenchError, match="already exists"):
        draft_all(replace(run, out=tmp_path / "mine.jsonl"))
    assert (tmp_path / "mine.jsonl").read_text() == "precious\n"
    (tmp_path / "a.json").write_text('{"done": -1}')
    with pytest.raises(WorkbenchError, match="not the progress"):
        draft_all(run)
    with pytest.raises(WorkbenchError, match=r"must end in \.jsonl"):
        draft_all(replace(run, out=tmp_path / "a.txt"))


def test_several_drafts_of_one_spectrum_differ(example_set: Path, tmp_path: Path) -> None:
    several = replace(SHORT, per_spectrum=3)
    run = run_of(example_set, tmp_path / "a.jsonl", settings=several, limit=2)
    draft_all(run)
    lines = list(read_trajectories(run.out))
    assert len(lines) == len({line.replies for line in lines}) >= 4
    assert len({line.spectrum.sha256 for line in lines}) <= 2


def test_one_spectrum_under_two_tasks_has_two_drafts(tmp_path: Path) -> None:
    one = next(each for each in all_examples() if each.task == "MG" and each.answer == "YES")
    other = replace(one, key="twin", task="SS", answer="NO")
    write_examples(tmp_path / "two.parquet", [one, other])
    run = run_of(tmp_path / "two.parquet", tmp_path / "a.jsonl", limit=None)
    draft_all(run)
    assert {line.task for line in read_trajectories(run.out)} <= {"MG", "SS"}
    assert sum(json.loads((tmp_path / "a.json").read_text())["counts"].values()) == 2


def test_draft(example_set: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    out = tmp_path / "drafts.jsonl"
    words = ["draft", str(example_set), str(out), "--limit", "3", "--preset", "tiny"]
    assert call(monkeypatch, *words, "--set", "per_spectrum=1") == 0
    assert "drafts in" in capsys.readouterr().out
    assert all(line.style["name"] == "compact" for line in read_trajectories(out))
    assert call(monkeypatch, *words, "--set", "per_spectrum=2") == 1
    assert "other settings" in capsys.readouterr().err


def test_errors_are_one_line(tmp_path: Path, monkeypatch, capsys) -> None:
    absent = ["draft", str(tmp_path / "no.parquet"), str(tmp_path / "a.jsonl")]
    assert call(monkeypatch, *absent) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert call(monkeypatch, *absent, "--set", "wrods=short") == 1
    assert 'did you mean "words"' in capsys.readouterr().err


def test_wrong_turns_are_corrected() -> None:
    wanted = DraftSettings(outside=1.0, wide=1.0, guess=1.0)
    refused = narrowed = dropped = 0
    for example in all_examples():
        made = drafted(example, wanted).trajectory
        if made is None:
            continue
        text = " ".join(made.replies)
        errors = [step for step in made.steps if step.error]
        refused += bool(errors)
        assert all("does not overlap the data" in step.error for step in errors)
        assert made.steps[-1].kind == "answer" and made.well_formed
        narrowed += bool(re.search(r"too wide|Too wide|closer look", text))
        dropped += bool(re.search(r"That is not|I drop|after all", text))
    assert refused > 10 and narrowed > 10 and dropped > 5


def test_no_wrong_turns_where_none_are_wanted() -> None:
    plain = DraftSettings(outside=0.0, wide=0.0, guess=0.0)
    for example in all_examples()[::3]:
        made = drafted(example, plain).trajectory
        if made is not None:
            assert not any(step.error for step in made.steps)
            assert not re.search(r"could be|may be|perhaps|Too wide", " ".join(made.replies))


@pytest.mark.parametrize(
    "wrong",
    [
        {"fewest_zooms": 4, "most_zooms": 2},
        {"min_chance": 1.5},
        {"guess": -1.0},
        {"per_spectrum": 0},
    ],
)
def test_settings_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(WorkbenchError):
        DraftSettings(**wrong)
