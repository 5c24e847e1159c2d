import json
from dataclasses import replace

import pytest

from agent.errors import WorkbenchError
from agent.protocol.reply import is_well_formed, parse_reply
from tests.train.review.helpers import case, review
from train.review.pool import Pool
from train.review.review_rules import Case, Role, diff_of, review_from, version_of
from train.review.revision import (
    DraftTurn,
    Revision,
    canonical_replies,
    former_turns,
    revision_from_text,
    revision_to_text,
    split_thought,
    word_differences,
)


def through(about: Case, *steps: tuple[str, Role]) -> Case:
    for by, role in steps:
        about.add(review(about, by, role))
    return about


PANEL: tuple[tuple[str, Role], ...] = (
    ("Ada", "screener"), ("Ben", "reviser"), ("Cy", "auditor"), ("Di", "auditor"),
)  # fmt: skip


def test_a_case_from_screening_to_approval() -> None:
    one = case()
    stages = [one.stage]
    for by, role in (*PANEL, ("Ben", "voter"), ("Cy", "voter"), ("Di", "voter")):
        one.add(review(one, by, role))
        stages.append(one.stage)
    expected = ["screener", "reviser", "auditor", "auditor", "voter", "voter", "voter", "approved"]
    assert stages == expected


@pytest.mark.parametrize("place", range(4))
def test_one_refusal_before_the_vote_ends_it(place: int) -> None:
    one = through(case(), *PANEL[:place])
    one.add(review(one, *PANEL[place], approve=False))
    assert one.stage == "rejected"


def test_the_vote_goes_by_two_of_three() -> None:
    for against, stage in ((1, "approved"), (2, "rejected")):
        one = through(case(), *PANEL)
        for number, by in enumerate(("Ben", "Cy", "Di")):
            one.add(review(one, by, "voter", approve=number >= against))
        assert one.stage == stage


@pytest.mark.parametrize(("done", "by", "role", "why"), [
    (0, "Ada", "auditor", "waits for the screener"),
    (2, "Ben", "auditor", "nobody may hold two roles"),
    (3, "Cy", "auditor", "has already audited"),
    (4, "Ada", "voter", "only those who did may vote"),
])  # fmt: skip
def test_nobody_holds_two_roles(done: int, by: str, role: Role, why: str) -> None:
    one = through(case(), *PANEL[:done])
    with pytest.raises(WorkbenchError, match=why):
        one.add(review(one, by, role))


def audited(one: Case, *wants_changes: bool) -> Case:
    for by, changes in zip(("Cy", "Di"), wants_changes, strict=False):
        one.add(review(one, by, "auditor", approve=not changes, changes=changes, note=f"{by} says"))
    return one


def test_changes_wanted_return_it_to_its_author_until_both_auditors_approve() -> None:
    one = audited(through(case(), *PANEL[:2]), True)
    assert one.stage == "auditor" and not one.is_returned  # the other one has not spoken
    assert "already audited" in one.refusal("Cy", "auditor")
    one.add(review(one, "Di", "auditor"))
    assert one.stage == "reviser" and one.is_returned and one.rounds == 1
    assert "goes back to its author Ben" in one.refusal("Ada", "reviser")
    one.add(review(one, "Ben", "reviser", replies=("new", "two")))
    assert one.stage == "auditor" and one.audits == []
    assert "is audited by Cy and Di" in one.refusal("Eve", "auditor")
    audited(one, False, True)
    assert one.stage == "reviser"
    one.add(review(one, "Ben", "reviser", note="I keep it"))  # the same words once more
    audited(one, False, False)
    assert one.stage == "voter" and set(one.panel) == {"Ben", "Cy", "Di"} and one.rounds == 3


def test_three_people_suffice() -> None:
    one = through(case(), ("Ben", "screener"), ("Ben", "reviser"))
    audited(one, False, False)
    through(one, ("Ben", "voter"), ("Cy", "voter"), ("Di", "voter"))
    assert one.stage == "approved"


