"""Which candidates a catalogue contains."""

from __future__ import annotations

import numpy as np
import pytest
from astropy.table import Table

from app.core.errors import SessionError
from app.core.exporting import export
from app.core.exporting.rows import selected_ids
from app.core.exporting.selection import count_candidates, count_disputed, make_selection
from app.core.session.records import Verdict
from app.core.statistics.adjudication import final_opinion, set_adjudicator
from tests.app.core.exporting.catalogues import listed, people, read_back
from tests.app.core.judged_sessions import say


def test_those_that_were_picked(session_path):
    out = session_path.with_suffix(".ecsv")
    with people(session_path) as session:
        picked = (number for number in (5, 3, 1))
        report = export(session, out, which=picked, filter_text="p_yes>0.9")
        assert report.rows == 3
        assert read_back(out)["object_id"] == ["J000005", "J000003", "J000001"]
        assert report.selection == "3 selected candidates; filter: p_yes>0.9"
        assert Table.read(out).meta["provenance"]["selection"] == report.selection
        assert export(session, out, which=[]).rows == 0
        assert read_back(out)["object_id"] == []
        with pytest.raises(SessionError, match="no candidate 99"):
            export(session, out, which=[1, 99])
        many = [number % 5 + 1 for number in range(1234)]
        assert export(session, out, which=many).rows == 1234
        assert read_back(out)["object_id"] == [f"J{number:06d}" for number in many]


@pytest.mark.parametrize("adjudicator", ["", "Ada", "Li Wei", "Cleo"])
def test_accepted_are_those_whose_final_opinion_is_to_accept(session_path, adjudicator):
    """The rule in SQL and that of `final_opinion` agree on any verdicts of three people."""
    numbers = np.random.default_rng(3)
    with listed(session_path, [{}] * 120) as session:
        for name in ("Ada", "Li Wei", "Cleo"):
            given = numbers.choice([None, *Verdict, Verdict.ACCEPT], 120)
            say(session, name, {n: each for n, each in enumerate(given, 1) if each is not None})
        if adjudicator:
            set_adjudicator(session, adjudicator)
        final = (final_opinion(session.judgements(n), adjudicator or None) for n in range(1, 121))
        wanted = [n for n, each in enumerate(final, 1) if each.opinion.verdict is Verdict.ACCEPT]
        assert 20 < len(wanted) < 100
        assert list(selected_ids(session, "accepted")) == wanted
        assert export(session, session_path.with_suffix(".csv"), which="accepted").rows == len(
            wanted
        )
        by_ada = list(selected_ids(session, "accepted", "Ada"))
        said = (session.judgements(n) for n in by_ada)
        assert {each[0].opinion.verdict for each in said} == {Verdict.ACCEPT}
        with session.database.reading() as connection:
            chosen = make_selection(connection, "accepted", None)
            assert count_candidates(connection, chosen) == len(wanted)
            somebody = [
                n
                for n in range(1, 121)
                if any(each.opinion.verdict is Verdict.ACCEPT for each in session.judgements(n))
            ]
            assert count_disputed(connection, chosen) == len(set(somebody) - set(wanted))
