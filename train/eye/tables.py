"""Settings of the commands of `eye`: tables of a preset or a file, changed by `--set`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from agent.checked_toml import near_miss, shown
from agent.errors import WorkbenchError
from train.recipe import build, config_tables, from_sets, preset_tables

Table = TypeVar("Table")

RARER = "rare_"
"""Start of the tables that override others in the last part of training."""
NAMES = ("lessons", "school", "speech", "questions", f"{RARER}speech", f"{RARER}questions")


@dataclass(frozen=True)
class EyeTables:
    """All tables as they are written, and the changes to them, each as `table.key=value`."""

    written: Mapping[str, Mapping[str, Any]]
    changes: tuple[str, ...]

    def read(self, kind: type[Table], *names: str) -> Table:
        """The settings of a table; of several names, later ones override earlier ones."""
        values: dict[str, Any] = {}
        for name in names:
            values |= {**self.written.get(name, {}), **from_sets(self.changes, kind, name)}
        return build(kind, values, names[-1])


def read_tables(
    own: str, sets: Sequence[str] | None, *, preset: str = "", config: Path | None = None
) -> EyeTables:
    """The tables of a command; a change that names no table belongs to `own`, if there is one.

    Raises WorkbenchError for a change of a table that no command has.
    """
    written: dict[str, Mapping[str, Any]] = preset_tables(preset) if preset else {}
    if config is not None:
        for name, table in config_tables(config).items():
            written[name] = {**written.get(name, {}), **table}
    return EyeTables(written, tuple(_in_table(own, text) for text in sets or ()))


def _in_table(own: str, text: str) -> str:
    table, dot, _ = text.partition("=")[0].strip().partition(".")
    if not dot and own:
        return f"{own}.{text}"
    if not dot or table not in NAMES:
        guess = near_miss(table, NAMES) if dot else ""
        raise WorkbenchError(
            f"--set {shown(text)}: name its table, such as school.minutes=60{guess}"
        )
    return text
