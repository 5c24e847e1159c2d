"""Nothing acknowledged is lost: not by kill, full disk, or what others do to the file meanwhile."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from app.core.errors import SessionError
from app.core.exporting import export
from app.core.exporting.log_file import write_log
from app.core.session import verdict_log
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.spectra.packing import pack
from app.core.statistics.pace import recent_pace
from tests.app.core.session.recorder import CANDIDATES, line_of, nursery
from tests.app.core.sessions import made
from tests.night import seeds

KILLS = 25
ACCEPT, REJECT, UNSURE = (Opinion(verdict=verdict) for verdict in Verdict)


@pytest.fixture(scope="module")
def children():
    with nursery() as running:
        yield running


@pytest.mark.parametrize("seed", seeds(by_day=4, by_night=8))
def test_killed_while_recording(children, file_location, seed):
    """200 kills by night; half of the sessions copy their log into the file all the time."""
    made(file_location, CANDIDATES).close()
    chance = random.Random(seed)
    kept = {}
    moments = set()
    for number in range(KILLS):
        order = {"seed": f"{seed}-{number}", **({"checkpoint": 4} if seed % 2 else {})}
        children.order("record", file_location, **order)
        said = children.killed(chance)
        assert not [line for line in said if line[0] in ("fault", "refused")]
        moments.add(len(said))
        kept |= {line[1]: line[2] for line in said if line[0] == "kept"}
        check(file_location, kept)
    assert len(kept) > KILLS
    assert len(moments) > 3


@pytest.mark.parametrize("seed", range(2))
def test_killed_while_being_made(children, tmp_path, seed):
    """It is a whole session, or says that it is none; it never holds half a list."""
    chance = random.Random(seed)
    found = []
    latest_s = 0.1
    while min(map(found.count, (True, False))) < 5:
        assert len(found) < 200
        location = tmp_path / f"{len(found)}.speco3"
        children.order("import", location)
        said = children.killed(chance, within_s=latest_s)
        counts = [line[1] for line in said if line[0] == "kept"]
        found.append(is_whole(location, counts))
        # However fast this machine is, some are killed before they are done and some after.
        latest_s = min(5.0, latest_s * (0.7 if found[-1] else 1.4))


def is_whole(location, counts):
    try:
        with open_session(location, "Ada") as session:
            assert session.count() >= max(counts, default=0)
            assert (session.count() - CANDIDATES) % 500 in (0, 500 - CANDIDATES)
            return True
    except SessionError as error:
        assert not counts
        assert any(sign in str(error) for sign in ("does not exist", "creation was interrupted")), (
            str(error)
        )
        return False


def test_killed_while_the_log_goes_into_the_file(file_location, tmp_path):
    """The first page, which counts them all, is there before those that make the file grow."""
    with made(file_location, CANDIDATES) as session:
        for number in range(CANDIDATES):
            session.record_verdict(number + 1, Opinion(comment="宽" * 2000))
        kept = {entry.id: line_of(entry) for entry in session.history()}
        for suffix in ("", "-wal"):
            subprocess.run(
                ["cp", f"{file_location}{suffix}", tmp_path / f"cut{suffix}"], check=True
            )
    cut = tmp_path / "cut"
    with cut.open("r+b") as file:
        file.write(file_location.read_bytes()[:4096])
    assert cut.stat().st_size < file_location.stat().st_size
    with open_session(cut, "Ada", read_only=True) as session:
        assert {entry.id: line_of(entry) for entry in session.history()} == kept
    check(cut, kept)


@pytest.fixture
def full_disk():
    """A disk of 1 MiB, and how to fill it: a function of the bytes to leave free."""
    folder = Path(tempfile.mkdtemp(prefix="spec-o3-disk-"))
    mounting = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]
    if shutil.which("mount") is None or subprocess.run(mounting, capture_output=True).returncode:
        folder.rmdir()
        pytest.skip("no small disk can be mounted here: that takes root's rights")
    ballast = folder / "ballast"

    def leave(bytes_free):
        ballast.unlink(missing_ok=True)
        if bytes_free is not None:
            about = os.statvfs(folder)
            ballast.write_bytes(bytes(about.f_bavail * about.f_frsize - bytes_free))

    try:
        yield folder, leave
    finally:
        subprocess.run(["umount", folder], check=True)
        folder.rmdir()


def test_a_full_disk_is_read_from_and_named(full_disk, tmp_path):
    """There is no room for the files that SQLite keeps beside a session."""
    folder, leave = full_disk
    location = folder / "night.speco3"
    with made(location, CANDIDATES) as session:
        session.record_verdict(1, ACCEPT)
    leave(0)
    with open_session(location, "Ben", read_only=True) as session:
        assert session.judgements(1)[0].opinion == ACCEPT
        assert export(session, tmp_path / "out.csv").rows == 1
        assert pack(session, tmp_path / "packed.speco3").candidates == CANDIDATES
        for write, name in ((export, "out.csv"), (write_log, "log.csv"), (pack, "out.speco3")):
            with pytest.raises(SessionError, match="the disk is full"):
                write(session, folder / name)
    with pytest.raises(SessionError, match="the disk is full"):
        open_session(location, "Ada")
    assert {path.name for path in folder.iterdir()} <= {location.name, "ballast", *SIDE_FILES}


SIDE_FILES = ("night.speco3-wal", "night.speco3-shm")


@pytest.mark.parametrize("free", [0, 8192, 50_000])
def test_a_full_disk(full_disk, free):
    folder, leave = full_disk
    location = folder / "night.speco3"
    with made(location, CANDIDATES) as session:
        first = session.record_verdict(1, ACCEPT)
        leave(free)
        told = until_refused(session)
        assert "disk is full" in str(told.value)
        lines = list(session.history())
        assert first in lines
        leave(None)
        assert session.record_verdict(2, REJECT) is not None
        assert list(session.history())[:-1] == lines
        kept = {entry.id: line_of(entry) for entry in session.history()}
    check(location, kept)


@pytest.mark.parametrize("free", [0, 4096, 40_000, 120_000])
def test_a_disk_too_full_for_a_new_session(full_disk, free):
    folder, leave = full_disk
    leave(free)
    with pytest.raises(SessionError, match=r"disk|opened"):
        made(folder / "night.speco3")
    assert [path.name for path in folder.iterdir()] == ["ballast"]


def test_a_full_disk_while_opening(full_disk):
    folder, leave = full_disk
    location = folder / "night.speco3"
    made(location).close()
    leave(0)
    with pytest.raises(SessionError, match=r"disk|opened"):
        open_session(location, "Ada")
    leave(None)
    open_session(location, "Ada").close()


def test_a_file_that_may_not_grow(children, file_location):
    """As on a disk with a quota: the write fails half done."""
    made(file_location, CANDIDATES).close()
    children.order("record", file_location, seed=1, file_size=300_000, checkpoint=100_000)
    said = children.until_over()
    kept = {line[1]: line[2] for line in said if line[0] == "kept"}
    (told,) = (line[2] for line in said if line[0] == "refused")
    assert "disk" in told
    assert said[-1] == ["over", 0]
    check(file_location, kept)


def test_no_room_by_the_database_s_own_count(file_location):
    with made(file_location, CANDIDATES) as session:
        with session.database.writing() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 4}")
        assert "disk is full" in str(until_refused(session).value)
        kept = {entry.id: line_of(entry) for entry in session.history()}
        with session.database.writing() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 100000")
        session.record_verdict(1, UNSURE)
    check(file_location, kept)


def until_refused(session):
    with pytest.raises(SessionError) as told:
        for number in range(10_000):
            opinion = Opinion(verdict=Verdict.ACCEPT, comment=f"{number}" * 500)
            session.record_verdict(number % CANDIDATES + 1, opinion)
    return told


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


def test_a_clock_set_back(file_location, monkeypatch):
    times = iter(f"20{year:02d}-01-01T00:00:00.000+00:00" for year in range(99, 0, -1))
    monkeypatch.setattr(verdict_log, "now", lambda: next(times))
    with made(file_location) as session:
        for number in (1, 2, 3):
            session.record_verdict(number, ACCEPT, seconds=-40.0 + number)
        session.record_verdict(4, ACCEPT, seconds=float("nan"))
        assert session.undo().candidate_id == 4
        entries = list(session.history())
        assert [entry.candidate_id for entry in entries] == [1, 2, 3, 4, 4]
        assert [entry.at for entry in entries] == sorted((e.at for e in entries), reverse=True)
        assert [entry.seconds for entry in entries] == [None] * 5
        pace = recent_pace(session)
        assert pace.mean is None or pace.mean > 0
    with open_session(file_location, "Ada") as session:
        assert session.undo().candidate_id == 3
        assert session.redo().candidate_id == 3
        assert session.redo().candidate_id == 4


def check(location, kept):
    """All that was told as kept is there, what is held follows from it, and undo goes on."""
    with open_session(location, "Ada", read_only=True) as session:
        assert kept.items() <= {entry.id: line_of(entry) for entry in session.history()}.items()
    with open_session(location, "Ada") as session:
        lines = {entry.id: line_of(entry) for entry in session.history()}
        assert kept.items() <= lines.items()
        assert list(lines) == sorted(lines)
        assert held_by(lines) == held(session)
        with session.database.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").all() == [("ok",)]
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
        before = held(session)
        if (undone := session.undo()) is not None:
            kept[undone.id] = line_of(undone)
            again = session.redo()
            kept[again.id] = line_of(again)
        assert held(session) == before


def held(session):
    found = {}
    for number in range(1, CANDIDATES + 1):
        for each in session.judgements(number):
            said = each.opinion
            found[number, each.reviewer] = [
                said.verdict,
                said.confidence,
                list(said.flags),
                said.comment,
            ]
    return found


def held_by(lines):
    """What a plain replay of the log leaves: two stacks for each reviewer."""
    found = {}
    done = {}
    undone = {}
    for number in sorted(lines):
        action, reviewer, candidate, opinion = lines[number]
        key = (candidate, reviewer)
        if action == "set":
            done.setdefault(reviewer, []).append((key, found.get(key), opinion))
            undone[reviewer] = []
            found[key] = opinion
        elif action == "undo":
            step = done[reviewer].pop()
            undone.setdefault(reviewer, []).append(step)
            assert step[0] == key
            if step[1] is None:
                del found[key]
            else:
                found[key] = step[1]
                assert opinion == step[1]
        else:
            step = undone[reviewer].pop()
            done[reviewer].append(step)
            assert (step[0], step[2]) == (key, opinion)
            found[key] = opinion
    return found
