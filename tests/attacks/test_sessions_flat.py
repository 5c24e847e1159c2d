"""Sessions opened and closed one after another: descriptors, threads and memory stay."""

import gc
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from app.core.errors import SessionError
from app.core.exporting import export
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.attacks.sandbox import Sandbox
from tests.attacks.sessions.scene import make
from tests.night import BY_NIGHT

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc"),
    pytest.mark.timeout(900),  # more than the deadline of the sandbox
]
ROUNDS, WARM_UP = (200, 10) if BY_NIGHT else (10, 6)
MOST_GROWTH_MB = 8


def open_many(folder: str, rounds: int) -> list[dict[str, int]]:
    """What the process holds after each round, first with a warm-up."""
    place = make(Path(folder))
    damaged = place.with_name("damaged.speco3")
    content = place.read_bytes()
    damaged.write_bytes(content[:4096] + bytes(len(content) - 4096))
    held = []
    for number in range(WARM_UP + rounds):
        with open_session(place, "Ada") as session:
            session.record_verdict(1, Opinion(verdict=list(Verdict)[number % 3]))
            session.undo()
        with open_session(place, "Ben", read_only=True) as session:
            export(session, place.with_name("out.csv"))
            list(session.history(1))
        for read_only in (False, True):
            with suppress(SessionError):
                open_session(damaged, "Ada", read_only=read_only)
        held.append(_held())
    return held[WARM_UP:]


def _held() -> dict[str, int]:
    gc.collect()
    status = Path("/proc/self/status").read_text()
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return {
        "descriptors": len([*Path("/proc/self/fd").iterdir()]),
        "threads": threading.active_count(),
        "tasks": len([*Path("/proc/self/task").iterdir()]),
        "mb": int(resident.split()[1]) // 1024,
    }


def test_two_hundred_sessions_in_one_process(tmp_path):
    with Sandbox("tests.attacks.test_sessions_flat:open_many") as sandbox:
        outcome = sandbox.run(str(tmp_path), ROUNDS, deadline_s=600)
    assert (outcome.error, outcome.status) == ("", 0), outcome.output
    first, last = outcome.value[0], outcome.value[-1]
    assert len(outcome.value) == ROUNDS
    for name in ("descriptors", "threads", "tasks"):
        assert {each[name] for each in outcome.value} == {first[name]}
    assert last["mb"] - first["mb"] <= MOST_GROWTH_MB, (first, last)
