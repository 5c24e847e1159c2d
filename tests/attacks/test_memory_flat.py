"""A worker may run for days: after the first inspections its memory no longer grows."""

import statistics
import sys
from pathlib import Path

import pytest

from agent.engines.base import SamplingSettings
from agent.inspection.built_in import EYE
from app.worker.request import InspectRequest, LoadRequest
from app.worker.supervisor import WorkerClient
from tests.app.cli.commands import SAMPLE
from tests.night import BY_NIGHT
from tests.small_models import tiny_qwen25

__all__ = ["tiny_qwen25"]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc"),
    pytest.mark.timeout(1800),  # hundreds of inspections by a model on the processor
]
COUNT, FIRST = (300, 50) if BY_NIGHT else (40, 20)
LATEST = 10  # of which the middle counts: a single figure goes up and down
MAX_GROWTH_MB = 5.0
LONG_S = 120.0


def memory_mb(pid: int) -> float:
    words = Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()
    return int(words[0]) / 1024


def memory_over(model: str, count: int, sampling: SamplingSettings | None = None) -> list[float]:
    """In MB, after each of so many inspections in one worker."""
    every = sorted((SAMPLE / "spectra").rglob("*.fits.gz"))
    files = [path for path in every if not path.name.startswith("redrock")]
    del files[FIRST - LATEST :]  # what is loaded for some of them only is loaded before we look
    found = []
    load = LoadRequest(model, device="cpu", threads=1, sampling=sampling)
    with WorkerClient() as client:
        client.load(load).result(LONG_S)
        pid = client.pid
        assert pid is not None
        for number in range(count):
            request = InspectRequest(task="CV", path=files[number % len(files)], seed=number)
            trajectory = client.inspect(request).result(LONG_S)
            assert trajectory.stopped_by != "error", trajectory.stop_reason
            found.append(memory_mb(pid))
        assert client.pid == pid
    return found


@pytest.mark.parametrize("model", ["measured", EYE, "tiny_qwen25"] if BY_NIGHT else ["measured"])
def test_memory_stays(model: str, request: pytest.FixtureRequest) -> None:
    if model == "tiny_qwen25":  # what it says is random, and would take all the time it may
        folder = str(request.getfixturevalue(model))
        memory = memory_over(folder, COUNT, SamplingSettings(max_new_tokens=8))
    else:
        memory = memory_over(model, COUNT)
    before = statistics.median(memory[FIRST - LATEST : FIRST])
    after = statistics.median(memory[-LATEST:])
    assert after - before < MAX_GROWTH_MB, [round(each) for each in memory[::10]]
