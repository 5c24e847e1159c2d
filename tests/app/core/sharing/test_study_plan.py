"""The plan of a study: even, frozen, and the same for all copies of a session."""

import json
import re

import numpy as np
import pytest

from agent.hashing import text_hash
from agent.tasks.catalogue import look_task
from app.core.errors import SessionError
from app.core.inspections.seen import SeenResult, record_seen
from app.core.inspections.store import add_inspection
from app.core.session.assignments import STUDY_FACT
from app.core.session.known_answers import known_ids
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session, open_session
from app.core.sharing.known.labelled_list import Labelled
from app.core.sharing.merge import merge
from app.core.sharing.parts import split
from app.core.sharing.study_plan import (
    HASH,
    Turn,
    new_study,
    numbers_by_key,
    readings_left,
    study_of,
    turns_left,
)
from app.core.statistics.repeats import consistency, record_repeat, repeats_of
from app.core.study.figures import study_figures
from app.core.study.readings import readings_of
from tests.app.core.inspected import said
from tests.app.core.sessions import change, change_candidates, made
from tests.app.core.sharing.merged_sessions import check

PEOPLE = ["Ada", "Grace", "Hedy"]
COUNT = 24


def vetted(location, count=COUNT):
    """A list that an agent has inspected, with numbers of every kind."""
    session = made(location, count, "Lead")
    for number in range(1, count + 1):
        p_yes = (number % 12) / 12
        add_inspection(session, number, said("YES" if p_yes > 0.5 else "NO", p_yes, number=number))
    change_candidates(session, {n: {"snr": 4.0 * n} for n in range(1, count + 1)})
    return session


def labels(count=COUNT, step=2):
    return [
        Labelled(path=f"/spectra/{n}.fits", row=0, class_name="CV" if n % 4 == 0 else "star",
                 is_member=n % 4 == 0, object_id="")
        for n in range(step, count + 1, step)
    ]  # fmt: skip


def judge(location, name, most=1000):
    """Give up to so many readings as the window does; accept what has an even number."""
    with open_session(location, name) as session:
        plan, numbers = study_of(session), numbers_by_key(session)
        for _ in range(most):
            left = turns_left(session, plan, numbers)
            if not left:
                break
            give(session, plan, left[0], numbers[left[0].key])


def give(session, plan, turn: Turn, number, shown=None):
    verdict, p_yes = plan.answers[turn.key]
    whole = {"verdict": verdict, "p_yes": p_yes, "model": "nano"}
    if shown is None:
        shown = {} if turn.arm == "unaided" else whole
    opinion = Opinion(verdict=Verdict.ACCEPT if number % 2 == 0 else Verdict.REJECT)
    if turn.reading == 1:
        session.record_verdict(number, opinion, seconds=5.0, shown=shown)
    else:
        record_repeat(session, number, opinion, seconds=4.0, shown=shown)


@pytest.mark.parametrize("design", ["split", "crossover", "unaided-first"])
def test_arms_are_even_in_class_p_and_signal_and_so_is_the_order(file_location, design):
    with vetted(file_location) as session:
        plan = new_study(session, PEOPLE, design, seed=5, labelled=labels())
        assert known_ids(session) == set(range(2, COUNT + 1, 2))
        numbers = numbers_by_key(session)
        orders = []
        for name in PEOPLE:
            turns = plan.turns[name]
            first = [turn for turn in turns if turn.reading == 1]
            assert {numbers[turn.key] for turn in first} == set(range(1, COUNT + 1))
            orders.append([turn.key for turn in first])
            if design == "unaided-first":
                pairs = list(zip(turns[::2], turns[1::2], strict=True))
                assert all(a.key == b.key for a, b in pairs)
                assert all((a.arm, b.arm) == ("unaided", "advice") for a, b in pairs)
                continue
            unaided = {numbers[turn.key] for turn in first if turn.arm == "unaided"}
            for some in (range(4, COUNT + 1, 4), range(2, COUNT + 1, 4), range(1, COUNT + 1, 2)):
                assert abs(len(unaided & set(some)) - len(some) / 2) <= 1
            if design == "crossover":
                arms = {turn.key: turn.arm for turn in first}
                second = turns[COUNT:]
                assert {turn.key for turn in second} == set(arms)
                assert all(turn.arm != arms[turn.key] for turn in second)
                at = {turn.key: index for index, turn in enumerate(first)}
                apart = [COUNT + index - at[turn.key] for index, turn in enumerate(second)]
                assert min(apart) > COUNT / 2
        assert orders[0] != orders[1] != orders[2]
        if design == "split":
            ada, grace = ({t.key: t.arm for t in plan.turns[name]} for name in PEOPLE[:2])
            assert all(ada[key] != grace[key] for key in ada)


