"""Puts the numbers that the measured inspector names into the tables of its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent.inspection.measured_turns import WrittenTurns
from agent.trajectory.trajectory import Step


class StepTables:
    """A look holds what is said of its window; a text what no earlier table of the record holds."""

    def __init__(self, written: WrittenTurns) -> None:
        self._written = written
        self._tables: list[Mapping[str, Any]] = []

    def filled(self, step: Step) -> Step:
        if step.by != "agent" or step.error:
            return step
        table = self._table(step)
        self._tables.append(table)
        return replace(step, measured=table)

    def _table(self, step: Step) -> dict[str, Any]:
        if step.kind == "zoom" and step.turn < len(self._written.looks):
            return self._written.looks[step.turn].table(step.measured)
        if step.kind == "think" and step.turn == 0:
            return self._written.opening.table()
        if step.kind == "answer":
            return self._written.answer.without(*self._tables).table()
        return dict(step.measured)
