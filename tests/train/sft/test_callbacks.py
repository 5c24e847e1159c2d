from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("transformers")

from agent.errors import WorkbenchError
from train.sft.callbacks import HeapTrimmer, StepLogger


class Journal:
    def __init__(self) -> None:
        self.lines: list[dict[str, float]] = []

    def log(self, step: int, **metrics: float) -> None:
        self.lines.append({"step": step, **metrics})


def logged(callback: Any, step: int, **logs: float) -> None:
    callback.on_log(None, SimpleNamespace(global_step=step), None, logs=logs)


def test_speed_and_epochs_are_our_own() -> None:
    journal: Any = Journal()
    callback = StepLogger(journal, tokens_of_step=[100, 100, 100, 100], epochs=2.0)
    logged(callback, 2, loss=1.5, epoch=77.0)
    logged(callback, 2, eval_loss=1.2)
    first, second = journal.lines
    assert first["epoch"] == 1.0 and first["loss"] == 1.5 and first["tokens_per_second"] > 0
    assert second == {"step": 2, "eval_loss": 1.2, "epoch": 1.0}


def test_a_loss_that_is_not_finite_ends_the_run() -> None:
    journal: Any = Journal()
    callback = StepLogger(journal, tokens_of_step=[100], epochs=1.0)
    with pytest.raises(WorkbenchError, match="step 1 is not finite"):
        logged(callback, 1, loss=float("nan"))


def test_the_heap_is_trimmed_every_few_steps() -> None:
    calls: list[int] = []
    trimmer: Any = HeapTrimmer(every=2)
    trimmer._trim = calls.append
    for step in range(1, 6):
        trimmer.on_step_end(None, SimpleNamespace(global_step=step), None)
    assert calls == [0, 0]
