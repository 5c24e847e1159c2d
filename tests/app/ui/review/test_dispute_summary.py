"""Which candidates are disputed, and what is known about one."""

from __future__ import annotations

from app.core.statistics.adjudication import set_adjudicator
from app.ui.review.dispute_summary import dispute_details, disputes_between


def test_disputes_of_each_kind(disputed):
    found = {kind: disputes_between(disputed, kind) for kind in ("people", "agent", "agents")}
    ids = {kind: [each.id for each in summary.disputes] for kind, summary in found.items()}
    assert ids == {"people": [3, 5], "agent": [8], "agents": [7]}
    (both,) = found["agents"].models
    assert (both.n, both.opposed) == (1, 1)
    assert found["people"].models == ()


def test_settled_ones_are_left_out_on_demand(disputed):
    set_adjudicator(disputed, "Ada")
    assert disputes_between(disputed, "people", only_open=True).disputes == ()
    assert len(disputes_between(disputed, "people").disputes) == 2


def test_details_of_one(disputed):
    details = dispute_details(disputed, 7)
    assert details.candidate_id == 7
    assert [each.reviewer for each in details.dispute.judgements] == ["Ada", "Li Wei"]
    opinions = {each.model: (each.verdict, each.p_yes, each.looks) for each in details.agents}
    assert opinions == {"nano": ("YES", 0.9, 1), "measured": ("NO", 0.2, 1)}
    assert details.agents[0].look.label == "Hα"
