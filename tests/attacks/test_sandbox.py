"""The sandbox sees what an attack does: memory, time, files, output, errors, signals."""

import os
import sys
import time
from pathlib import Path

import pytest

from tests.attacks.sandbox import Sandbox

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="cases are forked")


def misbehave(how: str, path: str) -> object:
    """One of the things that an attack may do."""
    if how == "memory":
        return len(bytearray(300_000_000))
    if how == "hang":
        time.sleep(60)
    if how == "open":
        return Path(path).read_text()
    if how == "raise":
        raise ValueError("a bad value")
    if how == "print":
        sys.stdout.write("a line\n")
    if how == "abort":
        os.abort()
    return how


def test_it_measures_what_a_case_does(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("secret")
    with Sandbox("tests.attacks.test_sandbox:misbehave") as sandbox:
        quiet = sandbox.run("nothing", "")
        assert (quiet.value, quiet.error, quiet.status, quiet.opened) == ("nothing", "", 0, [])
        assert sandbox.run("memory", "").peak_mb > quiet.peak_mb + 250
        hanging = sandbox.run("hang", "", deadline_s=0.5)
        assert (hanging.error, hanging.status) == ("it hangs: killed after 0.5 s", -9)
        assert sandbox.run("open", str(path)).opened == [str(path)]
        raising = sandbox.run("raise", "")
        assert (raising.error, raising.status) == ("ValueError: a bad value", 1)
        assert sandbox.run("print", "").output == "a line\n"
        assert sandbox.run("abort", "").status == -6
