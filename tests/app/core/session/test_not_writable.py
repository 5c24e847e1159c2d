"""Sessions that may not be written: files and folders of others."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.app.core.sessions import ACCEPT, made


@pytest.fixture
def open_folder():
    """Where another user can go."""
    folder = Path(tempfile.mkdtemp(prefix="spec-o3-"))
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_may_not_be_written(children, open_folder, what):
    location = open_folder / "night.speco3"
    made(location).close()
    (location if what == "file" else open_folder).chmod(0o444 if what == "file" else 0o555)
    nobody = {"uid": 65534} if os.getuid() == 0 else {}
    children.order("open", location, read_only=False, **nobody)
    (_, (verb, kind, told), _) = children.until_over()
    assert (verb, kind) == ("refused", "SessionError")
    assert "not writable" in told
    children.order("open", location, read_only=True, **nobody)
    assert ["open", 5] in children.until_over()
    assert sorted(path.name for path in open_folder.iterdir())[0] == "night.speco3"


def test_what_may_not_be_written_and_was_never_finished(children, open_folder):
    """SQLite has no room for what it needs to read the log that a crash has left."""
    location = open_folder / "night.speco3"
    with made(location) as session:
        session.record_verdict(1, ACCEPT)
        subprocess.run(["cp", f"{location}-wal", open_folder / "kept"], check=True)
    (open_folder / "kept").replace(f"{location}-wal")
    open_folder.chmod(0o555)
    nobody = {"uid": 65534} if os.getuid() == 0 else {}
    children.order("open", location, read_only=True, **nobody)
    (_, (verb, kind, told), _) = children.until_over()
    assert (verb, kind) == ("refused", "SessionError")
    assert "copy it together with night.speco3-wal" in told


def test_another_user_s_session_is_told_as_held(children, open_folder):
    if os.getuid() != 0:
        pytest.skip("only root can be two users")
    location = open_folder / "night.speco3"
    with made(location):
        location.chmod(0o666)
        children.order("open", location, read_only=False, uid=65534)
        (_, (_, kind, told), _) = children.until_over()
        assert (kind, f"process {os.getpid()}" in told) == ("SessionHeldError", True)
