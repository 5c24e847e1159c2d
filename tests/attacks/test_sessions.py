"""Thousands of spoilt sessions: each command reads one, or says in a sentence why it does not."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from agent.models.folders import hub_cache
from tests.attacks.sandbox import Outcome, Sandbox
from tests.attacks.sessions.scene import make
from tests.night import BY_NIGHT, seeds

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="cases are forked"),
    pytest.mark.timeout(900),  # a hundred sessions, about ten commands each
]
MOST_MB = 600
ALLOWED = ("/dev/null", "/usr/share/zoneinfo", str(hub_cache()))
"""In the last the program looks for published models, by names of its own."""


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=20))
def test_commands_on_spoilt_sessions(tmp_path, batch):
    """By night 2,000 sessions."""
    count = 100 if BY_NIGHT else 3
    said: Counter[str] = Counter()
    for outcome in _outcomes(tmp_path, "commands", batch * count, count):
        value = outcome.value
        assert value["lost"] == 0, value  # the log only grows
        if value["what"].startswith("paths"):
            assert value["packed"] == 0, value
            assert any("--trust-paths" in each for each in value["said"].values())
        said.update("refused" if each else "read" for each in value["said"].values())
    assert said["read"] > count
    assert said["refused"] > count


def test_commands_on_sessions_that_gave_way(tmp_path):
    """An object whose number is too large for a float; a model whose hash is missing."""
    for seed in (521, 922):
        assert list(_outcomes(tmp_path, "commands", seed, 1))


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=10))
def test_the_window_on_spoilt_sessions(tmp_path, batch):
    """By night 200 sessions, other ones."""
    count = 20 if BY_NIGHT else 1
    for outcome in _outcomes(tmp_path, "window", 100_000 + batch * count, count):
        value = outcome.value
        assert value["faults"] == [], value
        assert value["shown"] + value["problem"] + value["asked"] == 1, value


def _outcomes(folder: Path, module: str, first: int, count: int):
    scene = folder / "scene"
    if not scene.exists():
        scene.mkdir()
        make(scene)
    with Sandbox(f"tests.attacks.sessions.{module}:attack") as sandbox:
        for seed in range(first, first + count):
            home = folder / str(seed)
            outcome = sandbox.run(seed, str(scene), str(home))
            _check(outcome, seed, home, scene)
            yield outcome


def _check(outcome: Outcome, seed: int, home: Path, scene: Path) -> None:
    assert (outcome.error, outcome.status) == ("", 0), (seed, outcome.error, outcome.output)
    assert "Traceback" not in outcome.output, (seed, outcome.output)
    assert outcome.peak_mb <= MOST_MB, (seed, outcome.value)
    private = str(home / "private")
    assert not [each for each in outcome.opened if each.startswith(private)], seed
    own = (str(home), str(scene), *ALLOWED)
    assert not [each for each in outcome.opened if not each.startswith(own)], seed
