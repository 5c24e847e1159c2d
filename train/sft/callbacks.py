"""Trainer callbacks: metrics for the journal, a progress bar, and memory trimming."""

import ctypes
import math
import os
import time
from collections.abc import Sequence
from typing import Any

from rich.progress import Progress
from transformers import TrainerCallback

from agent.errors import WorkbenchError
from train.journal import Journal

TRIM_EVERY = 25


class StepLogger(TrainerCallback):
    """Writes transformers' logs to the journal, with unpadded tokens per second and our epochs."""

    def __init__(self, journal: Journal, tokens_of_step: Sequence[int], epochs: float) -> None:
        self._journal = journal
        self._tokens = tokens_of_step
        self._epochs = epochs
        self._last_step, self._last_time = 0, time.perf_counter()

    def on_train_begin(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        self._last_step, self._last_time = state.global_step, time.perf_counter()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **unused: Any) -> None:
        step = int(state.global_step)
        metrics = {
            name: float(value)
            for name, value in (logs or {}).items()
            if isinstance(value, int | float) and name != "epoch"
        }
        loss = metrics.get("loss")
        if loss is not None and not math.isfinite(loss):
            raise WorkbenchError(
                f"the loss at step {step} is not finite: try a smaller lr, a longer warmup or "
                "precision=fp32"
            )
        if loss is not None and step > self._last_step:
            now = time.perf_counter()
            tokens = sum(self._tokens[self._last_step : step])
            metrics["tokens_per_second"] = tokens / max(now - self._last_time, 1e-9)
            self._last_step, self._last_time = step, now
        if step:
            metrics["epoch"] = self._epochs * step / max(1, len(self._tokens))
        self._journal.log(step, **metrics)


class HeapTrimmer(TrainerCallback):
    """Returns freed memory, because batches of many lengths fragment the C heap by gigabytes."""

    def __init__(self, every: int = TRIM_EVERY) -> None:
        self._every = every
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None

    def on_step_end(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        if self._trim is not None and state.global_step % self._every == 0:
            self._trim(0)


class ProgressCallback(TrainerCallback):
    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("training", total=None)

    def on_train_begin(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        self._bar.update(self._task, total=state.max_steps, completed=state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        self._bar.update(self._task, completed=state.global_step)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **unused: Any) -> None:
        if logs and "loss" in logs:
            self._bar.update(self._task, description=f"training, loss {logs['loss']:.3f}")
