"""What agents made of the candidates: kept, replaced, compared, and taken up again."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, islice
from threading import Barrier

import pytest
from sqlalchemy import event, update

from agent.models.registry import find_model
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import ModelRef
from app.cli.plan import PUBLISHED_S, plan_inspections
from app.core.database.tables import candidates, inspections
from app.core.errors import SessionError
from app.core.inspections.seen import SeenResult, read_seen, record_seen
from app.core.inspections.store import (
    Confusion,
    Share,
    add_inspection,
    all_trajectories,
    as_recorded,
    compare_models,
    count_pending,
    inspections_of,
    mark_fault,
    models_of,
    pending_candidates,
    recorded_by,
)
from app.core.queue import Sort
from app.core.session.records import Change, Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.inspected import MEASURED, NANO, OTHER, agent_of, said, shown
from tests.app.core.sessions import change, made
from tests.processes import LONG_S


def test_kept_word_for_word(location):
    trajectory = said()
    with made(location) as session:
        kept = add_inspection(session, 2, trajectory)
        assert kept.trajectory == trajectory
    with open_session(location, "Ben") as session:
        (found,) = inspections_of(session, 2)
        assert found == kept
        assert agent_of(session, 2) == ("YES", 0.9, "nano", "answer")
        assert inspections_of(session, 1) == []


def test_inspected_again_replaces_what_the_same_model_said(location):
    with made(location) as session:
        add_inspection(session, 1, said())
        add_inspection(session, 1, said("NO", 0.2, OTHER))
        assert shown(session, "disagree:agents") == [1]
        add_inspection(session, 1, said("NO", 0.1))
        found = inspections_of(session, 1)
        assert [each.trajectory.model.sha256[:2] for each in found] == ["aa", "bb"]
        assert [each.trajectory.p_yes for each in found] == [0.1, 0.2]
        assert agent_of(session) == ("NO", 0.1, "nano", "answer")
        assert shown(session, "disagree:agents") == []


def store_at_once(location, *given):
    """A program for each verdict and model stores them of thirty candidates, one by one."""
    ready = Barrier(len(given))

    def store(verdict, model):
        with open_session(location, "Ada") as session:
            for number in range(1, 31):
                ready.wait(LONG_S)
                add_inspection(session, number, said(verdict, model=model, number=number))

    with ThreadPoolExecutor(len(given)) as threads:
        for work in [threads.submit(store, *each) for each in given]:
            work.result()


def test_two_programs_store_the_same_inspection_at_once(team_location):
    """As two `vet` on one session do: one of them stays, and nobody is refused."""
    with made(team_location, 30) as session:
        store_at_once(team_location, ("YES", NANO), ("YES", NANO), ("YES", OTHER))
        for number in range(1, 31):
            models = [each.trajectory.model for each in inspections_of(session, number)]
            assert sorted(models, key=repr) == sorted([NANO, OTHER], key=repr)
            assert agent_of(session, number)[0] == "YES"


def test_models_that_differ_at_the_same_moment_are_known_to_differ(team_location):
    with made(team_location, 30) as session:
        store_at_once(team_location, ("YES", NANO), ("NO", OTHER))
        assert shown(session, "disagree:agents") == list(range(1, 31))


def test_all_or_nothing(location):
    with made(location) as session:
        add_inspection(session, 1, said())
        told = []
        session.changed.connect(told.append)
        with pytest.raises(SessionError):
            add_inspection(session, 99, said())
        for name in ("", "x" * 201, "a\nb", "a\0b"):
            with pytest.raises(SessionError, match="name"):
                add_inspection(session, 1, said(model=ModelRef(name=name)))
        assert told == []
        assert len(list(all_trajectories(session))) == 1


def test_two_models_compared(location):
    with made(location, 6) as session:
        for number, (one, other) in enumerate(
            [("YES", "YES"), ("YES", "NO"), ("NO", "NO"), ("NO", "NO"), (None, "NO")], start=1
        ):
            add_inspection(session, number, said(one, model=NANO))
            add_inspection(session, number, said(other, model=OTHER))
        add_inspection(session, 6, said(model=OTHER))
        found = compare_models(session, NANO, OTHER)
        counts = {("YES", "YES"): 1, ("YES", "NO"): 1, ("NO", "NO"): 2, (None, "NO"): 1}
        assert found == Confusion(first=NANO, second=OTHER, counts=counts)
        assert (found.n, found.agreeing, found.opposed) == (5, 3, 1)
        assert compare_models(session, NANO, MEASURED).n == 0


def test_taken_up_where_it_was_left(location):
    """Interrupted anywhere, asked again: each is inspected once, none is left out."""
    done = []
    with made(location, 30) as session:
        for candidate in islice(pending_candidates(session, NANO), 7):
            add_inspection(session, candidate.id, said(number=candidate.id))
            done.append(candidate.id)
    with open_session(location, "Ada") as session:
        for candidate in pending_candidates(session, NANO, limit=5):
            add_inspection(session, candidate.id, said(number=candidate.id))
            done.append(candidate.id)
        assert [each.id for each in pending_candidates(session, OTHER, limit=3)] == [1, 2, 3]
        for candidate in pending_candidates(session, NANO):
            add_inspection(session, candidate.id, said(number=candidate.id))
            done.append(candidate.id)
        assert list(pending_candidates(session, NANO)) == []
        assert list(pending_candidates(session, NANO, limit=0)) == []
    assert done == list(range(1, 31))


def test_shares_divide_the_list(location):
    with made(location, 11) as session:
        shares = [Share(number, 3) for number in (1, 2, 3)]

        def left() -> list[list[int]]:
            return [[x.id for x in pending_candidates(session, NANO, share=one)] for one in shares]

        found = left()
        assert sorted(number for each in found for number in each) == list(range(1, 12))
        told = [len(each) for each in found]
        assert told == [count_pending(session, NANO, share=one) for one in shares]
        assert {len(each) for each in found} == {3, 4}
        first = next(iter(pending_candidates(session, NANO, limit=1, share=shares[1])))
        add_inspection(session, first.id, said(number=first.id))
        assert left() == [found[0], found[1][1:], found[2]]


def test_what_failed_is_done_again_and_what_cannot_be_read_is_not(location):
    with made(location, 6) as session:
        add_inspection(session, 1, said(None, None, stopped_by="error"))
        add_inspection(session, 2, said(None, None, stopped_by="cancelled"))
        add_inspection(session, 3, said(None, None, stopped_by="turn_limit"))
        mark_fault(session, 4, "no such file")
        change(session, update(candidates).where(candidates.c.id == 5).values(path=""))
        assert [each.id for each in pending_candidates(session, NANO)] == [1, 2, 6]
        assert [each.id for each in pending_candidates(session, NANO, retry=True)] == [1, 2, 4, 6]
        assert (count_pending(session, NANO), count_pending(session, NANO, retry=True)) == (3, 4)
        assert (count_pending(session, OTHER), count_pending(session, OTHER, retry=True)) == (4, 5)
        add_inspection(session, 4, said(number=4))  # it can be read again
        assert session.candidate(4).fault == ""


def test_a_fault_is_told_once_in_words_that_fit(location):
    with made(location) as session:
        mark_fault(session, 1, "line one\nline two \x1b[31m" + "x" * 1000)
        fault = session.candidate(1).fault
        assert fault.startswith("line one line two") and len(fault) <= 500
        assert fault.isprintable()
        assert shown(session, "has:fault") == [1]
        mark_fault(session, 1, "")
        assert shown(session, "has:fault") == []
        seen = []

        def look(change):
            seen.append((change, agent_of(session)[0]))

        session.changed.connect(look)
        add_inspection(session, 1, said())
        mark_fault(session, 2, "no such file")
        mark_fault(session, 2, "no such file")
        assert seen == [
            (Change(aspect="inspection", candidate_ids=frozenset({1})), "YES"),
            (Change(aspect="spectrum", candidate_ids=frozenset({2})), "YES"),
        ]


def test_all_trajectories_one_after_the_other_and_their_models(location):
    with made(location, 120) as session:
        assert models_of(session) == []
        for number in range(1, 121):
            add_inspection(session, number, said(number=number))
        add_inspection(session, 5, said(model=OTHER, number=5))
        found = list(all_trajectories(session))
        assert [each.spectrum.object_id for each in found[:2]] == ["J000001", "J000002"]
        assert len(found) == 121
        # Models are found by leaps.
        add_inspection(session, 4, said(model=MEASURED))
        assert models_of(session) == [MEASURED, replace(NANO, engine=""), OTHER]


def test_a_damaged_record_is_told(location):
    with made(location) as session:
        for record in ["{}", "[", "null", '{"version": 99}', "x" * 100]:
            add_inspection(session, 3, said())
            change(session, update(inspections).values(record=record))
            with pytest.raises(SessionError, match="inspection of candidate 3 by nano is damaged"):
                inspections_of(session, 3)
            with pytest.raises(SessionError, match="damaged"):
                list(all_trajectories(session))
            add_inspection(session, 3, said())
            assert len(inspections_of(session, 3)) == 1


def test_one_inspection_is_one_transaction_and_keeps_nothing_of_a_spectrum(tmp_path):
    with made(tmp_path / "a.speco3") as session:
        commits = []
        with session.database.writing() as connection:
            engine = connection.engine
        event.listen(engine, "commit", commits.append)
        add_inspection(session, 1, said())
        assert len(commits) == 1
        # A record holds words and hashes: a session does not grow by the size of what was seen.
        kept = add_inspection(session, 1, said())
        assert not any(isinstance(each, Spectrum) for each in vars(kept.trajectory).values())
        with session.database.reading() as connection:
            query = "SELECT max(length(record)) FROM inspections"
            assert connection.exec_driver_sql(query).scalar_one() < 3000


def test_the_members_of_a_panel_are_records_of_their_own(location):
    panel = ModelRef(name="panel", engine="panel", sha256="cc" * 32)
    members = (said("YES", 0.7), said("NO", 0.1, MEASURED))
    of_panel = replace(said("NO", 0.3, panel), members=members)
    with made(location) as session:
        add_inspection(session, 1, said("NO", 0.2))
        kept = add_inspection(session, 1, of_panel)
        assert kept.trajectory == of_panel and kept.trajectory.members == ()
        found = [each.trajectory for each in inspections_of(session, 1)]
        assert found[0] == of_panel and sorted(each.p_yes for each in found) == [0.1, 0.3, 0.7]
        assert agent_of(session) == ("NO", 0.3, "panel", "answer")
        assert shown(session, "disagree:agents") == [1]
        assert next(iter(shown(session, "", Sort("disagreeing", True)))) == 1
        assert compare_models(session, NANO, MEASURED).opposed == 1
        assert 1 not in [each.id for each in pending_candidates(session, NANO)]


# What a reviewer has seen of the agents stays known, each person's for themselves.
ACCEPT = Opinion(verdict=Verdict.ACCEPT)


def test_what_was_seen_is_known_after_a_restart_and_to_nobody_else(tmp_path):
    location = tmp_path / "night.speco3"
    with made(location, 5) as session:
        assert read_seen(session, 1) is None
        record_seen(session, {1: SeenResult(in_blind=True), 2: SeenResult(model="nano: 7b")})
        record_seen(session, {2: SeenResult(model="other", in_blind=True)})
        record_seen(session, {})
        reviewer = session.reviewer
    with open_session(location, reviewer) as session:
        assert read_seen(session, 1) == SeenResult(in_blind=True)
        assert read_seen(session, 2) == SeenResult(model="other", in_blind=True)
        assert read_seen(session, 3) is None
    with open_session(location, "Li Wei") as session:
        assert read_seen(session, 1) is None


def test_the_log_tells_it_of_verdicts_even_where_they_were_undone(tmp_path):
    with made(tmp_path / "night.speco3", 5) as session:
        session.record_verdict(1, ACCEPT, shown={"verdict": "YES"})
        session.record_verdict(2, ACCEPT)
        session.undo()
        session.undo()
        assert read_seen(session, 1) == SeenResult() and read_seen(session, 2) is None


# Records of a model on a server that were made when its address was part of its identity.
OLD = ModelRef(
    name="Qwen-big",
    engine="remote",
    sha256="2ebdf374192185fc88a9b067284d3c3d90449ca312efe344ad6756a8bd4bca06",
)
"""As an earlier version wrote it for the first of these addresses."""
ADDRESS = "http://gpu-1:8000/v1#Qwen/big"


def test_what_an_older_record_has_is_not_inspected_again(tmp_path):
    now = find_model(f"http://gpu-2:8000/v1,{ADDRESS}").ref
    with made(tmp_path / "night.speco3") as session:
        assert as_recorded(session, now) == now
        for number in (1, 2, 3):
            add_inspection(session, number, said(model=OLD, number=number))
        found = as_recorded(session, now)
        assert (found.name, found.sha256) == (OLD.name, OLD.sha256)
        assert count_pending(session, found) == 2
        assert as_recorded(session, found).sha256 == OLD.sha256
        told = recorded_by(said(model=now), found)
        assert (told.model.sha256, told.model.address) == (OLD.sha256, now.address)
        other = said(model=NANO)
        assert recorded_by(other, found) is other


def test_which_older_records_are_those_of_a_server(tmp_path):
    """Without `#MODEL` it was written as the server says it."""
    with made(tmp_path / "night.speco3") as session:
        add_inspection(session, 1, said(model=replace(OLD, name="Qwen/big")))
        found = as_recorded(session, find_model(ADDRESS).ref)
        assert (found.name, count_pending(session, found)) == ("Qwen/big", 4)
        add_inspection(session, 1, said(model=OLD))
        for other in ("http://gpu-1:8000/v1#Qwen/small", "http://gpu-3:8000/v1#Qwen/big"):
            ref = find_model(other).ref
            assert as_recorded(session, ref) is ref


def test_of_two_first_addresses_the_one_with_more_records_counts(tmp_path):
    now = find_model(f"{ADDRESS},http://gpu-2:8000/v1").ref
    assert now.also[0] == OLD.sha256
    second = replace(OLD, sha256=now.also[1])
    with made(tmp_path / "night.speco3") as session:
        add_inspection(session, 1, said(model=second))
        add_inspection(session, 2, said(model=second))
        add_inspection(session, 3, said(model=OLD))
        assert as_recorded(session, now).sha256 == second.sha256
        assert as_recorded(session, NANO) is NANO


# How long the rest of a list takes: as measured here, as published, or as one says.
def test_what_inspections_of_the_session_took(location):
    with made(location, 12) as session:
        for number, seconds in enumerate((2.0, 4.0, 0.0), 1):
            record = replace(said(number=number), seconds=seconds, overview_text="Hα " * 2000)
            add_inspection(session, number, record)
        found = plan_inspections(session, "NANO", 2)
        assert (found.candidates, found.pending) == (12, 9)
        assert found.seconds_each == 3.0 and "measured" in found.source
        assert found.gpu_seconds == 27.0 and found.seconds == 13.5
        assert 9 * 100 < found.disk_bytes < 9 * 6000, "compressed"


def test_what_was_published(location):
    with made(location, 100) as session:
        found = plan_inspections(session, "spec-o3-7b", 8)
        assert found.pending == 100
        assert found.seconds == pytest.approx(20.0), "0.2 s a sample on 8 H100"
        assert "published" in found.source
        seen = ModelRef(name="spec-o3-7b", sha256="cc")
        add_inspection(session, 1, replace(said(model=seen), seconds=0.0))
        untimed = plan_inspections(session, "spec-o3-7b", 8)
        assert untimed.pending == 99 and untimed.seconds_each == PUBLISHED_S


def test_what_one_says_and_a_share(location):
    with made(location, 10) as session:
        add_inspection(session, 1, replace(said(), seconds=9.0))
        found = plan_inspections(session, "nano", 1, seconds_each=0.5, share=Share.parse("1/2"))
        assert found.pending == 5 and found.gpu_seconds == 2.5
        assert found.source == "as given"


def test_the_newest_weights_of_a_name_count(location):
    with made(location, 4) as session:
        old = ModelRef(name="nano", sha256="ff" * 32)
        for number in (1, 2, 3):
            add_inspection(session, number, replace(said(model=old, number=number), seconds=8.0))
        add_inspection(session, 1, replace(said(model=NANO), seconds=2.0))
        found = plan_inspections(session, "nano", 1)
        assert (found.pending, found.seconds_each) == (3, 2.0)


def test_an_unknown_model(location):
    with made(location, 1) as session, pytest.raises(SessionError, match="give --seconds-each"):
        plan_inspections(session, "mine", 1)


def test_each_candidate_is_pending_in_one_share_as_it_is_read(tmp_path):
    assert Share.parse("2/4") == Share(2, 4) and Share.parse(" 1/1 ") == Share(1, 1)
    with made(tmp_path / "night.speco3", 120) as session:
        add_inspection(session, 8, said(number=8))
        shares = [Share(part, 7) for part in range(1, 8)]
        found = [[c.id for c in pending_candidates(session, NANO, share=each)] for each in shares]
        assert all(some == sorted(some) for some in found)
        assert sorted(chain(*found)) == [n for n in range(1, 121) if n != 8]
        counts = [count_pending(session, NANO, share=each) for each in shares]
        assert counts == [len(some) for some in found]
        assert len(list(pending_candidates(session, NANO, 3, share=shares[2]))) == 3


@pytest.mark.parametrize("text", ["", "0/4", "5/4", "2", "2/0", "-1/4", "1/99999", "a/b", "٢/٤"])
def test_what_is_no_share_is_refused(text):
    with pytest.raises(SessionError, match="no share: write 2/4"):
        Share.parse(text)


def test_nothing_of_other_shares_is_read(tmp_path, monkeypatch):
    with made(tmp_path / "night.speco3", 200) as session:
        read, candidates = [], session.candidates
        monkeypatch.setattr(
            session, "candidates", lambda numbers: read.extend(numbers) or candidates(numbers)
        )
        found = [each.id for each in pending_candidates(session, NANO, share=Share(1, 100))]
        assert found == read == [100, 200]
