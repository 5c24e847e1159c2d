"""Whatever is killed at whatever moment: what was acknowledged is there, and no process is left."""

import os
import random
import shutil
import signal
import time
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from agent.inspection.built_in import MEASURED, PANEL
from agent.inspection.inspector_factory import default_model
from app.core.database.tables import assignments, candidates, inspections, log, repeats
from app.core.finding.table import MANIFEST, FindTable
from app.core.inspections.store import add_inspection, inspections_of
from app.core.session.session import open_session
from app.core.sharing import merge
from app.core.sharing.study_plan import new_study, study_of
from tests.agent.spectra.readers import samples
from tests.app.core.database.postgres import running_cluster
from tests.app.core.finding.surveys import keys_of, searched
from tests.app.core.inspected import NANO, said
from tests.app.core.session.kept_lines import check, held, held_by
from tests.app.core.session.recorder import CANDIDATES, line_of, nursery
from tests.app.core.session.test_rebuild import derived, press, rebuilt
from tests.app.core.sessions import made
from tests.attacks.sessions import studies
from tests.attacks.sessions.kills import MARK, sample_session
from tests.night import BY_NIGHT, seeds
from tests.processes import marked, wait_until

WINDOW_KILLS = 10 if BY_NIGHT else 4
FIND_KILLS = 20 if BY_NIGHT else 6
WHOLE_KILLS = 10 if BY_NIGHT else 2
VET_KILLS = 5 if BY_NIGHT else 3
MERGE_KILLS = 10 if BY_NIGHT else 3
VET_MODEL = default_model("CV") if BY_NIGHT else MEASURED
ACT_KILLS = 20 if BY_NIGHT else 3
ACT_SIZE = 500 if BY_NIGHT else 200
MERGED, INSPECTED = (300, 60) if BY_NIGHT else (100, 30)
SERVER_KILLS = 10 if BY_NIGHT else 4


@pytest.fixture(scope="module")
def children():
    """One nursery for all, as it takes seconds to import what they do."""
    with nursery("tests.attacks.sessions.kills") as running:
        yield running


@pytest.mark.timeout(900)  # many processes, one after the other
@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=20))
def test_a_busy_window_is_killed(children, tmp_path, seed):
    """200 kills by night: verdicts, comments, undo, two agents, lists and reading ahead at once."""
    location = tmp_path / "night.speco3"
    sample_session(location)
    chance = random.Random(seed)
    kept, inspected, lengths = {}, {}, set()
    for number in range(WINDOW_KILLS):
        children.order("window", location, seed=f"{seed}-{number}")
        said_by_child = children.killed(chance)
        assert not [line for line in said_by_child if line[0] in ("fault", "refused")]
        lengths.add(len(said_by_child))
        kept |= {line[1]: line[2] for line in said_by_child if line[0] == "kept"}
        told = [line[1:] for line in said_by_child if line[0] == "inspected"]
        inspected |= {(number, model): rest for number, model, *rest in told}
        check(location, kept)
        check_inspections(location, inspected)
    assert len(kept) > WINDOW_KILLS
    assert inspected
    assert len(lengths) > WINDOW_KILLS // 4


@pytest.mark.timeout(900)
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=30))
def test_the_whole_window_is_killed(tmp_path, seed):
    """300 kills by night: what its panels were told of is kept, and its worker ends with it."""
    location = tmp_path / "night.speco3"
    sample_session(location)
    chance, kept = random.Random(seed), {}
    with nursery("tests.attacks.window.killed") as children:
        for number in range(WHOLE_KILLS):
            mark = f"{os.getpid()}-{seed}-{number}"
            children.order("whole window", location, seed=f"{seed}-{number}", mark=mark)
            told = killed_after(children, chance, chance.randrange(2, 20))
            assert told[-1] == ["over", -signal.SIGKILL], told
            kept |= {line[1]: line[2] for line in told if line[0] == "kept"}
            check(location, kept)
            wait_until(lambda mark=mark: not marked(MARK, mark))
    assert len(kept) > WHOLE_KILLS


