from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from agent.errors import WorkbenchError
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

    @pytest.mark.parametrize(
        ("text", "name", "value"),
        [
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
        ],
    )
    def test_sets(self, text: str, name: str, value: object):
        assert getattr(some(text), name) == value

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("stesp=3", 'no setting "stesp"; did you mean "steps"'),
            ("steps=1.5", "some.steps: expected a whole number"),
            ("steps=true", "expected a whole number"),
            ("lora=1", "expected true or false"),
            ("odds=[1]", "expected 2 values, found 1"),
            ("kind=fulll", 'not one of full, lora; did you mean "full"'),
            ("steps", "write it as key=value"),
            ("tasks=3", "expected a list"),
        ],
    )
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
