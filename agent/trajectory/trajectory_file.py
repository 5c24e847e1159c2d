"""Trajectories as JSON lines; everything that is read is checked like untrusted input."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from agent.engines.base import SamplingSettings
from agent.errors import TrajectoryError, WorkbenchError, read_errors, write_errors
from agent.json_lines import append_lines
from agent.protocol.rules import RULES_NAMES
from agent.rendering.model_image import QWEN25, Sizing
from agent.trajectory.trajectory import (
    STOPS,
    TRAJECTORY_VERSION,
    Author,
    ModelRef,
    SpectrumRef,
    Step,
    StepKind,
    Tokens,
    Trajectory,
    WordingRef,
)

MAX_LINE = 16_000_000  # bytes; an inspection of eight turns needs a thousandth of that
MAX_STEPS = 1000
MAX_TEXT = 2_000_000
MAX_DEPTH = 8
MAX_ITEMS = 10_000
MAX_MEMBERS = 8


def to_json(trajectory: Trajectory) -> dict[str, Any]:
    """Convert to an object for `json.dumps`; `from_json` returns an equal record.

    There are members only where a panel judged, an address only of a server, a wording and rules
    only where they are not ours.
    """
    record = {each.name: getattr(trajectory, each.name) for each in fields(trajectory)}
    for key in ("spectrum", "model", "wording", "sizing", "sampling", "tokens"):
        record[key] = _flat(record[key])
    del record["model"]["also"]
    if not trajectory.model.address:
        del record["model"]["address"]
    record["style"] = _plain(record["style"])
    record["steps"] = [step_to_json(step) for step in trajectory.steps]
    record["replies"] = list(trajectory.replies)
    record["p_yes_runs"] = list(trajectory.p_yes_runs)
    if trajectory.wording == WordingRef():
        del record["wording"]
    if trajectory.rules == "ours":
        del record["rules"]
    members = [to_json(member) for member in record.pop("members")]
    return {"version": record.pop("version"), **record, **({"members": members} if members else {})}


def step_to_json(step: Step) -> dict[str, Any]:
    """Convert a step; keys with default values are left out."""
    record = {
        each.name: _plain(getattr(step, each.name))
        for each in fields(step)
        if each.name in ("kind", "turn", "by") or getattr(step, each.name) != each.default
    }
    if not step.measured:
        record.pop("measured", None)
    return record


def to_line(trajectory: Trajectory) -> str:
    """One line of JSON, without the newline."""
    return json.dumps(to_json(trajectory), allow_nan=False)


def write_trajectories(path: Path, trajectories: Iterable[Trajectory], *, add: bool = False) -> int:
    """Write a file of JSON lines, or `add` to it; returns the number of trajectories."""
    with write_errors(path, TrajectoryError):
        if not add:
            path.write_bytes(b"")
        return append_lines(path, map(to_line, trajectories))


def read_trajectories(path: Path) -> Iterator[Trajectory]:
    """Read trajectories one by one; a TrajectoryError names the line."""
    with read_errors(path, TrajectoryError), path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise TrajectoryError(f"{path}, line {number}: longer than {MAX_LINE} bytes")
            if not line.strip():
                continue
            try:
                record = from_line(line)
            except TrajectoryError as error:
                raise TrajectoryError(f"{path}, line {number}: {error}") from error
            yield record


def from_line(line: str | bytes) -> Trajectory:
    try:
        record = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise TrajectoryError(f"not valid JSON: {str(error)[:100]}") from error
    return from_json(record)


def from_json(record: object) -> Trajectory:
    """Raises TrajectoryError for anything that `to_json` could not have made."""
    table = _Table(record, "a trajectory")
    version = table.integer("version", 1, 10**6)
    if version > TRAJECTORY_VERSION:
        versions = f"version {version}; this one reads {TRAJECTORY_VERSION}"
        raise TrajectoryError(f"written by a newer program ({versions})")
    runs = [_chance(value, "p_yes_runs") for value in table.list("p_yes_runs")]
    return Trajectory(
        task=table.text("task"),
        spectrum=_spectrum_ref(table.table("spectrum")),
        model=_model_ref(table.table("model")),
        wording=WordingRef(**table.table("wording", {}).texts("name", "sha256")),
        rules=table.choice("rules", RULES_NAMES),
        style=_checked_object(table.value("style", {}), "style"),
        sizing=_sizing(table.table("sizing", {})),
        sampling=_sampling(table.table("sampling", {})),
        seed=table.integer("seed", -(2**63), 2**64, 0),
        steps=tuple(step_from_json(step) for step in table.list("steps", MAX_STEPS)),
        replies=tuple(_text(reply, "replies") for reply in table.list("replies", MAX_STEPS)),
        stopped_by=table.choice("stopped_by", STOPS),
        verdict=table.choice("verdict", ("YES", "NO", None)),
        p_yes=_chance(table.value("p_yes", None), "p_yes"),
        p_yes_runs=tuple(run for run in runs if run is not None),
        well_formed=table.flag("well_formed"),
        tokens=_tokens(table.table("tokens", {})),
        seconds=table.number("seconds", 0.0),
        engine_seconds=table.number("engine_seconds", 0.0),
        members=tuple(_member(each) for each in table.list("members", MAX_MEMBERS)),
        version=version,
        **table.texts("prompt_sha256", "overview", "overview_text", "stop_reason"),
    )


def _member(record: object) -> Trajectory:
    if isinstance(record, dict) and record.get("members"):
        raise TrajectoryError("a member of a panel has no members")
    return from_json(record)


def step_from_json(record: object) -> Step:
    """Raises TrajectoryError for anything that `step_to_json` could not have made."""
    table = _Table(record, "a step")
    return Step(
        kind=table.choice("kind", get_args(StepKind)),
        turn=table.integer("turn", -1, MAX_STEPS, 0),
        by=table.choice("by", get_args(Author)),
        range=_range(table.value("range", None)),
        verdict=table.choice("verdict", ("YES", "NO", None)) if "verdict" in table.values else None,
        measured=_checked_object(table.value("measured", {}), "measured"),
        seconds=table.number("seconds", 0.0),
        whole=table.flag("whole"),
        **table.texts("text", "label", "error", "picture"),
    )


def _spectrum_ref(table: _Table) -> SpectrumRef:
    return SpectrumRef(
        row=table.integer("row", 0, 2**53, 0),
        simulated=table.flag("simulated"),
        z=None if table.value("z", None) is None else table.number("z"),
        **table.texts("object_id", "path", "sha256"),
    )


def _model_ref(table: _Table) -> ModelRef:
    return ModelRef(name=table.text("name"), **table.texts("engine", "sha256", "address"))


def _sampling(table: _Table) -> SamplingSettings:
    default = SamplingSettings()
    try:
        return SamplingSettings(
            temperature=table.number("temperature", default.temperature),
            top_p=table.number("top_p", default.top_p),
            max_new_tokens=table.integer("max_new_tokens", 1, 10**6, default.max_new_tokens),
        )
    except WorkbenchError as error:
        raise TrajectoryError(f"sampling: {error}") from error


def _sizing(table: _Table) -> Sizing:
    names = [each.name for each in fields(Sizing)]
    sides = {name: table.integer(name, 1, 2**40, getattr(QWEN25, name)) for name in names}
    try:
        return Sizing(**sides)
    except WorkbenchError as error:
        raise TrajectoryError(f"sizing: {error}") from error


def _tokens(table: _Table) -> Tokens:
    names = [each.name for each in fields(Tokens)]
    return Tokens(**{name: table.integer(name, -1, 2**53, 0) for name in names})


class _Table:
    """Typed access to the values of a JSON object; raises TrajectoryError for a wrong value."""

    def __init__(self, record: object, what: str) -> None:
        if not isinstance(record, dict):
            raise TrajectoryError(f"{what} must be a JSON object")
        self.values: dict[str, Any] = record
        self.what = what

    def value(self, key: str, default: object = ...) -> Any:
        if key not in self.values and default is ...:
            raise TrajectoryError(f"{self.what} has no {key}")
        return self.values.get(key, default)

    def text(self, key: str, default: str | None = None) -> str:
        return _text(self.value(key, ... if default is None else default), key)

    def texts(self, *keys: str) -> dict[str, Any]:
        """Several texts by their key, empty if missing."""
        return {key: self.text(key, "") for key in keys}

    def integer(self, key: str, low: int, high: int, default: int | None = None) -> int:
        value = self.value(key, ... if default is None else default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise TrajectoryError(f"{key} must be a whole number from {low} to {high}")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        return _number(self.value(key, ... if default is None else default), key)

    def flag(self, key: str) -> bool:
        value = self.value(key, False)
        if not isinstance(value, bool):
            raise TrajectoryError(f"{key} must be true or false")
        return value

    def choice(self, key: str, options: Sequence[Any]) -> Any:
        value = self.value(key, options[0])
        if not isinstance(value, str | None) or value not in options:
            raise TrajectoryError(f"{key} must be one of {', '.join(map(str, options))}")
        return value

    def list(self, key: str, longest: int = MAX_ITEMS) -> list[Any]:
        value = self.value(key, [])
        if not isinstance(value, list) or len(value) > longest:
            raise TrajectoryError(f"{key} must be a list of at most {longest} items")
        return value

    def table(self, key: str, default: object = ...) -> _Table:
        return _Table(self.value(key, default), key)


def _text(value: object, key: str) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise TrajectoryError(f"{key} must be text of at most {MAX_TEXT} characters")
    return value


def _number(value: object, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e300:
        raise TrajectoryError(f"{key} must be a finite number")
    return value


def _chance(value: object, key: str) -> float | None:
    if value is None:
        return None
    number = _number(value, key)
    if not 0.0 <= number <= 1.0:
        raise TrajectoryError(f"{key} must be from 0 to 1")
    return number


def _range(value: object) -> tuple[float, float] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise TrajectoryError("range must be a list of two numbers")
    low, high = (_number(end, "range") for end in value)
    return low, high


def _checked_object(value: object, key: str) -> dict[str, Any]:
    """Check that a value is a JSON object of bounded depth and size."""
    if not isinstance(value, dict):
        raise TrajectoryError(f"{key} must be a JSON object")
    _check_size(value, key, MAX_DEPTH, [MAX_ITEMS])
    return value


def _check_size(value: object, key: str, depth: int, items_left: list[int]) -> None:
    items_left[0] -= 1
    if depth < 0 or items_left[0] < 0:
        raise TrajectoryError(f"{key} is nested too deeply or too large")
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            _check_size(each, key, depth - 1, items_left)
    elif isinstance(value, float) and not math.isfinite(value):
        raise TrajectoryError(f"{key} contains a number that is not finite")


def _flat(record: Any) -> dict[str, Any]:
    return {each.name: getattr(record, each.name) for each in fields(record)}


def _plain(value: Any) -> Any:
    """Convert tuples to lists and mappings to dictionaries."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not allowed")