def check_inspections(location, inspected):
    """The last one that was told, or one that came after it and was not."""
    with open_session(location, "Ada", read_only=True) as session:
        for number in range(1, CANDIDATES + 1):
            found = {each.trajectory.model.sha256: each for each in inspections_of(session, number)}
            for (candidate, model), (at, p_yes) in inspected.items():
                if candidate == number and found[model].trajectory.p_yes != p_yes:
                    assert found[model].at >= at


@pytest.mark.timeout(900)
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=100))
def test_vet_is_killed(children, tmp_path, seed):
    """500 kills by night, of which each ends the workers, too; what was told is stored."""
    chance = random.Random(seed)
    location = None
    killed_at_work = 0
    for number in range(VET_KILLS):
        if location is None:
            kept, location = {}, tmp_path / f"{number}.speco3"
            sample_session(location)
        mark = f"{os.getpid()}-{seed}-{number}"
        workers = chance.choice([1, 1, 2])
        children.order("vet", location, mark=mark, workers=workers, model=VET_MODEL)
        found = killed_vet(children, chance)
        assert not [line for line in found if line[0] in ("fault", "refused")], found
        killed_at_work += ["over", -signal.SIGKILL] in found and ["open"] in found
        new = {line[1]: line[2:] for line in found if line[0] == "kept"}
        assert not new.keys() & kept.keys(), "a candidate was inspected twice"
        kept |= new
        wait_until(lambda mark=mark: not marked(MARK, mark))
        check_vetted(location, kept)
        location = None if ["done"] in found else location
    assert killed_at_work


def killed_vet(children, chance):
    """At any time of its start, or soon after one of the first results."""
    if chance.random() < 0.4:
        return children.killed(chance, within_s=2.5)
    found = [children.born()]
    for _ in range(chance.randrange(1, 6)):
        while found[-1][0] not in ("over", "done"):
            hear(children, found)
            if found[-1][0] == "kept":
                break
    if found[-1][0] == "over":
        return found
    time.sleep(chance.uniform(0, 0.05))
    return found + children.shot(found[0])


def hear(children, found):
    line = children.told()
    assert line is not None, f"the child hangs after {found[-1]}"
    found.append(line)


def check_vetted(location, kept):
    with open_session(location, "Ada") as session:
        with session.database.reading() as connection:
            assert connection.execute(text("PRAGMA integrity_check")).all() == [("ok",)]
            rows = connection.execute(select(inspections)).all()
        own = [row for row in rows if row.model == VET_MODEL]
        stored = {row.candidate_id: row.verdict for row in own}
        assert len(stored) == len(own)
        # A panel's members are stored with it, in one transaction.
        assert len(rows) == len(stored) * (3 if VET_MODEL == PANEL else 1)
        for number, (verdict, fault) in kept.items():
            if fault:
                assert session.candidate(number).fault
            else:
                assert stored[number] == verdict


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=10))
def test_an_act_of_many_verdicts_is_killed(children, tmp_path, seed):
    """200 kills by night: after each there are all verdicts of the act, or none of them."""
    chance = random.Random(seed)
    location = tmp_path / "acts.speco3"
    made(location, ACT_SIZE).close()
    acts, in_the_middle = 0, 0
    for number in range(ACT_KILLS):
        children.order("act", location, seed=f"{seed}-{number}")
        told = killed_in_an_act(children, chance)
        assert not [line for line in told if line[0] in ("fault", "refused")], told
        kept = [line[2] for line in told if line[0] == "kept"]
        assert kept == [ACT_SIZE] * len(kept)
        in_the_middle += told[-2][0] == "begun"
        with open_session(location, "Ada") as session:
            with session.database.reading() as connection:
                lines = connection.execute(select(func.count()).select_from(log)).scalar_one()
            assert lines % ACT_SIZE == 0
            assert lines // ACT_SIZE - acts in (len(kept), len(kept) + 1)
            acts = lines // ACT_SIZE
            assert derived(session) == rebuilt(session)
            found = {session.judgement(each).opinion for each in range(1, ACT_SIZE + 1)}
            assert len(found) == 1
            assert session.undo().others == ACT_SIZE - 1
            acts += 1
    assert in_the_middle


