"""Actors of a Ray on this machine, some of which are killed."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from agent.cluster.options import RayPlace
from agent.cluster.ray_actors import AHEAD, CannotWork, RayActors, SideBySide, _no_start
from agent.cluster.ray_cluster import RayCluster
from agent.errors import WorkbenchError
from tests.agent.cluster.ray_workers import Broken, Different, Doomed, Obedient, Sociable, Unable
from tests.night import ray_by_night

pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    found = RayCluster(RayPlace(actors=2))
    yield found
    found.close()


@pytest.fixture
def actors(cluster: RayCluster) -> Iterator[RayActors[int]]:
    made: RayActors[int] = RayActors(cluster, Obedient)
    yield made
    made.close()


def answers(actors: RayActors[int], *calls: str) -> dict[int, str]:
    """What was said to each call, which must be one thing."""
    found = [(each.key, each.value[0] if each.value else "lost") for each in run(actors, *calls)]
    assert max(Counter(key for key, _ in found).values()) == 1
    return dict(found)


def calls_until(is_enough: Callable[[], bool]) -> Iterator[tuple[int, str]]:
    for number in count():
        if is_enough():
            return
        yield number, "one"


def run(actors: RayActors[int], *calls: str):
    return actors.run(enumerate(calls))


def test_each_call_has_one_answer(actors: RayActors[int]) -> None:
    assert actors.ready() == "2 share"
    keys, pids = [], set()
    for answer in actors.run(calls_until(lambda: len(pids) == 2 and len(keys) > 60)):
        keys.append(answer.key)
        pids.add(answer.value[1])  # both take part
    assert sorted(keys) == list(range(len(keys)))
    assert answers(actors, "again") == {0: "AGAIN"}


def test_no_more_is_taken_than_the_actors_have_room_for(actors: RayActors[int]) -> None:
    taken: list[int] = []

    def calls():
        for number in range(20):
            taken.append(number)
            yield number, "one"

    told = actors.run(calls())
    for answered, _ in enumerate(told, 1):
        assert len(taken) - answered <= 2 * (1 + AHEAD)
    assert len(taken) == 20
    assert list(actors.run([])) == []


def test_what_an_actor_had_when_it_was_killed_is_done_by_others(
    actors: RayActors[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The call that it worked on ends in another process, as do those that waited behind it."""
    calls = ["one"] * 30
    calls[7] = f"die-unless-there:{tmp_path / 'there'}"
    told = answers(actors, *calls)
    assert len(told) == 30
    assert told[7].startswith("DIE-UNLESS")
    assert capsys.readouterr().out == "", "Ray would print where our summary goes"


def test_a_call_that_kills_twice_is_lost_and_no_other(actors: RayActors[int]) -> None:
    """Those beside it may have been to blame as well: they are tried again, each alone."""
    told = answers(actors, "one", "die", *["one"] * 18)
    assert len(told) == 20
    assert [key for key, said in told.items() if said == "lost"] == [1]


def test_a_worker_that_can_do_no_more_leaves_its_calls_to_others(
    actors: RayActors[int], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        told = answers(actors, f"useless-unless-there:{tmp_path / 'there'}", *["one"] * 10)
    assert len(told) == 11 and "lost" not in told.values()
    assert "left out: the server is gone" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING), pytest.raises(CannotWork, match="the server is gone"):
        list(run(actors, "useless", "useless", "one"))
    caplog.clear()


@pytest.mark.parametrize(("make", "reason"), [
    (Unable, "no model of that name"), (Broken, "No module named 'agent'.*the same version"),
    pytest.param(Doomed, "died 3 times in a row", marks=ray_by_night),
])  # fmt: skip
def test_where_none_can_begin_the_reason_is_told(
    cluster: RayCluster, make: type[Obedient], reason: str
) -> None:
    actors: RayActors[int] = RayActors(RayCluster(RayPlace(actors=1)), make)
    with pytest.raises(CannotWork, match=reason):
        actors.ready()
    actors.close()


@pytest.mark.parametrize("said", [
    "The actor never ran - it was cancelled before it started running.",
    "The actor is dead because its owner has died. Owner's node has crashed.",
])  # fmt: skip
def test_a_crashed_machine_is_not_told_as_another_version(said: str) -> None:
    words = str(_no_start(RuntimeError(f"The actor died unexpectedly.\n{said}")))
    assert said in words and "has crashed or left" in words and "version" not in words


def test_a_machine_with_another_model_takes_no_part(
    cluster: RayCluster, caplog: pytest.LogCaptureFixture
) -> None:
    actors: RayActors[int] = RayActors(cluster, Different)
    with caplog.at_level(logging.WARNING):
        first = actors.ready()
        told = list(actors.run(calls_until(lambda: "left out" in caplog.text)))
    assert {each.value[1] for each in told} == {first}
    assert f"where another has {first}" in caplog.text
    caplog.clear()
    actors.close()


def test_an_error_or_a_stop_ends_the_work_and_it_begins_anew(actors: RayActors[int]) -> None:
    with pytest.raises(WorkbenchError, match="the disk is full"):
        list(run(actors, "one", "refuse", "one"))
    told = run(actors, "one", "wait", "one", "one")
    assert next(told).value
    told.close()
    assert answers(actors, *["one"] * 5) == dict.fromkeys(range(5), "ONE")


@pytest.fixture
def sociable(cluster: RayCluster) -> Iterator[RayActors[int]]:
    """Two, both ready: one that joins for the last calls would find too few to be together."""
    made: RayActors[int] = RayActors(cluster, Sociable, SideBySide(8, lambda: 4))
    made.ready()
    while not all(each.is_ready for each in made._actors):
        made._answer_of(made._wait())
    yield made
    made.close()


def test_an_actor_works_on_so_many_side_by_side_and_on_no_more(sociable: RayActors[int]) -> None:
    taken: list[int] = []

    def calls():
        for number in range(40):
            taken.append(number)
            yield number, "together:4"

    told = []
    for answered, each in enumerate(sociable.run(calls()), 1):
        assert len(taken) - answered <= 2 * 4, "taken when there is room for them"
        told.append(each)
    assert sorted(each.key for each in told) == list(range(40))
    assert {each.value[1] for each in told} == {4}


def test_the_number_side_by_side_may_change_while_they_work(cluster: RayCluster) -> None:
    allowed = 1
    one = RayActors[int](RayCluster(RayPlace(actors=1)), Sociable, SideBySide(8, lambda: allowed))
    most = []
    for answer in one.run(enumerate(["one"] * 5 + ["together:6"] * 12)):
        most.append(answer.value[1])
        allowed = 6 if len(most) >= 4 else 1
    assert most[:4] == [1, 1, 1, 1] and set(most[6:]) == {6}
    one.close()


def test_those_side_by_side_in_an_actor_that_dies_are_done_again(
    sociable: RayActors[int], tmp_path: Path
) -> None:
    calls = ["one"] * 60
    calls[11] = f"die-unless-there:{tmp_path / 'there'}"
    told = answers(sociable, *calls)
    assert len(told) == 60 and "lost" not in told.values()


@ray_by_night
def test_of_those_side_by_side_only_the_one_that_kills_is_lost(sociable: RayActors[int]) -> None:
    told = answers(sociable, *["one"] * 10, "die", *["one"] * 20)
    assert len(told) == 31
    assert [key for key, said in told.items() if said == "lost"] == [10]


def test_one_that_must_be_alone_is_tried_with_nothing_beside_it(sociable: RayActors[int]) -> None:
    told = answers(sociable, "together:3", "alone", *["together:3"] * 20)
    assert told[1] == "ALONE" and len(told) == 22
