"""A step of fine-tuning the nano shape on one core, against TRL's SFTTrainer as it comes.

python -m tests.bench sft
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import torch

from agent.examples.examples import example, write_examples
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.rendering.render import Style
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory_file import write_trajectories
from tests.bench.sft_side import BATCH
from train.recipe import settings
from train.sft.new_model import make_new_model, task_texts, trajectory_texts
from train.sft.run import uses_bfloat16
from train.sft.settings import ModelSettings
from train.simulate.campaign import Settings, assignments
from train.simulate.production import simulate_spectrum
from train.simulate.telescope.observation import to_spectrum

NANO = Style(name="nano", width=252, height=168)
"""54 tokens a picture."""
STEPS = 3


def figures(
    shape: ModelSettings | None = None, style: Style = NANO, steps: int = STEPS
) -> Iterator[dict[str, object]]:
    """`shape`, `style` and `steps` smaller for a test."""
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        prepare(work, shape or settings(ModelSettings, "model", preset="nano"), style, steps)
        own, other = side("ours", work, steps), side("trl", work, steps)
    speed = own["tokens"] / own["step_s"]
    slower = own["tokens"] / other["step_s"]
    name = f"tokens/s, {BATCH} conversations of {own['tokens'] / BATCH:.0f} in a batch"
    yield {
        "figure": "tokens trained a second",
        "value": speed,
        "unit": name,
        "baseline": f"{slower:.0f} by TRL",
    }
    yield {
        "figure": "conversations trained a second",
        "value": BATCH / own["step_s"],
        "unit": "conversations/s",
        "baseline": f"{BATCH / other['step_s']:.3g} by TRL",
    }
    yield {
        "figure": "a step",
        "value": other["step_s"] / own["step_s"],
        "unit": "times faster",
        "baseline": "TRL's SFTTrainer with its defaults",
    }
    yield {
        "figure": "share of the core's matrix products",
        "value": own["flops"] / own["step_s"] / products_a_second(),
        "unit": f"of {str(product_type()).removeprefix('torch.')} products of 1,024 by 1,024",
        "baseline": "1",
    }
    yield {
        "figure": "peak memory of the process",
        "value": own["peak_mb"],
        "unit": "MB",
        "baseline": f"{other['peak_mb']:.0f} MB by TRL",
    }


def prepare(work: Path, shape: ModelSettings, style: Style, steps: int) -> None:
    """Trajectories of the measured inspector on simulations, and a model that fits them."""
    inspector = MeasuredInspector(style=style)
    examples, records = [], []
    told = Settings(
        seed=11, count=BATCH * steps, task="WD", odds=(1, 1), survey="LAMOST", snr=(20, 60)
    )
    for each in assignments(told):
        spectrum = to_spectrum(simulate_spectrum(told, each).entry.observation)
        spectrum = replace(spectrum, path=f"simulated-{each.index}.fits")
        answer = "YES" if each.label == told.task else "NO"
        one = example(spectrum, task=told.task, answer=answer, label=each.label)
        examples.append(one)
        records.append(run(inspector.inspect(one.spectrum, find_task(told.task))))
    write_examples(work / "cold.parquet", examples)
    write_trajectories(work / "approved.jsonl", records)
    make_new_model(work / "start", shape, [*task_texts(), *trajectory_texts(records)], seed=1)


def side(name: str, work: Path, steps: int) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.sft_side", name, str(work), str(steps)],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def product_type() -> torch.dtype:
    return torch.bfloat16 if uses_bfloat16("auto") else torch.float32


def products_a_second(repeats: int = 20) -> float:
    """Floating-point operations of one core in products as large as caches like them, in the
    precision that training has here."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    one = torch.randn(1024, 1024, dtype=product_type())
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        one @ one
        times.append(time.perf_counter() - started)
    torch.set_num_threads(threads)
    return 2 * 1024**3 / min(times)