def test_the_same_seed_draws_the_same_plan_and_the_hash_is_that_of_its_text(tmp_path):
    plans = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        with vetted(tmp_path / f"{name}.speco3") as session:
            plans.append(new_study(session, PEOPLE, "split", seed=seed))
            assert study_of(session) == plans[-1]
            assert session.fact("blind") == "yes"
            assert session.fact(HASH) is None or plans[-1].sha256
    assert plans[0].turns == plans[1].turns != plans[2].turns
    assert re.fullmatch("[0-9a-f]{64}", plans[0].sha256)
    assert json.loads(plans[0].text)["people"] == PEOPLE


def test_readings_are_given_in_parts_merged_and_counted_once(file_location, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    with vetted(file_location) as session:
        plan = new_study(session, PEOPLE, "unaided-first", labelled=labels())
        files = split(session, folder)
        assert [each.candidates for each in files] == [COUNT] * 3
        for each in files:
            judge(each.path, each.reviewer)
        for each in (*files, *files):
            with open_session(each.path, "Lead", read_only=True) as part:
                merge(session, part)
        check(session)
        found = readings_of(session, plan)
        assert found.person.size == 3 * 2 * COUNT and found.deviating == {}
        first, second = found.pairs()
        assert len(first) == 3 * COUNT and set(found.seconds) == {4.0, 5.0}
        assert (found.verdict[first] == found.verdict[second]).all()
        assert set(readings_left(session, plan).values()) == {(0, 2 * COUNT)}
        assert repeats_of(session) == [] and consistency(session) == ()


def test_a_team_judges_on_a_server_and_agreeing_people_retire_a_candidate(team_location):
    with vetted(team_location) as session:
        plan = new_study(session, PEOPLE, "split", retire_after=2)
        judge(team_location, "Ada")
        judge(team_location, "Grace")
        left = readings_left(session, plan)
        assert left == {"Ada": (0, COUNT), "Grace": (0, COUNT), "Hedy": (0, COUNT)}
        assert readings_of(session, plan).person.size == 2 * COUNT


def test_what_deviates_is_told_and_left_out(file_location):
    with vetted(file_location) as session:
        plan = new_study(session, ["Ada"], "split", labelled=labels())
    with open_session(file_location, "Ada") as session:
        numbers = numbers_by_key(session)
        aided = [turn for turn in plan.turns["Ada"] if turn.arm == "advice"]
        unaided = [turn for turn in plan.turns["Ada"] if turn.arm == "unaided"]
        verdict, p_yes = plan.answers[aided[1].key]
        other = "NO" if verdict == "YES" else "YES"
        for turn, shown in (
            (unaided[0], {}), (unaided[1], {"verdict": "YES"}), (unaided[2], {"model": "nano"}),
            (aided[0], {}), (aided[1], {"verdict": other, "p_yes": p_yes}),
            (aided[2], {"verdict": plan.answers[aided[2].key][0]}),
        ):  # fmt: skip
            give(session, plan, turn, numbers[turn.key], shown)
        found = readings_of(session, plan)
        assert found.person.size == 1
        assert found.deviating == {
            "the agent's answer had been seen": 2,
            "not the answer of the plan was shown": 2,
            "more or less was shown than planned": 1,
        }
        # A comment later, or another verdict, changes nothing.
        number = numbers[unaided[0].key]
        before = session.judgement(number).opinion
        session.record_verdict(number, Opinion(verdict=before.verdict, comment="later"))
        session.record_verdict(number, Opinion(verdict=Verdict.UNSURE), shown={"verdict": "YES"})
        again = readings_of(session, plan)
        assert again.seconds.tolist() == [5.0] and again.deviating == found.deviating
        assert again.verdict.tolist() == found.verdict.tolist()
        for _ in range(2):
            session.undo()
        assert readings_of(session, plan).verdict.tolist() == found.verdict.tolist()
        while session.undo() is not None:
            pass
        assert readings_of(session, plan).person.size == 0
        session.redo()
        assert (
            sum(readings_of(session, plan).deviating.values())
            + readings_of(session, plan).person.size
            == 1
        )


def test_a_strangers_moments_and_seconds_count_as_unknown(file_location):
    with vetted(file_location) as session:
        plan = new_study(session, PEOPLE, "unaided-first", labelled=labels())
    for name in PEOPLE[:2]:
        judge(file_location, name)
    with open_session(file_location, "Lead") as session:
        change(session, "UPDATE log SET seconds = 1e308, at = '0001-01-01T00:00:00+23:59'")
        change(session, "UPDATE repeats SET seconds = 1e-320, at = '0001-01-01T00:00:00'")
        found = readings_of(session, plan)
        assert found.deviating == {} and np.isnan(found.seconds).all()
        assert study_figures(found).time_ratio.value is None


def test_only_copies_of_one_study_are_merged(tmp_path):
    with vetted(tmp_path / "one.speco3") as one:
        one.database.copy_to(tmp_path / "early.speco3")
        one.database.copy_to(tmp_path / "other.speco3")
        plan = new_study(one, PEOPLE, "split", seed=1)
        with open_session(tmp_path / "early.speco3", "Ada") as early:
            with pytest.raises(
                SessionError, match=rf"study plan {plan.sha256[:12]} and .* no study"
            ):
                merge(one, early)
            merge(early, one)
            assert study_of(early) == plan
            merge(one, early)
        with open_session(tmp_path / "other.speco3", "Lead") as other:
            new_study(other, PEOPLE, "split", seed=2)
            with pytest.raises(SessionError, match="merge only copies of one study"):
                merge(one, other)
        with made(tmp_path / "foreign.speco3", 4, "Ada") as foreign:
            merge(foreign, one)
            assert study_of(foreign) is None  # a plan comes with copies of its session alone


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace('"seed":0', '"seed":1'),
        lambda text: text[:-1],
        lambda text: "[" * 100_000,
        lambda text: None,
    ],
)
def test_a_plan_that_was_edited_is_refused_in_one_sentence(file_location, damage):
    with vetted(file_location) as session:
        plan = new_study(session, PEOPLE, "split")
        changed = damage(plan.text)
        with session.database.writing() as connection:
            if changed is None:
                connection.exec_driver_sql("DELETE FROM facts WHERE key = 'study'")
            else:
                session.write_fact(connection, STUDY_FACT, changed)
        with pytest.raises(SessionError, match="was changed after it was frozen"):
            study_of(session)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"turns": {}}, "was changed"), ({"people": []}, "was changed"),
        ({"candidates": [["a", "MAYBE", 0.5]]}, "was changed"), ({"design": "x"}, "was changed"),
        ({"format": 99}, "was changed"), ({"candidates": [["a", "YES", 7]] }, "was changed"),
        ({"people": [7]}, "was changed"), ({"models": [["\ud800", ""]]}, "was changed"),
        ({"candidates": [["a", "YES", 10**400]]}, "was changed"),
        ({"turns": dict.fromkeys(PEOPLE, [[0, "advice"]] * 3)}, "was changed"),
    ],
)  # fmt: skip
def test_a_plan_of_a_stranger_whose_hash_fits_is_checked_all_the_same(
    file_location, change, reason
):
    with vetted(file_location) as session:
        values = json.loads(new_study(session, PEOPLE, "split").text) | change
        with session.database.writing() as connection:
            session.write_fact(connection, STUDY_FACT, json.dumps(values))
            session.write_fact(connection, HASH, text_hash(json.dumps(values)))
        with pytest.raises(SessionError, match=reason):
            study_of(session)


