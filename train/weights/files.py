"""Writing the fitted weights to the files that the inspector reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np

from agent.evidence.kinds import Kinds
from agent.evidence.weights import TaskWeights
from agent.spectra.spectrum import FloatArray


def builtin_folder() -> Path:
    return Path(str(files("resources") / "weights"))


def write_kinds(path: Path, kinds: Kinds, made_by: Sequence[str]) -> None:
    n_knots = kinds.knots.shape[1]
    lines = [
        *_header(made_by),
        f"labels = [{', '.join(_quoted(label) for label in kinds.labels)}]",
        f"intercepts = {_numbers(kinds.intercepts)}",
    ]
    for index, gate in enumerate(kinds.gates):
        rows = kinds.weights[index * n_knots : (index + 1) * n_knots]
        lines += [
            "",
            "[[gates]]",
            f"name = {_quoted(gate)}",
            f"knots = {_numbers(kinds.knots[index], 4)}",
            f"scales = {_numbers(kinds.scales[index], 4)}",
            "weights = [",
            *(f"  {_numbers(row)[1:-1]}," for row in rows),
            "]",
        ]
    _write(path, lines)


def write_tasks(path: Path, tasks: Mapping[str, TaskWeights], made_by: Sequence[str]) -> None:
    lines = list(_header(made_by))
    for task_id, weights in tasks.items():
        lines += [
            "",
            "[[tasks]]",
            f"id = {_quoted(task_id)}",
            f"intercept = {weights.intercept:.4g}",
            f"kind = {weights.kind:.4g}",
            f"claims = [{', '.join(_quoted(name) for name in weights.claims)}]",
            f"weights = {_numbers(np.array(list(weights.claims.values())))}",
        ]
    _write(path, lines)


def _header(made_by: Sequence[str]) -> list[str]:
    return [f"# {line}" for line in ("Fitted weights: do not edit, make them again.", *made_by)]


def _numbers(values: FloatArray, digits: int = 3) -> str:
    return f"[{', '.join(f'{value:.{digits}g}' for value in values.tolist())}]"


def _quoted(text: str) -> str:
    return f'"{text}"'


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
