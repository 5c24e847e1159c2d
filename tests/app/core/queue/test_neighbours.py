"""Other epochs and what lies near, against every pair; at the poles and across 0 hours."""

import math
import random

import pytest

from app.core.errors import SessionError
from app.core.queue import neighbours
from app.core.queue.neighbours import nearest
from app.services.catalogues.position import arcsec_between
from tests.app.core.sessions import change, change_candidates, made

CENTRES = [
    (0.0, 0.0), (359.9999, 45.0), (0.0001, -60.0), (180.0, 89.999), (10.0, -90.0), (77.0, 90.0),
]  # fmt: skip
RADII = [0.0, 0.5, 3.0, 60.0, 1800.0, 3600.0]


def vector(ra, dec):
    ra, dec = math.radians(ra), math.radians(dec)
    return math.cos(dec) * math.cos(ra), math.cos(dec) * math.sin(ra), math.sin(dec)


def between(one, other):
    """By vectors, in arcseconds: another way than the one that is tested."""
    a, b = vector(*one), vector(*other)
    cross = math.hypot(
        a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    )
    return math.degrees(math.atan2(cross, sum(x * y for x, y in zip(a, b, strict=True)))) * 3600


def drawn():
    draw = random.Random(5)
    places = list(CENTRES)
    for ra, dec in CENTRES:
        for _ in range(60):
            apart = 10 ** draw.uniform(-1, 3.7) / 3600
            near = max(-90.0, min(90.0, dec + draw.uniform(-apart, apart)))
            width = apart / max(math.cos(math.radians(near)), 1e-6)
            places.append(((ra + draw.uniform(-width, width)) % 360.0, near))
    return places


@pytest.fixture(scope="module")
def sky(tmp_path_factory):
    places = drawn()
    with made(tmp_path_factory.mktemp("sky") / "sky.speco3", len(places)) as session:
        put(session, dict(enumerate(places, start=1)))
        yield session, places


def put(session, places):
    change_candidates(
        session, {number: {"ra": ra, "dec": dec} for number, (ra, dec) in places.items()}
    )


@pytest.mark.parametrize("radius", RADII)
def test_against_every_pair(sky, radius):
    session, places = sky
    for number in range(1, len(places) + 1, 7):
        here = places[number - 1]
        apart = {
            other: between(here, there)
            for other, there in enumerate(places, start=1)
            if other != number
        }
        near = sorted((away, other) for other, away in apart.items() if away <= radius)[:100]
        found = neighbours(session, session.candidate(number), radius)
        for each in found:
            assert each.separation == pytest.approx(apart[each.candidate.id], rel=1e-6, abs=1e-6)
        border = {other for other, away in apart.items() if abs(away - radius) < 1e-6}
        assert {each.candidate.id for each in found} - border == {o for _, o in near} - border
        assert [each.separation for each in found] == sorted(each.separation for each in found)


@pytest.mark.parametrize("radius", RADII)
def test_the_nearest_to_a_position(sky, radius):
    session, places = sky
    for here in places[::29]:
        ra, dec = (here[0] + 0.001) % 360.0, max(-90.0, min(90.0, here[1] - 0.0005))
        apart = {number: between((ra, dec), there) for number, there in enumerate(places, 1)}
        found = nearest(session, ra, dec, radius)
        if found is None:
            assert min(apart.values()) > radius - 1e-6
        else:
            assert found[0] == pytest.approx(min(apart.values()), rel=1e-6, abs=1e-6)
            assert apart[found[1]] == pytest.approx(found[0], rel=1e-6, abs=1e-6)


def test_small_angles_are_exact():
    assert arcsec_between(10, 60, 10, 60) == 0.0
    assert arcsec_between(0, 0, 1e-7, 0) == pytest.approx(3.6e-4, rel=1e-9)
    assert arcsec_between(359.5, 0, 0.5, 0) == pytest.approx(3600, rel=1e-12)
    assert arcsec_between(0, 90, 180, 90) == pytest.approx(0, abs=1e-9)
    assert arcsec_between(0, 0, 180, 0) == pytest.approx(648_000)


def test_other_epochs_wherever_they_are(location):
    with made(location, 6) as session:
        put(session, {1: (10.0, 5.0), 2: (10.0, 5.0005), 3: (200.0, 5.0), 5: (10.0, 5.0001)})
        rename(session, {1: "LAMOST 1", 3: "LAMOST 1", 4: "LAMOST 1"})
        found = neighbours(session, session.candidate(1))
        told = [(each.candidate.id, each.is_same_object) for each in found]
        assert told == [(5, False), (2, False), (3, True), (4, True)]
        assert found[0].separation == pytest.approx(0.36)
        assert found[3].separation is None
        of_fourth = neighbours(session, session.candidate(4))
        assert [each.candidate.id for each in of_fourth] == [1, 3]
        assert neighbours(session, session.candidate(6), 3600) == []


def test_at_most_what_can_be_shown_and_nameless_ones_are_not_the_same(location):
    with made(location, 250) as session:
        rename(session, {1: "", 2: ""})
        assert neighbours(session, session.candidate(1)) == []
        put(session, {number: (50.0, 20.0 + number * 1e-6) for number in range(1, 251)})
        found = neighbours(session, session.candidate(1), 60)
        assert [each.candidate.id for each in found] == list(range(2, 102))


@pytest.mark.parametrize("radius", [-1.0, 3600.1, float("nan"), float("inf")])
def test_radii_that_are_none(sky, radius):
    session, _ = sky
    with pytest.raises(SessionError, match="radius"):
        neighbours(session, session.candidate(1), radius)


def test_a_strangers_positions_are_numbers(tmp_path):
    with made(tmp_path / "a.speco3", 3) as session:
        put(session, {1: (10.0, 5.0), 2: (10.0, 5.0)})
        change(session, "UPDATE candidates SET ra = 'east' WHERE id = 2")
        assert neighbours(session, session.candidate(1), 3600) == []
        with pytest.raises(SessionError, match="a text where a number belongs"):
            session.candidate(2)
        change(session, "UPDATE candidates SET ra = 9e999 WHERE id = 2")
        with pytest.raises(SessionError, match="an infinite number"):
            session.candidate(2)


def rename(session, names):
    change_candidates(session, {number: {"object_id": name} for number, name in names.items()})