def test_auditors_are_blind_to_each_other() -> None:
    one = audited(through(case(), *PANEL[:2]), True)
    for by, sees in (("Cy", True), ("Di", False), ("Ben", False), ("Eve", False)):
        assert ("Cy says" in [each.note for each in one.visible_reviews(by)]) == sees, by
    one.add(review(one, "Di", "auditor", note="Di says"))
    notes = {by: [each.note for each in one.visible_reviews(by)] for by in ("Ben", "Cy", "Di")}
    assert {"Cy says", "Di says"} <= set(notes["Ben"])  # it is his turn
    assert "Di says" not in notes["Cy"] and "Cy says" not in notes["Di"]
    one.add(review(one, "Ben", "reviser"))
    assert "Di says" not in [each.note for each in one.visible_reviews("Cy")]
    audited(one, False, False)
    assert one.visible_reviews("Cy") == one.reviews  # the vote is open


def test_a_draft_that_somebody_revises_is_not_for_others() -> None:
    one = through(case(), PANEL[0])
    one.taken_by = "Ben"
    assert "Ben is revising" in one.refusal("Cy", "reviser")
    assert one.refusal("Ben", "reviser") == ""


def test_nobody_votes_twice_and_what_is_closed_stays_closed() -> None:
    one = through(case(), *PANEL, ("Ben", "voter"))
    with pytest.raises(WorkbenchError, match="has already voted"):
        one.add(review(one, "Ben", "voter"))
    through(one, ("Cy", "voter"), ("Di", "voter"))
    with pytest.raises(WorkbenchError, match="already approved"):
        one.add(review(one, "Eve", "auditor"))


def test_a_review_of_another_wording_does_not_count() -> None:
    one = through(case(), PANEL[0])
    stale = review(one, "Cy", "auditor")
    one.add(review(one, "Ben", "reviser", replies=("new", "two")))
    assert one.replies == ("new", "two") and one.version != stale.version
    with pytest.raises(WorkbenchError, match="was revised since"):
        one.add(stale)
    with pytest.raises(WorkbenchError, match="only the reviser"):
        one.add(review(one, "Cy", "auditor", replies=("x",)))


def test_reviews_against_the_rules_in_a_file_are_void() -> None:
    one = case()
    one.add_recorded([review(one, "Ada", role) for role in ("screener", "reviser", "auditor")])
    assert one.stage == "auditor" and len(one.void_reasons) == 1 and len(one.reviews) == 2


def test_a_review_of_other_words_is_void(pool: Pool) -> None:
    case = next(pool.cases())
    fresh = Case(case.id, case.trajectory)
    fresh.add_recorded([replace(review(case, "A", "screener"), version="other words")])
    assert fresh.void_reasons and fresh.stage == "screener"


def in_second_round() -> Case:
    """Both audited the first revision, Cy has audited the second one; Di is silent."""
    one = through(case(), *PANEL[:2])
    audited(one, True, False)
    one.add(review(one, "Ben", "reviser", at="2026-03-01T12:00:00+00:00"))
    one.add(review(one, "Cy", "auditor", at="2026-03-01T13:00:00+00:00"))
    return one


def test_another_may_audit_in_the_place_of_a_silent_auditor_after_three_days() -> None:
    one = in_second_round()
    assert one.awaited == ("Di",)
    early, late = "2026-03-04T11:59:00+00:00", "2026-03-04T12:00:00+00:00"
    assert "is audited by Cy and Di" in one.refusal("Eve", "auditor", early)
    assert one.refusal("Eve", "auditor", late) == ""
    assert one.refusal("Di", "auditor", late) == ""
    again = case()
    one.add(review(one, "Eve", "auditor", at=late))
    assert one.stage == "voter" and set(one.panel) == {"Ben", "Cy", "Eve"}
    again.add_recorded(one.reviews)  # as it is read from a log, at whatever time
    assert again.panel == one.panel and again.void_reasons == []