def test_a_study_begins_before_any_verdict_and_after_the_agent(tmp_path):
    with made(tmp_path / "new.speco3", 5) as session, pytest.raises(SessionError, match="vet"):
        new_study(session, PEOPLE, "split")
    with vetted(tmp_path / "judged.speco3") as session:
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
        with pytest.raises(SessionError, match="there are verdicts already"):
            new_study(session, PEOPLE, "split")
    with vetted(tmp_path / "seen.speco3") as session:
        record_seen(session, {3: SeenResult()}, "Grace")
        with pytest.raises(SessionError, match="Grace has seen what the agent says"):
            new_study(session, PEOPLE, "split")
        new_study(session, ["Ada", "Hedy"], "split")
        with pytest.raises(SessionError, match="has a study already"):
            new_study(session, ["Ada"], "split")
    with vetted(tmp_path / "more.speco3") as session:
        for wrong, reason in (
            ({"people": []}, "1 to"), ({"people": ["Ada", "Ada"]}, "only once"),
            ({"aided": "unaided"}, "compares"), ({"retire_after": 9}, "retired early"),
            ({"labelled": [Labelled(path="/no", row=0, class_name="CV", is_member=True,
                                    object_id="no")]}, "none of the candidates"),
        ):  # fmt: skip
            given = {"people": PEOPLE, "design": "split"} | wrong
            with pytest.raises(SessionError, match=reason):
                new_study(session, **given)
        assert study_of(session) is None and known_ids(session) == set()
    with (
        new_session(tmp_path / "look.speco3", look_task(), "Ada") as session,
        pytest.raises(SessionError, match="no class to judge"),
    ):
        new_study(session, PEOPLE, "split")
