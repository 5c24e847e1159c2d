"""Numbers of sub-classes, and kappa by level."""

from __future__ import annotations

import pytest

from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.statistics.subclasses import subclass_statistics
from app.core.statistics.summary import statistics
from tests.app.core.sessions import made

ADA = ("DN/WZ Sge", "DN/DN outburst", "DN", "NL", "NL/SW Sex", "polar", "")
BEN = ("DN/WZ Sge", "DN/WZ Sge", "DN", "DN", "NL/SW Sex", "", "IP")


@pytest.fixture
def session(location):
    for name, given in (("Ben", BEN), ("Ada", ADA)):
        opened = made(location, 8, name) if name == "Ben" else open_session(location, name)
        with opened:
            for number, path in enumerate(given, 1):
                opened.record_verdict(number, Opinion(verdict=Verdict.ACCEPT, subclass=path))
    with open_session(location, "Ada") as opened:
        yield opened


def test_numbers_as_far_as_people_agree(session):
    assert subclass_statistics(session).counts == {
        "DN": 2,
        "DN/WZ Sge": 1,
        "IP": 1,
        "NL/SW Sex": 1,
        "polar": 1,
    }


def test_kappa_by_level(session):
    first, second = subclass_statistics(session).pairs
    assert (first.first, first.second, first.level) == ("Ada", "Ben", 1)
    # Of five that both have named four agree, where chance alone gives 14 of 25.
    assert (first.agreement.n, first.agreement.observed.value) == (5, 0.8)
    assert first.agreement.kappa.value == pytest.approx((0.8 - 14 / 25) / (1 - 14 / 25))
    assert (second.level, second.agreement.n) == (2, 3)
    assert second.agreement.observed.value == pytest.approx(2 / 3)


def test_they_are_in_the_statistics_and_their_json(session):
    found = statistics(session)
    assert found.subclasses.counts["DN"] == 2
    assert '"DN/WZ Sge": 1' in found.to_json()