def test_a_lead_ends_the_wait_for_an_auditor_and_the_log_says_so() -> None:
    one = in_second_round()
    early = "2026-03-01T14:00:00+00:00"
    lead = {"approve": False, "replaces": "Di", "at": early, "note": "on leave"}
    with pytest.raises(WorkbenchError, match="does not choose its auditors"):
        one.add(review(one, "Ben", "lead", **lead))
    with pytest.raises(WorkbenchError, match="does not wait for Cy"):
        one.add(review(one, "Fay", "lead", **{**lead, "replaces": "Cy"}))
    one.add(review(one, "Fay", "lead", **lead))
    assert one.awaited == () and one.stage == "auditor"
    one.add(review(one, "Eve", "auditor", approve=False, changes=True, at=early))
    one.add(review(one, "Ben", "reviser", at=early))
    assert one.awaited == ("Cy", "Eve")  # who see the next revision
    assert "is audited by Cy and Eve" in one.refusal("Di", "auditor", early)
    assert [each.replaces for each in one.visible_reviews("Eve") if each.role == "lead"] == ["Di"]


def test_who_takes_the_place_of_one_does_not_take_that_of_the_other() -> None:
    one = through(case(), *PANEL[:2])
    audited(one, True, False)
    at = "2026-03-01T12:00:00+00:00"
    one.add(review(one, "Ben", "reviser", at=at))
    one.add(review(one, "Fay", "lead", approve=False, replaces="Di", at=at))
    one.add(review(one, "Eve", "auditor", at=at))
    assert "is audited by Eve and Cy" in one.refusal("Di", "auditor", at)
    assert one.refusal("Cy", "auditor", at) == ""


@pytest.mark.parametrize("against", [False, True])
def test_a_vote_that_changes_nothing_is_not_waited_for_without_an_end(against: bool) -> None:
    one = through(case(), *PANEL)
    at = "2099-03-01T12:00:00+00:00"
    for by in ("Ben", "Cy"):
        one.add(review(one, by, "voter", approve=not against, at=at))
    result = "rejected" if against else "approved"
    assert one.stage == "voter" and one.awaited == ("Di",)
    assert one.refusal("Di", "voter", "2099-03-03T12:00:00+00:00") == ""
    assert f"already {result}" in one.refusal("Di", "voter", "2099-03-04T12:00:00+00:00")
    one.add(review(one, "Cy", "lead", approve=False, replaces="Di", at=at))
    assert one.stage == result


def undecided(*silent: str) -> Case:
    """Revised and audited twice; one vote for it and one against it, or fewer."""
    one = through(case(), *PANEL)
    for by, approve in (("Ben", True), ("Cy", False), ("Di", True)):
        if by not in silent:
            one.add(review(one, by, "voter", approve=approve, note=f"{by} votes"))
    return one


def test_another_audits_and_votes_in_the_place_of_whose_vote_decides() -> None:
    one = undecided("Di")
    assert one.stage == "voter" and one.awaited == ("Di",) and one.refusal("Di", "voter") == ""
    assert "waits for the voter" in one.refusal("Eve", "auditor")
    one.add(review(one, "Cy", "lead", approve=False, replaces="Di", note="on leave"))
    assert one.stage == "auditor" and one.awaited == ()
    assert "already audited" in one.refusal("Cy", "auditor")
    read = [each.note for each in one.visible_reviews("Eve")]
    assert "on leave" in read and "Cy votes" not in read  # blind to the others
    one.add(review(one, "Eve", "auditor"))
    assert one.stage == "voter" and one.panel == ("Ben", "Cy", "Eve") and one.awaited == ("Eve",)
    assert "neither revised nor audited" in one.refusal("Di", "voter")
    again = case()
    again.add_recorded(one.reviews)
    one.add(review(one, "Eve", "voter"))
    assert one.stage == "approved" and again.panel == one.panel and not again.void_reasons


def test_who_comes_back_to_the_place_that_became_free_is_waited_for_again() -> None:
    one = undecided("Di")
    one.add(review(one, "Cy", "lead", approve=False, replaces="Di"))
    one.add(review(one, "Di", "auditor"))
    assert one.stage == "voter" and one.awaited == ("Di",)