def killed_in_an_act(children, chance):
    """At any time of its second act."""
    found, began = [children.born()], 0.0
    while found[-1] != ["begun", 1]:
        hear(children, found)
        assert found[-1][0] != "over", found
        if found[-1] == ["begun", 0]:
            began = time.monotonic()
    time.sleep(chance.uniform(0, time.monotonic() - began))
    return found + children.shot(found[0])


def three_sessions(folder, chance):
    into, *others = [folder / f"{name}.speco3" for name in ("into", "one", "two")]
    for location, reviewer in zip([into, *others], ("Ada", "Ben", "Ada"), strict=True):
        with made(location, MERGED, reviewer) as session:
            press(session, chance, 60)
            for number in range(1, INSPECTED):
                add_inspection(session, number, said(model=NANO, number=number))
    return into, others


def copies_of_a_study(folder, chance):
    """One from before the study, and two with a part of a person's readings."""
    studies.make(folder)
    others = [folder / f"{name}.speco3" for name in ("Ada", "Ben")]
    with open_session(folder / studies.NAME, "Lead") as session:
        new_study(session, studies.PEOPLE, "unaided-first", seed=chance.randrange(1000))
        for other in others:
            session.database.copy_to(other)
    for other in others:
        with open_session(other, other.stem) as session:
            studies.judge(session, chance.randrange(3, 12))
    return folder / studies.EARLY, others


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=15))
@pytest.mark.parametrize("made_apart", [three_sessions, copies_of_a_study])
def test_a_merge_is_killed(children, tmp_path, seed, made_apart):
    """2 x 150 kills by night: all of each session that is merged in, or none; then once more."""
    chance = random.Random(seed)
    into, others = made_apart(tmp_path, chance)
    wanted = [state_of(into)]
    whole = shutil.copy(into, tmp_path / "whole.speco3")
    for other in others:
        with (
            open_session(whole, "Ada") as target,
            open_session(other, "Ada", read_only=True) as own,
        ):
            merge(target, own)
        wanted.append(state_of(whole))
    sources = [other.read_bytes() for other in others]
    children.order("merge", copied(into, "first"), others=[*map(str, others)])
    *steps, done, over = children.until_over()
    assert (done, over) == (["done"], ["over", 0]), done
    found = []
    for number in range(MERGE_KILLS):
        location = copied(into, f"killed{number}")
        children.order("merge", location, others=[*map(str, others)])
        told = killed_after(children, chance, chance.randint(1, len(steps) + 1))
        assert not [line for line in told if line[0] in ("fault", "refused")]
        after = state_of(location)
        assert after in (wanted[-1:] if told[-2][0] == "done" else wanted)
        found.append(wanted.index(after))
        assert [other.read_bytes() for other in others] == sources
        for other in others:
            merge_in(location, other)
        assert state_of(location) == wanted[-1]
        location.unlink()
    assert len(set(found)) > 1 or not BY_NIGHT


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=15))
def test_a_search_is_killed(children, tmp_path, seed):
    """300 kills by night: begun again, it has each spectrum once, and what cannot be read."""
    survey, chance = tmp_path / "survey", random.Random(seed)
    survey.mkdir()
    for number in range(12):
        (survey / f"{number}.dat").write_bytes(samples.text())
        (survey / f"{number}.fits").write_bytes(b"SIMPLE  =                    T" * (number < 3))
    (survey / "coadd.fits").write_bytes(samples.desi())
    whole = searched(tmp_path / "whole.find", survey)[0]
    wanted, unread = sorted(keys_of(whole)), sorted(whole.unread())
    assert len(wanted) > 12 and unread
    ends = 0
    place = tmp_path / "0.find"
    for _ in range(FIND_KILLS):
        children.order("find", place, survey=str(survey))
        told = killed_after(children, chance, chance.randrange(1, 12))
        assert told[-1][1] in (0, -signal.SIGKILL), told
        if not (place / MANIFEST).exists():
            continue  # killed before it began
        table = FindTable(place)
        found = sorted(keys_of(table))
        assert len(set(found)) == len(found) and set(found) <= set(wanted)
        assert table.damaged() == []
        if ["done", ""] in told:
            assert (found, sorted(table.unread())) == (wanted, unread)
            ends += 1
            place = tmp_path / f"{ends}.find"
    assert ends or not BY_NIGHT


