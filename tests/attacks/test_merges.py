"""Files that merged each other agree, in whatever order, and whatever their clocks say."""

import random
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.app.core.session.test_rebuild import derived, rebuilt
from tests.attacks.sessions.merges import World, copied, state
from tests.night import BY_NIGHT, seeds

BATCH = 3
"""Worlds in a batch, of about 37 merges each."""


@pytest.fixture
def fast_folder():
    """In memory where there is such a disk, since no power is cut here."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.mark.timeout(900)  # some 110 merges of real files, on machines with much else to do
@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=182))
def test_merges_in_any_order_agree(fast_folder, batch, monkeypatch):
    """20,000 merges by night: commutative, associative, idempotent."""
    told = {"merges": 0, "lines": 0, "conflicts": 0}
    for number in range(BATCH if batch else 2):
        folder = fast_folder / str(number)
        folder.mkdir()
        chance = random.Random(f"{batch}-{number}")
        world = World(folder, chance, monkeypatch, has_old_program=number == 1)
        world.begin()
        try:
            live_and_merge(world)
            in_any_order(world)
            until_all_agree(world)
        finally:
            world.close()
        shutil.rmtree(folder)
        told = {key: told[key] + world.told[key] for key in told}
    # Of a hundred batches one has none by chance.
    assert told["conflicts"] > 0 or BY_NIGHT
    assert told["lines"] > told["merges"]


def live_and_merge(world):
    for _ in range(30):
        session = world.chance.choice(world.sessions)
        if world.chance.random() < 0.15:
            other = world.chance.choice([each for each in world.sessions if each is not session])
            world.merged(session, other)
        else:
            world.deed(session)
            assert derived(session) == rebuilt(session)


def in_any_order(world):
    """(a + b) + c, (a + c) + b, a + (b + c), and c + (b + a) hold the same; once more adds none."""
    a, b, c = world.chance.sample(world.sessions, 3)
    ends = [copied(each, f"end{number}") for number, each in enumerate([a, a, a, c, b, b])]
    first, second, third, fourth, both, other = ends
    world.merged(first, b)
    world.merged(first, c)
    world.merged(second, c)
    world.merged(second, b)
    world.merged(both, c)
    world.merged(third, both)
    world.merged(other, a)
    world.merged(fourth, other)
    wanted = state(first)
    for each in (second, third, fourth):
        assert state(each) == wanted
    report = world.merged(first, third)
    assert not any([report.lines, report.inspections, report.repeats, report.seen])
    assert report.conflicts == ()
    assert state(first) == wanted
    for each in ends:
        each.close()


def until_all_agree(world):
    """Rounds in any order, until each has had all from each."""
    for _ in range(2):
        pairs = [(one, two) for one in world.sessions for two in world.sessions if one is not two]
        if world.chance.random() < 0.5:
            world.chance.shuffle(pairs)
        for into, other in pairs[:9]:
            world.merged(into, other)
    hub, *others = world.sessions
    for other in others:
        world.merged(hub, other)
    for other in others:
        world.merged(other, hub)
        assert state(other) == state(hub)