def test_who_made_room_does_not_see_the_next_revision() -> None:
    one = undecided("Di")
    one.add(review(one, "Cy", "lead", approve=False, replaces="Di"))
    one.add(review(one, "Eve", "auditor", approve=False, changes=True))
    assert one.is_returned
    one.add(review(one, "Ben", "reviser"))
    assert one.awaited == ("Cy", "Eve") and "audited by Cy and Eve" in one.refusal("Di", "auditor")


def taken_over(one: Case, by: str, author: str = "Ben", **more: object) -> Case:
    given = {"approve": False, "replaces": author, "note": "Ben is on leave", **more}
    one.add(review(one, by, "successor", **given))
    return one


def test_a_draft_that_was_returned_is_taken_over_from_its_author() -> None:
    one = audited(through(case(), *PANEL[:2]), True, False)
    assert "Di says" not in [each.note for each in one.visible_reviews("Eve")]
    taken_over(one, "Eve")
    assert one.author == "Eve" and one.stage == "reviser" and one.is_returned
    assert "goes back to its author Eve" in one.refusal("Ben", "reviser")
    assert {"Cy says", "Di says"} <= {each.note for each in one.visible_reviews("Eve")}
    one.add(review(one, "Eve", "reviser", replies=("new", "two")))
    assert one.stage == "auditor" and one.awaited == ("Cy", "Di")
    assert "nobody may hold two roles" in one.refusal("Eve", "auditor")
    audited(one, False, False)
    assert one.panel == ("Eve", "Cy", "Di")
    assert "neither revised nor audited" in one.refusal("Ben", "voter")
    through(one, ("Eve", "voter"), ("Cy", "voter"), ("Di", "voter"))
    again = case()
    again.add_recorded(one.reviews)
    assert one.stage == again.stage == "approved" and not again.void_reasons
    taken = next(each for each in one.reviews if each.role == "successor")
    assert (taken.by, taken.replaces, taken.note) == ("Eve", "Ben", "Ben is on leave")


def test_an_auditor_who_takes_it_over_leaves_the_place_to_another() -> None:
    """Three people suffice even then: every sentence was read by two who did not write it."""
    one = taken_over(audited(through(case(), *PANEL[:2]), True, True), "Cy")
    one.add(review(one, "Cy", "reviser"))
    assert one.awaited == ("Di",) and one.refusal("Ben", "auditor") == ""
    through(one, ("Ben", "auditor"), ("Di", "auditor"))
    assert one.stage == "voter" and set(one.panel) == {"Cy", "Ben", "Di"}


def test_an_author_whose_vote_decides_may_be_succeeded_and_the_new_one_saves_it_anew() -> None:
    one = taken_over(undecided("Ben"), "Eve")
    assert one.stage == "reviser" and not one.is_returned
    one.add(review(one, "Eve", "reviser"))
    assert one.stage == "auditor" and one.audits == [] and one.awaited == ("Cy", "Di")


def test_when_a_draft_is_not_taken_over() -> None:
    one = through(case(), *PANEL[:1])
    assert "does not wait for its author" in one.take_over_refusal("Eve")  # it has none
    through(one, PANEL[1])
    assert "does not wait for its author" in one.take_over_refusal("Eve")  # but for auditors
    audited(one, True, False)
    for by, more, why in (
        ("Ben", {}, "already the author"),
        ("Eve", {"author": "Cy"}, "Cy is not the author"),
        ("Eve", {"note": " "}, "say why Eve takes over"),
    ):
        with pytest.raises(WorkbenchError, match=why):
            taken_over(one, by, **more)
    one.taken_by = "Ben"
    assert "Ben is revising" in one.take_over_refusal("Eve")
    done = through(case(), *PANEL, ("Cy", "voter"), ("Di", "voter"))
    assert "does not wait for its author" in done.take_over_refusal("Eve")  # it is decided


GOOD = {"trajectory": "c", "role": "auditor", "by": "A", "approve": True, "version": "v"}