def killed_after(children, chance, lines):
    """Soon after so many lines."""
    found = [children.born()]
    while len(found) < lines and found[-1][0] != "over":
        hear(children, found)
    if found[-1][0] == "over":
        return found
    time.sleep(chance.uniform(0, 0.01))
    return found + children.shot(found[0])


def merge_in(into, other):
    with open_session(into, "Ada") as target, open_session(other, "Ada", read_only=True) as own:
        merge(target, own)
        assert derived(target) == rebuilt(target)


def copied(location, name):
    return Path(shutil.copy(location, location.with_name(f"{name}.speco3")))


def state_of(location):
    with open_session(location, "Ada", read_only=True) as session:
        with session.database.reading() as connection:
            assert connection.execute(text("PRAGMA integrity_check")).all() == [("ok",)]
            assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
            tables = (candidates, log, inspections, repeats, assignments)
            counts = [
                connection.execute(select(func.count()).select_from(table)).scalar_one()
                for table in tables
            ]
        return (
            counts,
            study_of(session),
            derived(session),
            [line_of(entry) for entry in session.history()],
        )


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=5))
def test_a_program_is_killed_at_a_server(children, seed):
    """50 kills by night of a program that records on PostgreSQL."""
    with running_cluster() as cluster:
        location = cluster.url(cluster.new_database())
        made(location, CANDIDATES).close()
        chance = random.Random(seed)
        kept = {}
        for number in range(SERVER_KILLS):
            children.order("record", location, seed=f"{seed}-{number}")
            told = children.killed(chance)
            assert not [line for line in told if line[0] in ("fault", "refused")]
            kept |= {line[1]: line[2] for line in told if line[0] == "kept"}
            with open_session(location, "Ada") as session:
                lines = {entry.id: line_of(entry) for entry in session.history()}
                assert kept.items() <= lines.items()
                assert held_by(lines) == held(session)
                assert derived(session) == rebuilt(session)
        assert len(kept) > SERVER_KILLS


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=5))
def test_a_server_is_killed_under_three_writers(children, seed):
    """50 kills by night: each writer is told in a sentence, and what was acknowledged is there."""
    with running_cluster() as cluster:
        location = cluster.url(cluster.new_database())
        made(location, CANDIDATES).close()
        chance, kept, told_in_words = random.Random(seed), {}, 0
        for number in range(SERVER_KILLS):
            people = ["Ada", "Ben", "Cleo"]
            children.order(
                "record", location, seed=f"{seed}-{number}", copies=3, reviewers=people, undo=0
            )
            heard, wanted = [children.born()], chance.randrange(1, 60)
            while sum(line[0] == "kept" for line in heard) < wanted:
                hear(children, heard)
            cluster.kill()
            heard += children.until_over(3 - sum(line[0] == "over" for line in heard))
            cluster.start()
            assert not [line for line in heard if line[0] == "fault"], heard
            told_in_words += sum(line[0] == "refused" for line in heard)
            kept |= {line[1]: line[2] for line in heard if line[0] == "kept"}
            with open_session(location, "Ada") as session:
                lines = {entry.id: line_of(entry) for entry in session.history()}
                assert kept.items() <= lines.items()
                assert derived(session) == rebuilt(session)
        assert told_in_words == 3 * SERVER_KILLS
        assert len(kept) > SERVER_KILLS
