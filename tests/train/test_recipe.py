import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from agent.errors import WorkbenchError
from tests.train.simulate.helpers import truth_rows
from train.cli import main
from train.recipe import PRESETS, as_set, build, preset_tables, settings


@dataclass(frozen=True, kw_only=True)
class Some:
    name: str
    lr: float = 1e-3
    steps: int = 10
    lora: bool = False
    tasks: tuple[str, ...] = ()
    odds: tuple[float, float] = (1.0, 5.0)
    limit: int | None = None
    kind: Literal["full", "lora"] = "full"
    where: Path | None = None


def some(*sets: str, config: Path | None = None) -> Some:
    return settings(Some, "some", config=config, sets=("name=x", *sets))


class TestSettings:
    def test_later_ones_win(self, tmp_path: Path):
        config = tmp_path / "own.toml"
        config.write_text("[some]\nlr = 2e-5\nsteps = 7\n[other]\nlr = 1\n")
        found = some("steps=9", config=config)
        assert (found.lr, found.steps) == (2e-5, 9)

    @pytest.mark.parametrize(("text", "name", "value"), [
        ("lr=1", "lr", 1.0),
        ("some.lr=2e-5", "lr", 2e-5),
        ("other.lr=7", "lr", 1e-3),
        ("lora=true", "lora", True),
        ("tasks=CV,WD", "tasks", ("CV", "WD")),
        ('tasks=["CV"]', "tasks", ("CV",)),
        ("odds=[1, 3]", "odds", (1.0, 3.0)),
        ("limit=5", "limit", 5),
        ("kind=lora", "kind", "lora"),
        ("where=/a/b", "where", Path("/a/b")),
        ("name=a=b", "name", "a=b"),
        ("name=12", "name", "12"),
    ])  # fmt: skip
    def test_sets(self, text: str, name: str, value: object):
        assert getattr(some(text), name) == value

    @pytest.mark.parametrize(("text", "why"), [
        ("stesp=3", 'no setting "stesp"; did you mean "steps"'),
        ("steps=1.5", "some.steps: expected a whole number"),
        ("steps=true", "expected a whole number"),
        ("lora=1", "expected true or false"),
        ("odds=[1]", "expected 2 values, found 1"),
        ("kind=fulll", 'not one of full, lora; did you mean "full"'),
        ("steps", "write it as key=value"),
        ("tasks=3", "expected a list"),
    ])  # fmt: skip
    def test_faults_are_named(self, text: str, why: str):
        with pytest.raises(WorkbenchError, match=why.replace("?", r"\?")):
            some(text)

    @pytest.mark.parametrize("name", ["full", "3", "true", "", "[1]", 'a "b" c', "1979-05-27"])
    def test_a_value_is_read_as_it_was_written(self, name: str):
        assert some(f"name={as_set(name)}").name == name

    def test_numbers_and_lists_are_written_too(self):
        assert some(f"steps={as_set(7)}").steps == 7
        assert some(f"odds={as_set([1, 5])}").odds == some("odds=[1, 5]").odds

    def test_what_is_missing_is_named(self):
        with pytest.raises(WorkbenchError, match="missing 'name'"):
            build(Some, {}, "some")

    def test_files_that_are_none(self, tmp_path: Path):
        with pytest.raises(WorkbenchError, match="cannot be read"):
            some(config=tmp_path / "absent.toml")
        (tmp_path / "bad.toml").write_text("[some\n")
        with pytest.raises(WorkbenchError, match="not valid TOML"):
            some(config=tmp_path / "bad.toml")
        (tmp_path / "odd.toml").write_text("some = 3\n")
        with pytest.raises(WorkbenchError, match="should be a table"):
            some(config=tmp_path / "odd.toml")


class TestPresets:
    @pytest.mark.parametrize("name", PRESETS)
    def test_are_in_the_package(self, name: str):
        assert isinstance(preset_tables(name), dict)

    def test_unknown_ones_are_refused(self):
        with pytest.raises(WorkbenchError, match='no preset "tinny"'):
            settings(Some, "some", preset="tinny")


def call(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["spec-o3-train", *words])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_simulate_makes_what_was_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = ["simulate", str(out), "--task", "cv", "--count", "6", "--odds", "1:2"]
    words += ["--survey", "LAMOST,SDSS", "--snr", "10", "30", "--seed", "5"]
    assert call(monkeypatch, *words) == 0
    printed = capsys.readouterr()
    assert "6 simulated spectra" in printed.out and "CV 2" in printed.out
    rows = truth_rows(out)
    assert len(rows) == 6 and {row["survey"] for row in rows} <= {"LAMOST", "SDSS"}
    assert call(monkeypatch, *words) == 0
    assert "6 already existed" in capsys.readouterr().out


def test_arrays_and_labels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    words = ["simulate", str(tmp_path), "--labels", "wd, a", "--count", "5", "--arrays"]
    assert call(monkeypatch, *words) == 0
    assert {row["label"] for row in truth_rows(tmp_path)} <= {"WD", "A"}
    assert (tmp_path / "arrays-00000.npz").is_file()


def test_a_sky_is_noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    words = ["simulate", str(tmp_path), "--count", "2", "--labels", "A", "--survey", "LAMOST"]
    assert call(monkeypatch, *words, "--sky", "3", "--arrays") == 0
    assert '"sky": 3' in (tmp_path / "simulation.json").read_text()


@pytest.mark.parametrize(("words", "message"), [
    (["--task", "XX"], "unknown task"),
    (["--survey", "HUBBLE"], "unknown survey"),
    (["--snr", "9", "3"], "S/N"),
    (["--library", "nowhere"], "MANIFEST.csv"),
])  # fmt: skip
def test_what_the_user_can_mend_is_a_message(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    words: list[str], message: str,
) -> None:  # fmt: skip
    assert call(monkeypatch, "simulate", str(tmp_path), *words) == 1
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error


@pytest.mark.parametrize(
    "words", [["simulate"], ["simulate", "x", "--odds", "many"], ["simulate", "x", "--count", "0"]]
)
def test_usage_errors_are_status_two(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    assert call(monkeypatch, *words) == 2


def test_threads_do_not_wait_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person's own choice stands."""
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    assert call(monkeypatch, "--help") == 0
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    assert call(monkeypatch, "--help") == 0
    assert os.environ["OMP_WAIT_POLICY"] == "ACTIVE"
