"""`spec-o3 vet --ray`, stopped by Ctrl-C, then killed, then left alone."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.app.cli.commands import MEASURED, SAMPLE, run
from tests.processes import LONG_S, marked, wait_until

pytest.importorskip("ray")
MARK = "SPEC_O3_TEST_OF_RAY"
LINES = (SAMPLE / "candidates.csv").read_text(encoding="utf-8").splitlines(keepends=True)
COUNT = 24


def inspected(place: Path) -> list[int]:
    with closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT candidate_id FROM inspections ORDER BY 1")
        return [number for (number,) in rows]


def started(place: Path) -> subprocess.Popen[str]:
    words = ["-m", "app.cli.main", "vet", str(place), *MEASURED, "--ray", "--actors", "2"]
    return subprocess.Popen(
        [sys.executable, *words],
        env={**os.environ, MARK: place.name},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a terminal sends Ctrl-C to all of a command's processes
    )


def working(place: Path) -> list[str]:
    """The actors and their processes; two of Ray's own that only watch stay for a minute."""
    lines = []
    for pid in marked(MARK, place.name):
        with suppress(OSError):  # it has just ended
            lines.append(Path(f"/proc/{pid}/cmdline").read_text())
    return [line for line in lines if "Shell" in line or "worker" in line]


@pytest.mark.timeout(900)  # three commands, one after the other
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
def test_what_was_stopped_and_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    place = tmp_path / f"ray-{os.getpid()}.speco3"
    few = tmp_path / "few.csv"
    few.write_text("".join(LINES[: COUNT + 1]))
    run("new", place, few, "--task", "CV", "--spectra", SAMPLE)

    vet = started(place)
    wait_until(lambda: inspected(place) and working(place))
    os.killpg(vet.pid, signal.SIGINT)
    out, err = vet.communicate(timeout=LONG_S)
    first = inspected(place)
    assert vet.returncode == 130, err
    # One that is being stored at that moment is kept, but not told.
    assert int(out.split()[0]) in (len(first) - 1, len(first)) and " with measured" in out
    assert "again to continue" in err
    assert "Traceback" not in err

    vet = started(place)
    wait_until(lambda: len(inspected(place)) > len(first) + 3)
    vet.kill()
    vet.communicate(timeout=LONG_S)
    wait_until(lambda: not working(place))  # for nobody
    second = inspected(place)
    assert len(second) < COUNT

    vet = started(place)
    out, err = vet.communicate(timeout=LONG_S)
    assert vet.returncode == 0, err
    assert out.startswith(f"{COUNT - len(second)} inspected with measured")
    assert out.count("\n") == 1, "nothing of Ray's own"
    whole = inspected(place)
    assert len(whole) == len(set(whole))
    assert set(second) < set(whole)
