"""Nothing acknowledged is lost: not by kill, and not by a clock that is set back."""

import random
import subprocess

import pytest

from app.core.errors import SessionError
from app.core.session import verdict_log
from app.core.session.records import Opinion
from app.core.session.session import open_session
from app.core.statistics.pace import recent_pace
from tests.app.core.session.kept_lines import check
from tests.app.core.session.recorder import CANDIDATES, line_of
from tests.app.core.sessions import ACCEPT, made
from tests.night import seeds

KILLS = 25


@pytest.mark.parametrize("seed", seeds(by_day=2, by_night=8))
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


@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=2))
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