@pytest.mark.parametrize(("change", "why"), [
    ({"role": "king"}, "role should be one of"),
    ({"approve": 1}, "true or false"),
    ({"coherence": 6}, "0 to 5"),
    ({"consistency": 2.5}, "whole number"),
    ({"by": "x" * 100}, "1 to 80"),
    ({"by": " "}, "by should be"),
    ({"colour": "red"}, "has no"),
    ({"replies": "text"}, "list"),
    ({"replies": [3]}, "reply should be"),
    ({"changes": "yes"}, "may ask for changes"),
    ({"changes": True}, "may ask for changes"),
])  # fmt: skip
def test_what_is_no_review(change: dict[str, object], why: str) -> None:
    assert review_from(GOOD).by == "A"
    with pytest.raises(WorkbenchError, match=why):
        review_from({**GOOD, **change})


def test_a_diff_shows_what_changed() -> None:
    said = diff_of(("one", "two words"), ("one", "two other words"))
    assert "-two words" in said and "+two other words" in said and "turn 2" in said
    assert diff_of(("a",), ("a",)) == ""
    assert version_of(("a", "b")) != version_of(("a b",))


CALL = (
    '<tool_call>\n{"name": "spectral_visualization_tool", "arguments": '
    '{"wavelength_range": [%s, %s], "label": "%s"}}\n</tool_call>'
)
REPLIES = (
    f"<think>It covers 3700 to 9000 Å. Let me look at Hα.</think>\n{CALL % (6500, 6620, 'Hα')}",
    f"<think>Hα is in emission. Next, Hβ.</think>\n{CALL % (4800, 4920, 'Hβ')}",
    f"<think>Hβ is in emission, too. First He I next.</think>\n{CALL % (6650, 6700, 'He I')}",
    "<think>He I is in emission. It is a CV.</think>\n<answer>\\boxed{YES} Hα emits.</answer>",
)  # fmt: skip


@pytest.fixture
def revision() -> Revision:
    return Revision.of(REPLIES)


def ranges(revision: Revision) -> list[object]:
    return [turn.range for turn in revision.turns]


def test_what_is_not_changed_stays_as_it_was(revision: Revision) -> None:
    assert revision.replies == REPLIES
    assert revision.with_look(0, 6500.0, 6620.0, "Hα") is revision
    assert revision.with_texts(3, "He I is in emission. It is a CV.", "Hα emits.") is revision


def test_a_call_and_texts_are_changed(revision: Revision) -> None:
    changed = revision.with_look(1, 4750.5, 4920, "Hβ wings").with_texts(3, "So.", "Hβ emits.")
    call = parse_reply(changed.replies[1])
    assert call.arguments == {"wavelength_range": [4750.5, 4920], "label": "Hβ wings"}
    assert call.thought == "Hα is in emission. Next, Hβ."
    answer = parse_reply(changed.replies[3])
    assert answer.verdict == "YES" and answer.answer == "\\boxed{YES} Hβ emits."
    assert is_well_formed(changed.replies) and changed.replies[0] == REPLIES[0]


def test_a_look_goes_with_its_announcement_and_its_description(revision: Revision) -> None:
    left = revision.without_look(1)
    assert ranges(left) == [(6500, 6620), (6650, 6700), None]
    assert left.turns[1].thought == "Hα is in emission. First He I next."
    assert "Hβ" not in "".join(turn.thought for turn in left.turns)
    assert left.turns[2].thought == "He I is in emission. It is a CV."


def test_looks_change_places_with_what_is_said_of_them(revision: Revision) -> None:
    moved = revision.with_look_later(0)
    assert ranges(moved) == [(4800, 4920), (6500, 6620), (6650, 6700), None]
    assert [turn.thought for turn in moved.turns] == [
        "It covers 3700 to 9000 Å. Next, Hβ.",
        "Hβ is in emission, too. Let me look at Hα.",
        "Hα is in emission. First He I next.",
        "He I is in emission. It is a CV.",
    ]
    last = revision.with_look_later(1)
    assert last.turns[3].thought == "Hβ is in emission, too. It is a CV."
    assert revision.with_look_later(0).with_look_later(0).turns == tuple(
        turn if number == 3 else DraftTurn(thought=turn.thought, range=turn.range, label=turn.label)
        for number, turn in enumerate(revision.turns)
    )


