"""A worker may run for days, and a window too: by half time nothing of them grows any more."""

import json
import os
import statistics
import subprocess
import sys
from collections import Counter

import pytest

from agent.engines.base import SamplingSettings
from agent.inspection.built_in import EYE, PANEL
from app.core.database.session_file import MAX_READERS
from app.worker.request import InspectRequest, LoadRequest
from app.worker.supervisor import WorkerClient
from tests.app.cli.commands import SAMPLE
from tests.attacks.sandbox import ROOT
from tests.attacks.window.judging import sample_of
from tests.night import BY_NIGHT
from tests.processes import held
from tests.small_models import tiny_qwen25

__all__ = ["tiny_qwen25"]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="memory and files are counted as there"),
    pytest.mark.timeout(7200),  # thousands of inspections by a model on the processor
]
COUNT = 300 if BY_NIGHT else 40
FILES = 20  # so few that what is loaded for some of them only is loaded early
COUNT_OF_PANEL = 2000
LATEST = 10  # of which the middle counts: a single figure goes up and down
MAX_GROWTH_MB = 5.0
MAX_GROWTH_OF_WINDOW_MB = 20.0
"""What was seen is kept for each candidate, and a list of 2,000 is not through at half time."""
KEYS = 24_000
LONG_S = 120.0


def held_over(
    model: str, count: int, sampling: SamplingSettings | None = None
) -> list[tuple[float, int, int, int]]:
    """After each of so many inspections in one worker."""
    every = sorted((SAMPLE / "spectra").rglob("*.fits.gz"))
    files = [path for path in every if not path.name.startswith("redrock")]
    del files[FILES:]
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
            found.append(held(pid))
        assert client.pid == pid
    return found


@pytest.mark.parametrize(
    "model", ["measured", EYE, "tiny_qwen25", PANEL] if BY_NIGHT else ["measured"]
)
def test_a_worker_stays_as_it_is(model: str, request: pytest.FixtureRequest) -> None:
    """By night 2,000 inspections by the panel, too."""
    if model == "tiny_qwen25":  # what it says is random, and would take all the time it may
        folder = str(request.getfixturevalue(model))
        found = held_over(folder, COUNT, SamplingSettings(max_new_tokens=8))
    else:
        found = held_over(model, COUNT_OF_PANEL if model == PANEL else COUNT)
    # The longest conversation so far takes more than all before it: it may come as the hundredth.
    check_second_half(found, MAX_GROWTH_MB)


def check_second_half(found: list[tuple[float, int, int, int]], most_mb: float) -> None:
    before, after = (
        [statistics.median(column) for column in zip(*some, strict=True)]
        for some in (found[len(found) // 2 - LATEST :][:LATEST], found[-LATEST:])
    )
    told = [round(memory) for memory, *_ in found[:: max(1, len(found) // 40)]]
    files = [files for _, files, *_ in found[:: max(1, len(found) // 40)]]
    sys.stderr.write(f"memory in MB: {told}\nfiles: {files}\n")
    assert after[0] - before[0] < most_mb, told
    assert after[1:] == before[1:]


@pytest.mark.skipif(not BY_NIGHT, reason="by night only: what it holds is level after an hour")
@pytest.mark.timeout(14400)
def test_a_window_that_judges_stays_as_it_is(tmp_path):
    """The window judges for two hours: 24,000 keys on a list of 2,000, with the agent on."""
    place = sample_of(tmp_path, KEYS)
    command = [sys.executable, "-m", "tests.attacks.window.judging", place, KEYS, KEYS // 40]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        list(map(str, command)), cwd=ROOT, env=environment, capture_output=True, text=True
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr, len(told)) == (0, "", 40)
    some, lines, files = zip(*told, strict=True)
    assert lines[-1] > KEYS // 4
    sys.stderr.write(f"{Counter(files[-1]) - Counter(files[len(files) // 2])}\n")
    # While one connection is open, SQLite keeps the descriptor of each that is closed, for the next
    # one: there are as many as there ever were connections at once.
    of_session = [each.count(str(place)) for each in files]
    assert max(of_session) <= MAX_READERS + 1
    others = [(one[0], one[1] - own, *one[2:]) for one, own in zip(some, of_session, strict=True)]
    check_second_half(others, MAX_GROWTH_OF_WINDOW_MB)
