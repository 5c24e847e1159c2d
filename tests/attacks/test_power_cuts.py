"""The power fails at any moment of a session: all that was acknowledged is there afterwards."""

import random
import shutil
import tempfile
from pathlib import Path

import pytest
from sqlalchemy import select

from app.core.database import session_file
from app.core.database.tables import inspections
from app.core.errors import SessionError
from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing import merge
from tests.app.core.inspected import said
from tests.app.core.session.kept_lines import check
from tests.app.core.session.recorder import CANDIDATES, line_of, press
from tests.app.core.session.test_rebuild import derived, rebuilt
from tests.app.core.sessions import made
from tests.attacks.sessions.power import Disk, Event, recorded
from tests.night import BY_NIGHT, seeds

CUTS = 100 if BY_NIGHT else 25
NAME = "night.speco3"


@pytest.fixture
def fast_folder():
    """In memory where there is such a disk: the power is cut in a model of a disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.mark.timeout(900)  # a hundred sessions are recovered, each checked from end to end
@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=50))
def test_nothing_acknowledged_is_lost(fast_folder, seed):
    """5,000 cuts by night."""
    disk, events = busy_session(fast_folder, seed)
    found = [survived(*cut) for cut in cuts(fast_folder, disk, events, seed)]
    assert len(found) > CUTS // 2
    assert max(found) > 20
    assert len(set(found)) > CUTS // 5


@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=10))
def test_a_disk_that_is_never_told_to_write_loses_some(fast_folder, seed, monkeypatch):
    """The control: the same session without fsync, so that the cuts themselves are tested."""
    pragmas = [each.replace("synchronous = FULL", "synchronous = OFF") for each in WRITER]
    assert pragmas != list(WRITER)
    monkeypatch.setattr(session_file, "WRITER_PRAGMAS", tuple(pragmas))
    disk, events = busy_session(fast_folder, seed)
    assert not [event for event in events if event.kind == "sync"]
    lost = 0
    for cut in list(cuts(fast_folder, disk, events, seed))[: CUTS // 2]:
        try:
            survived(*cut)
        except (SessionError, AssertionError):
            lost += 1
    assert lost > CUTS // 4


@pytest.mark.parametrize("lost", [64, 512, 4096])
def test_the_first_sector_is_torn_while_the_log_goes_into_the_file(tmp_path, lost):
    """The log beside the file still has all of it."""
    location = tmp_path / NAME
    with made(location, CANDIDATES) as session:
        with session.database.writing() as connection:  # changes the first page
            connection.exec_driver_sql("CREATE TABLE passing (id)")
            connection.exec_driver_sql("DROP TABLE passing")
        kept = {1: line_of(session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT)))}
        cut = tmp_path / "cut"
        cut.mkdir()
        for suffix in ("", "-wal"):
            shutil.copy(f"{location}{suffix}", cut / f"{NAME}{suffix}")
    with (cut / NAME).open("r+b") as file:
        file.write(random.Random(lost).randbytes(lost))
    with open_session(cut / NAME, "Ada", read_only=True) as session:
        assert {entry.id: line_of(entry) for entry in session.history()} == kept
    check(cut / NAME, kept)


WRITER = session_file.WRITER_PRAGMAS


def busy_session(folder, seed):
    """Record verdicts, comments, undo, inspections and a merge; every second log is short."""
    chance = random.Random(seed)
    work = folder / "work"
    work.mkdir()
    location = work / NAME
    made(location, CANDIDATES).close()
    with made(folder / "other.speco3", CANDIDATES, "Ben") as other:
        for _ in range(12):
            press(other, chance, 0.2)
    disk = Disk(work)
    with recorded() as events:
        for number in range(2):
            with (
                open_session(location, "Ada") as session,
                open_session(folder / "other.speco3", "Ada", read_only=True) as other,
            ):
                if seed % 2:
                    with session.database.writing() as connection:
                        connection.exec_driver_sql("PRAGMA wal_autocheckpoint = 4")
                for deed in range(25):
                    act(session, chance, events)
                    if deed == 15 and number:
                        report = merge(session, other)
                        assert report.lines > 5
                        events.append(Event("merged"))
    assert {event.kind for event in events} >= {"write", "truncate", "kept", "inspected"}
    return disk, [event for event in events if not event.name.startswith("other")]


def act(session, chance, events):
    if chance.random() < 0.2:
        number, p_yes = chance.randint(1, CANDIDATES), chance.random()
        add_inspection(session, number, said(p_yes=p_yes, number=number))
        events.append(Event("inspected", what=(number, p_yes)))
    elif (entry := press(session, chance, 0.3)) is not None:
        events.append(Event("kept", what=(entry.id, line_of(entry))))


def cuts(folder, disk, events, seed):
    """Follow the session and cut the power by chance, mostly while something is at risk."""
    chance = random.Random(seed + 1000)
    kept, inspected, has_merged = {}, {}, False
    for number, event in enumerate(events):
        match event.kind:
            case "kept":
                kept[event.what[0]] = event.what[1]
            case "inspected":
                inspected[event.what[0]] = event.what[1]
            case "merged":
                has_merged = True
            case _:
                disk.follow(event)
        risk = 1.5 if disk.is_at_risk() else 0.4
        if chance.random() < risk * CUTS / len(events):
            place = folder / f"cut{number}"
            place.mkdir()
            disk.after_cut(place, chance)
            yield place, dict(kept), dict(inspected), has_merged


def survived(place, kept, inspected, has_merged):
    """Open it with the program; the number of lines that had been acknowledged."""
    location = place / NAME
    with open_session(location, "Ada") as session:
        lines = {entry.id: line_of(entry) for entry in session.history()}
        assert kept.items() <= lines.items()
        assert list(lines) == list(range(1, len(lines) + 1))
        assert derived(session) == rebuilt(session)
        more = [lines[number][1] for number in lines.keys() - kept.keys()]
        assert more.count("Ada") <= 1, "more is there than was in flight"
        assert "Ben" in more or not has_merged
        with session.database.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").all() == [("ok",)]
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
            query = select(inspections.c.candidate_id, inspections.c.p_yes)
            found = dict(map(tuple, connection.execute(query)))
        assert inspected.keys() <= found.keys()
        differing = [number for number, p_yes in inspected.items() if found[number] != p_yes]
        assert len(differing) + more.count("Ada") <= 1
    if len(kept) % 10 == 0:
        check(location, dict(kept))  # undo goes on, too
    shutil.rmtree(place)
    return len(kept)