def test_only_looks_that_are_followed_are_moved(revision: Revision) -> None:
    assert [revision.is_look(place) for place in range(-1, 5)] == [False, *3 * [True], False, False]
    assert split_thought(DraftTurn(thought="", range=(1, 2))) == ("", "")
    assert split_thought(DraftTurn(thought="Only this.", verdict="NO")) == ("", "Only this.")


@pytest.mark.parametrize("text", ["a</think>b", "<tool_call>", "\\boxed{NO}", "x" * 100_001])
def test_texts_hold_nothing_of_the_protocol(revision: Revision, text: str) -> None:
    with pytest.raises(WorkbenchError, match="a text may"):
        revision.with_texts(0, text)


def test_smaller_than_is_no_tag(revision: Revision) -> None:
    assert "EW < 3" in revision.with_texts(0, "EW < 3 Å").replies[0]


def test_what_is_kept_comes_back(revision: Revision) -> None:
    changed = revision.with_look(0, 6400, 6700, "wide")
    kept, version = revision_from_text(revision_to_text(changed, "v1"))
    assert kept.replies == changed.replies and version == "v1"
    kept, version = revision_from_text(json.dumps(list(changed.replies)))  # as 0.2.0 kept it
    assert kept.replies == changed.replies and version == ""
    wrong = ('{"replies": []}', '{"replies": [1]}', '{"replies": ["a"], "version": 1}', "{}", "1")
    for damaged in ("", "{", "[]", "[1]", '"text"', "[" * 5000, *wrong):
        assert revision_from_text(damaged) is None


def test_turns_that_are_neither_look_nor_answer_are_kept(revision: Revision) -> None:
    odd = ("I am lost", "<think>x</think><tool_call>{</tool_call>", REPLIES[3])
    assert Revision.of(odd).replies == odd


def test_spellings_and_spaces_are_normalized() -> None:
    call = '{"name":"spectral_visualization_tool","arguments":{"wavelength_range":[1,2]}}'
    loose = (
        f"<think>\nH alpha,  5 A wide. </think><tool_call>{call}</tool_call>",
        "<think> so</think>\n\n<answer>\n\\boxed{NO}   [OIII] seen\n</answer>",
        "unreadable",
    )
    made = canonical_replies(loose)
    assert made[0].startswith("<think>Hα, 5 Å wide.</think>\n<tool_call>\n{")
    assert made[1] == "<think>so</think>\n<answer>\\boxed{NO} [O III] seen</answer>"
    assert made[2] == "unreadable"
    assert canonical_replies(made) == made


def test_words_that_are_gone_stand_before_those_in_their_place() -> None:
    pieces = word_differences("Hα is absorbed, 3 Å", "Hα is in emission, 3 Å")
    after, before = (
        "".join(piece.text for piece in pieces if piece.kind != kind) for kind in ("gone", "new")
    )
    assert (before, after) == ("Hα is absorbed, 3 Å", "Hα is in emission, 3 Å")
    kinds = [piece.kind for piece in pieces]
    assert kinds.index("gone") < kinds.index("new")
    assert word_differences("same", "same")[0].kind == "same"
    assert word_differences("", "") == ()


def test_very_long_texts_differ_as_a_whole() -> None:
    pieces = word_differences("a " * 5000, "b " * 5000)
    assert [piece.kind for piece in pieces] == ["gone", "new"]


def look(low: float, thought: str) -> DraftTurn:
    return DraftTurn(thought=thought, range=(low, low + 100), label="x")


def test_turns_are_compared_with_those_they_were_made_from() -> None:
    before = [look(1000, "first"), look(2000, "second"), DraftTurn(thought="so", verdict="YES")]
    after = [look(2000, "second now"), look(1010, "first"), DraftTurn(thought="s", verdict="YES")]
    assert former_turns(before, after) == [before[1], before[0], before[2]]
    new = look(8000, "quite another matter altogether, with other words")
    assert former_turns(before[2:], [new, after[2]]) == [None, before[2]]
