"""The first rows of a catalogue, and how many there will be."""

from app.core.inspections.store import add_inspection
from app.core.queue import LIST_ORDER, parse_filter
from app.core.session.measurements import record_measurement
from app.core.session.records import Verdict
from app.core.statistics.adjudication import set_adjudicator
from app.ui.exchange.export.export_work import ROWS, candidate_ids, preview_export
from app.ui.session.candidate.queue_neighbours import Queue
from tests.app.core.inspected import said
from tests.app.core.judged_sessions import say
from tests.app.core.session.test_measurements import HALPHA

EVERYTHING = Queue(tree=parse_filter(""), sort=LIST_ORDER)
REJECTED = Queue(tree=parse_filter("verdict:reject"), sort=LIST_ORDER)


def names_in(preview):
    return [cells[0] for cells in preview.cells]


def hidden_in(preview):
    return {preview.columns[index].name for index in preview.hidden_when_blind}


def test_rows_of_a_choice_are_counted_and_the_first_shown(judged):
    for choice, count in [("accepted", 3), ("judged", 6), ("all", 12)]:
        preview = preview_export(judged, choice, EVERYTHING)
        assert preview.count == str(count) and len(preview.cells) == min(count, ROWS)
        assert all(len(row) == len(preview.columns) for row in preview.cells)
    assert candidate_ids(judged, REJECTED) == [2, 4, 6]
    assert candidate_ids(judged, EVERYTHING, 2) == [1, 2]
    assert preview_export(judged, "filtered", REJECTED).count == "3"
    preview = preview_export(judged, "selected", EVERYTHING, (9, 2, 7))
    assert preview.count == "3"
    assert names_in(preview) == [judged.candidate(number).object_id for number in (9, 2, 7)]


def test_candidates_on_which_reviewers_disagree_are_neither_counted_nor_listed(judged):
    say(judged, "Li Wei", {1: Verdict.REJECT, 2: Verdict.ACCEPT, 3: Verdict.ACCEPT})
    preview = preview_export(judged, "accepted", EVERYTHING)
    assert names_in(preview) == [judged.candidate(number).object_id for number in (3, 5)]
    assert (preview.count, preview.disputed) == ("2", 2)
    set_adjudicator(judged, "Li Wei")
    preview = preview_export(judged, "accepted", EVERYTHING)
    assert (preview.count, len(preview.cells), preview.disputed) == ("3", 3, 1)
    assert preview_export(judged, "judged", EVERYTHING).disputed == 0


def test_columns_of_agents_and_the_label_are_hidden_when_blind(judged):
    hidden = hidden_in(preview_export(judged, "all", EVERYTHING))
    assert {"agent_verdict", "agent_p_yes", "subclass"} <= hidden and "verdict" not in hidden
    add_inspection(judged, 1, said("YES", 0.75))
    record_measurement(judged, 1, HALPHA)
    preview = preview_export(judged, "all", EVERYTHING)
    hidden = hidden_in(preview)
    assert {"agent_nano_verdict", "agent_nano_p_yes", "agent_nano_model"} <= hidden
    assert all(name.startswith("agent_") or name == "subclass" for name in hidden)
    assert "ew_Halpha" in {column.name for column in preview.columns}
