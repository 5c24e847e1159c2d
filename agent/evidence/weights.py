"""How much each claim of a task counts in its judgement: fitted weights, or the task file's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from types import MappingProxyType

from agent.checked_toml import read_toml
from agent.evidence.kinds import MAX_BYTES
from agent.hashing import text_hash
from agent.tasks.task import Task

PRIOR_LOG_ODDS = -1.6
"""Candidates are one in six, where nothing was fitted."""
OWN_SHARE = 0.7
"""Claims overlap: the weights of a task file, which stand for each alone, count this much."""
MAX_CLAIMS = 64


@dataclass(frozen=True, kw_only=True)
class TaskWeights:
    """log-odds of YES = intercept + kind * log-odds of the kind + sum of claim * its log-odds."""

    intercept: float = PRIOR_LOG_ODDS
    kind: float = 0.0
    claims: Mapping[str, float]
    is_fitted: bool = False

    @property
    def sha256(self) -> str:
        claims = ",".join(f"{name}={weight:.6g}" for name, weight in self.claims.items())
        return text_hash(f"{self.intercept:.6g},{self.kind:.6g},{claims}")


def weights_for(task: Task) -> TaskWeights:
    """The fitted weights of a bundled task; of a user's own, those in its file."""
    fitted = _builtin_weights().get(task.id) if task.path is None else None
    names = [evidence.id for evidence in task.evidence]
    if fitted is not None and set(fitted.claims) == set(names):
        return fitted
    return TaskWeights(claims=MappingProxyType(dict.fromkeys(names, OWN_SHARE)))


@cache
def _builtin_weights() -> Mapping[str, TaskWeights]:
    with as_file(files("resources") / "weights" / "tasks.toml") as path:
        return read_weights(path)


def read_weights(path: Path) -> Mapping[str, TaskWeights]:
    """Weights by task id; ResourceError names what is wrong with the file."""
    file = read_toml(path, MAX_BYTES)
    found = {}
    for table in file.tables("tasks", at_most=64):
        claims = table.texts("claims", longest=32, at_most=MAX_CLAIMS)
        values = table.numbers("weights", low=0, high=20, at_most=MAX_CLAIMS)
        if len(values) != len(claims):
            raise table.fault("weights", f"expected {len(claims)} numbers, found {len(values)}")
        found[table.text("id", longest=16)] = TaskWeights(
            intercept=table.number("intercept", low=-20, high=20),
            kind=table.number("kind", low=0, high=20),
            claims=MappingProxyType(dict(zip(claims, values, strict=True))),
            is_fitted=True,
        )
        table.close()
    file.close()
    return MappingProxyType(found)


@cache
def builtin_fingerprint() -> str:
    """Of all fitted weights together: which measured inspector this is."""
    folder = files("resources") / "weights"
    texts = [(folder / name).read_text(encoding="utf-8") for name in ("kinds.toml", "tasks.toml")]
    return text_hash("\n".join(texts))
