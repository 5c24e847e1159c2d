"""A limit of the shell that is too low is told before anything is tried."""

import sys

import pytest

from agent.errors import WorkbenchError
from app.cli.main import LEAST_BYTES, refuse_little_memory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")


@pytest.mark.parametrize("allowed", [300_000_000, LEAST_BYTES - 1])
def test_too_little(monkeypatch: pytest.MonkeyPatch, allowed: int) -> None:
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda kind: (allowed, resource.RLIM_INFINITY))
    with pytest.raises(WorkbenchError, match=f"only {allowed / 1e6:.0f} MB .* needs 1500 MB"):
        refuse_little_memory()


def test_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    for allowed in (LEAST_BYTES, resource.RLIM_INFINITY):
        monkeypatch.setattr(resource, "getrlimit", lambda kind, here=allowed: (here, here))
        refuse_little_memory()
