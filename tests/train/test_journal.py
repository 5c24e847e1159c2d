import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.claims.features import Feature
from agent.errors import WorkbenchError
from agent.evidence.places import contains
from tests.train.draft.spectra import all_examples
from train.journal import METRICS_FILE, journal, read_metrics
from train.meter import Meter
from train.parallel import in_order


def write(folder: Path, steps: range, resume_at: int | None = None) -> None:
    with journal(folder, resume_at=resume_at) as run:
        for step in steps:
            run.log(step, loss=1.0 / (step + 1), note="x")


class TestJournal:
    def test_reads_back(self, tmp_path: Path):
        write(tmp_path, range(3))
        found = read_metrics(tmp_path)
        assert [record["step"] for record in found] == [0, 1, 2]
        assert found[1]["loss"] == 0.5

    def test_a_resumed_run_has_each_step_once(self, tmp_path: Path):
        write(tmp_path, range(5))
        write(tmp_path, range(3, 6), resume_at=2)
        assert [record["step"] for record in read_metrics(tmp_path)] == [0, 1, 2, 3, 4, 5]

    def test_a_new_run_begins_anew(self, tmp_path: Path):
        write(tmp_path, range(5))
        write(tmp_path, range(1))
        assert len(read_metrics(tmp_path)) == 1

    def test_what_is_not_finite_is_null(self, tmp_path: Path):
        with journal(tmp_path) as run:
            run.log(0, loss=float("nan"), rate=float("inf"), none=None)
        (record,) = read_metrics(tmp_path)
        assert (record["loss"], record["rate"], record["none"]) == (None, None, None)

    def test_a_line_cut_off_is_left_out(self, tmp_path: Path):
        write(tmp_path, range(2))
        with (tmp_path / METRICS_FILE).open("a") as file:
            file.write(json.dumps({"step": 2, "loss": 1})[:9])
        assert len(read_metrics(tmp_path)) == 2

    def test_no_run(self, tmp_path: Path):
        with pytest.raises(WorkbenchError, match="not the folder of a run"):
            read_metrics(tmp_path)


def test_windows_and_features_are_in_the_frame_of_the_pictures() -> None:
    meter = Meter.of(all_examples()[0].spectrum)
    low, high = meter.range
    assert meter.is_covered((low, high)) and not meter.is_covered((high + 100, high + 200))
    assert meter.snr((low, high)) > 10 and meter.snr((high + 100, high + 200)) == 0
    line = Feature("H_alpha", is_line=True)
    window = meter.window_of(line)
    assert window is not None and contains(window, (6565 * meter.shift, 6565 * meter.shift), 0.0)
    assert meter.window_of(Feature("colour_4200_5400")) is None


def test_a_window_contains_its_parts_and_a_little_more_with_slack() -> None:
    assert contains((4000, 5000), (4000, 4500), 0.0)
    assert not contains((4000, 5000), (3999, 4500), 0.0)
    assert contains((4000, 5000), (3999, 5001), slack=1.0)


# Work shared among processes.
BUSY_FOR_AN_HOUR = """
import os, time
from train.parallel import in_order

def busy(number):
    print(os.getpid(), flush=True)
    time.sleep(3600)

if __name__ == "__main__":
    list(in_order(busy, range(9), 2))
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_jobs(workers: int):
    assert list(in_order(abs, range(-40, 0), workers)) == list(range(40, 0, -1))


def test_a_worker_that_dies_is_told_in_a_sentence():
    with pytest.raises(WorkbenchError, match=r"killed \(out of memory\?\).* fewer --workers"):
        list(in_order(os._exit, [3, 3], 2))


@pytest.mark.skipif(sys.platform == "win32", reason="ends processes by signals")
def test_workers_end_with_the_command_that_is_killed(tmp_path: Path):
    script = tmp_path / "busy.py"
    script.write_text(BUSY_FOR_AN_HOUR)
    root = str(Path(__file__).parents[2])
    command = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": root},
        text=True,
    )
    assert command.stdout is not None
    with command, command.stdout as said:
        workers = {int(said.readline()), int(said.readline())}
        assert len(workers) == 2 and command.pid not in workers
        command.send_signal(signal.SIGKILL)
        # the pipe ends when the last process that could write to it has gone
        said.read()
