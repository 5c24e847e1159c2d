"""One writer: whoever holds the session is named; nothing of a stranger's is written to."""

import errno
import json
import os
import random
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import pytest

from app.core.database import file_lock
from app.core.database.file_lock import SessionLock
from app.core.errors import SessionError, SessionHeldError
from app.core.session.session import open_session
from tests.app.core.session.recorder import nursery
from tests.app.core.sessions import made


@pytest.fixture
def lock(file_location):
    return file_location.with_name(".night.speco3.lock")


def test_the_holder_is_named_and_gone_after(file_location, lock):
    hold = SessionLock(file_location)
    with pytest.raises(SessionHeldError) as told:
        SessionLock(file_location)
    for word in (f"process {os.getpid()}", f"host {socket.gethostname()}", "user", "since 20"):
        assert word in told.value.holder
        assert word in str(told.value)
    hold.release()
    assert not lock.exists()
    hold.release()
    SessionLock(file_location).release()


@pytest.mark.parametrize(("content", "told"), [
    (b"", "unknown user"),
    (b"\xff\xfe", "unknown user"),
    (b"[1]", "unknown user"),
    (b"[" * 3000, "unknown user"),
    (b'{"user": "a\\u001b[31mb\\u202e", "process": [1, 2]}', "user a?[31mb?, process [1, 2]"),
    (json.dumps({"user": "x" * 1500}).encode(), "user " + "x" * 195 + "..."),
])  # fmt: skip
def test_what_a_holder_has_written(file_location, lock, content, told):
    """By another program, perhaps: never more than a short line that is safe to print."""
    hold = SessionLock(file_location)
    lock.write_bytes(content)
    with pytest.raises(SessionHeldError) as error:
        SessionLock(file_location)
    assert error.value.holder.endswith(told)
    hold.release()


def test_what_a_dead_holder_left_is_taken_over(file_location, lock):
    lock.write_text('{"user": "somebody", "process": 1}' + "x" * 5000)
    hold = SessionLock(file_location)
    assert json.loads(lock.read_bytes())["process"] == os.getpid()
    hold.release()


def test_a_link_is_not_written_through(file_location, lock, tmp_path):
    """In a folder from a stranger it could lead anywhere."""
    precious = tmp_path / "precious"
    precious.write_text("years of work")
    lock.symlink_to(precious)
    with pytest.raises(SessionError):
        SessionLock(file_location)
    assert precious.read_text() == "years of work"
    lock.unlink()
    lock.symlink_to(tmp_path / "nothing yet")
    with pytest.raises(SessionError):
        SessionLock(file_location)
    assert not (tmp_path / "nothing yet").exists()


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_holds_nothing(file_location, lock, make):
    make(lock)
    with pytest.raises(SessionError) as told:
        SessionLock(file_location)
    assert not isinstance(told.value, SessionHeldError)
    assert lock.exists()


def test_where_nothing_can_be_written(file_location, monkeypatch):
    made(file_location).close()
    monkeypatch.setattr(
        file_lock.os, "open", Mock(side_effect=PermissionError(errno.EACCES, "Permission denied"))
    )
    with pytest.raises(SessionError, match=r"not writable \(Permission"):
        open_session(file_location, "Ada")
    with pytest.raises(SessionError, match="not writable"):
        made(file_location.with_name("new.speco3"))
    with open_session(file_location, "Ada", read_only=True) as reader:
        assert reader.count() == 5


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.EIO])
def test_where_files_cannot_be_locked(file_location, monkeypatch, number):
    """Some network disks. To say that another program has it would be wrong."""

    monkeypatch.setattr(
        file_lock.fcntl, "flock", Mock(side_effect=OSError(number, os.strerror(number)))
    )
    with pytest.raises(SessionError, match="local disk") as told:
        SessionLock(file_location)
    assert not isinstance(told.value, SessionHeldError)


def test_a_full_disk_keeps_nobody_from_holding(file_location, monkeypatch):
    monkeypatch.setattr(
        file_lock.json, "dumps", Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    )
    hold = SessionLock(file_location)
    monkeypatch.undo()
    with pytest.raises(SessionHeldError, match="unknown user"):
        SessionLock(file_location)
    hold.release()


def test_the_lock_of_another_stays(file_location, lock):
    """Somebody took ours away, and another program came: theirs is not taken away when we go."""
    first = SessionLock(file_location)
    lock.unlink()
    second = SessionLock(file_location)
    first.release()
    assert lock.exists()
    with pytest.raises(SessionHeldError):
        SessionLock(file_location)
    second.release()
    assert not lock.exists()


def test_coming_and_going_all_at_once(file_location):
    """Never two at a time, whoever removes the file while others come."""
    inside = []

    def work(seed):
        chance = random.Random(seed)
        got = 0
        while got < 15:
            try:
                hold = SessionLock(file_location)
            except SessionError:
                continue
            inside.append(seed)
            assert inside == [seed]
            for _ in range(chance.randrange(200)):
                pass
            inside.clear()
            hold.release()
            got += 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


def test_of_several_programs_one_gets_it(file_location, tmp_path):
    made(file_location).close()
    gate = tmp_path / "gate"
    with nursery() as children:
        children.order("hold", file_location, copies=5, gate=str(gate))
        said = []
        while sum(line[0] in ("open", "refused") for line in said) < 5:
            said.append(children.told())
        gate.touch()
        said += children.until_over(5 - sum(line[0] == "over" for line in said))
    assert sum(line[0] == "open" for line in said) == 1
    refused = [line for line in said if line[0] == "refused"]
    assert {line[1] for line in refused} == {"SessionHeldError"}
    open_session(file_location, "Ada").close()


def test_a_dead_holder_holds_nothing(file_location):
    made(file_location).close()
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from app.core.session.session import open_session\n"
        "session = open_session(Path(sys.argv[1]), 'Ada'); print('held', flush=True)\n"
        "sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    child = subprocess.Popen([sys.executable, "-c", code, str(file_location)], **pipes)
    assert child.stdout.readline() == b"held\n"
    with pytest.raises(SessionHeldError, match=f"process {child.pid}"):
        open_session(file_location, "Ben")
    child.kill()
    child.communicate()
    open_session(file_location, "Ben").close()
