from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock, call

import pytest

from agent.errors import WorkbenchError
from train.sft.callbacks import HeapTrimmer, StepLogger


def logged(callback: Any, step: int, **logs: float) -> None:
    callback.on_log(None, SimpleNamespace(global_step=step), None, logs=logs)


def test_speed_and_epochs_are_our_own() -> None:
    journal = Mock()
    callback = StepLogger(journal, tokens_of_step=[100, 100, 100, 100], epochs=2.0)
    logged(callback, 2, loss=1.5, epoch=77.0)
    logged(callback, 2, eval_loss=1.2)
    first, second = journal.log.call_args_list
    told = first.kwargs
    assert told["epoch"] == 1.0 and told["loss"] == 1.5 and told["tokens_per_second"] > 0
    assert second == call(2, eval_loss=1.2, epoch=1.0)


def test_a_loss_that_is_not_finite_ends_the_run() -> None:
    callback = StepLogger(Mock(), tokens_of_step=[100], epochs=1.0)
    with pytest.raises(WorkbenchError, match="step 1 is not finite"):
        logged(callback, 1, loss=float("nan"))


def test_the_heap_is_trimmed_every_few_steps() -> None:
    calls: list[int] = []
    trimmer: Any = HeapTrimmer(every=2)
    trimmer._trim = calls.append
    for step in range(1, 6):
        trimmer.on_step_end(None, SimpleNamespace(global_step=step), None)
    assert calls == [0, 0]
