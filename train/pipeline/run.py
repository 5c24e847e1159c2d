"""Running the chain: each command in a process of its own, finished ones not again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from agent.errors import WorkbenchError
from train.pipeline.orders import Step

RECORD = "chain.json"
MODULES = {"spec-o3-train": "train.cli", "spec-o3": "app.cli.main"}
TAIL = 3000


@dataclass(frozen=True)
class Done:
    """A step that is finished, and how long it took."""

    name: str
    line: str
    seconds: float


def run_chain(
    out: Path,
    steps: Iterable[Step],
    begun: Callable[[Step], None] = lambda step: None,
    ended: Callable[[Done], None] = lambda done: None,
) -> list[Done]:
    """Run what is not done. A step whose command has changed is run again, with all after it.

    Raises WorkbenchError with the last words of a command that fails; started again, the chain
    goes on there.
    """
    out.mkdir(parents=True, exist_ok=True)
    before = {done.name: done for done in _read(out)}
    finished: list[Done] = []
    is_stale = False
    for step in steps:
        known = before.get(step.name)
        if not is_stale and known and known.line == step.line and step.makes.exists():
            finished.append(known)
            continue
        is_stale = is_stale or known is not None
        begun(step)
        started = time.perf_counter()
        _run(step)
        done = Done(step.name, step.line, round(time.perf_counter() - started, 2))
        finished.append(done)
        _write(out, finished)
        ended(done)
    return finished


def _run(step: Step) -> None:
    arguments = [_one_file(step, word) for word in step.arguments]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", *_together(step), MODULES[step.program], *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if ended.returncode or not step.makes.exists():
        said = (ended.stderr or ended.stdout).strip()[-TAIL:]
        why = said or f"it made no {step.makes}"
        raise WorkbenchError(f"the step {step.name} failed:\n{step.line}\n{why}")


def _together(step: Step) -> list[str]:
    if step.processes == 1:
        return []
    return ["torch.distributed.run", "--standalone", f"--nproc-per-node={step.processes}", "-m"]


def _one_file(step: Step, word: str) -> str:
    """`inspect` takes a file; the folder of one simulated spectrum stands for it."""
    if step.program != "spec-o3" or not Path(word).is_dir():
        return word
    files = sorted(path for path in Path(word).rglob("*.fits") if path.is_file())
    return str(files[0]) if files else word


def _read(out: Path) -> list[Done]:
    path = out / RECORD
    if not path.is_file():
        return []
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return [Done(str(one["name"]), str(one["line"]), float(one["seconds"])) for one in told]
    except (ValueError, TypeError, KeyError) as error:
        raise WorkbenchError(f"{path} is damaged: remove it to begin anew") from error


def _write(out: Path, finished: list[Done]) -> None:
    part = out / f".{RECORD}.part"
    part.write_text(json.dumps([vars(one) for one in finished], indent=1) + "\n", encoding="utf-8")
    part.replace(out / RECORD)
