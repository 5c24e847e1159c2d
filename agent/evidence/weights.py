"""Weights of a task's claims: fitted ones, or defaults for a user's own task."""

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

PRIOR_LOG_ODDS = -1.6  # one in six
# The weights in a task file are for each claim alone, but claims overlap.
UNFITTED_WEIGHT = 0.7
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
    """Fitted weights of a bundled task, or default weights of a user's own task."""
    fitted = _builtin_weights().get(task.id) if task.path is None else None
    names = [evidence.id for evidence in task.evidence]
    if fitted is not None and set(fitted.claims) == set(names):
        return fitted
    return TaskWeights(claims=MappingProxyType(dict.fromkeys(names, UNFITTED_WEIGHT)))


@cache
def _builtin_weights() -> Mapping[str, TaskWeights]:
    with as_file(files("resources") / "weights" / "tasks.toml") as path:
        return read_weights(path)


def read_weights(path: Path) -> Mapping[str, TaskWeights]:
    """Read weights by task id; a ResourceError names the faulty key."""
    file = read_toml(path, MAX_BYTES)
    weights = {}
    for table in file.tables("tasks", at_most=64):
        claims = table.texts("claims", longest=32, at_most=MAX_CLAIMS)
        values = table.numbers("weights", low=0, high=20, at_most=MAX_CLAIMS)
        if len(values) != len(claims):
            raise table.fault("weights", f"expected {len(claims)} numbers, found {len(values)}")
        weights[table.text("id", longest=16)] = TaskWeights(
            intercept=table.number("intercept", low=-20, high=20),
            kind=table.number("kind", low=0, high=20),
            claims=MappingProxyType(dict(zip(claims, values, strict=True))),
            is_fitted=True,
        )
        table.close()
    file.close()
    return MappingProxyType(weights)


@cache
def builtin_fingerprint() -> str:
    """Hash of all fitted weights, which identifies the version of the measured inspector."""
    folder = files("resources") / "weights"
    texts = [(folder / name).read_text(encoding="utf-8") for name in ("kinds.toml", "tasks.toml")]
    return text_hash("\n".join(texts))
