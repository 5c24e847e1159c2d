from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

import numpy as np

from agent.claims.claims import claims_of
from agent.examples.examples import Example
from agent.protocol.reply import parse_reply
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory_file import read_trajectories
from tests.train.draft.spectra import all_examples
from tests.train.review.helpers import Pairs, audited
from tests.train.review.lies import LIES, planted, retold
from tests.train.review.planted_faults import planted_faults
from train.meter import Meter
from train.review.audit import (
    Audit,
    Checked,
    TurnContext,
    coherence_of,
    consistency_of,
    find_fault,
    is_same_window,
)
from train.review.export import export_in_processes
from train.review.live_check import check_live, marked_spans
from train.review.pool import import_drafts
from train.review.programs import run_panel
from train.review.revision import Revision

LEAST_CAUGHT = {"presence": 0.8, "feature": 0.8}
"""Doubtful features may be denied, and two features may share a number."""


def test_honest_drafts_are_approved(pairs: Pairs) -> None:
    found = [audited(*pair) for pair in pairs]
    assert [each.note for each in found if not each.approves] == []
    assert all(each.claims >= 5 and each.checked.reasons for each in found)
    assert {each.consistency for each in found} <= {4, 5}


def test_planted_lies_are_caught(pairs: Pairs) -> None:
    planned: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    for number, (trajectory, example) in enumerate(pairs[::3]):
        for name, lie in planted(trajectory, example, np.random.default_rng(number)):
            planned[name] += 1
            caught[name] += not audited(lie, example).approves
    assert set(planned) == {*LIES, "forged"}
    for name, count in planned.items():
        assert caught[name] >= LEAST_CAUGHT.get(name, 1.0) * count, (name, caught[name], count)


def test_a_lie_lowers_the_score_and_is_located(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    answer = trajectory.replies[-1].replace("</answer>", " Li I 6708 is absorbed, 4.2 Å.</answer>")
    found = audited(retold(trajectory, example, (*trajectory.replies[:-1], answer)), example)
    assert {fault.turn for fault in found.faults} == {len(trajectory.replies) - 1}
    assert found.consistency < 5 and "Li I" in found.note


def test_records_that_do_not_match_are_refused(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    same_task = [one for _, one in pairs if one.task == example.task]
    other = next(one for one in same_task if one.sha256 != example.sha256)
    untrue = replace(example, answer="NO" if example.answer == "YES" else "YES")
    cases = {
        "another spectrum": (trajectory, other),
        "another guideline": (replace(trajectory, prompt_sha256="0" * 64), example),
        "the truth": (trajectory, untrue),
        "differs from the one": (replace(trajectory, overview="0" * 64), example),
    }
    for why, (record, about) in cases.items():
        assert why in audited(record, about).note


def test_an_answer_needs_a_reason_and_different_looks(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    box = f"\\boxed{{{example.answer}}}"
    bare = f"<think>So.</think>\n<answer>{box} It is what it is.</answer>"
    found = audited(retold(trajectory, example, (*trajectory.replies[:-1], bare)), example)
    assert "no reason to check" in found.note
    twice = (trajectory.replies[0], *trajectory.replies)
    assert audited(retold(trajectory, example, twice), example).flow == 4


ALL = Checked(
    kinds=(("states", 9),), looks=3, used_looks=3, sentences=10, checked_sentences=9, reasons=4
)


def test_planted_faults_lower_the_score_by_what_they_spoil(pairs: Pairs) -> None:
    found = planted_faults(pairs[::2], 24)
    assert len({each.kind for each in found}) == 12
    caught = [each for each in found if not each.audit.approves]
    assert len(caught) >= 22
    assert all(each.audit.consistency < 5 for each in caught)
    scores = {(each.audit.coherence, each.audit.consistency) for each in found}
    assert len(scores) >= 5
    by_kind = {each.kind: each.audit for each in found}
    assert by_kind["verdict"].consistency == by_kind["forged"].consistency == 0
    assert by_kind["verdict"].coherence <= 1
    assert by_kind["unseen"].consistency <= 2  # it is said in the answer


def test_honest_drafts_do_not_all_get_the_same(pairs: Pairs) -> None:
    found = [audited(*pair) for pair in pairs]
    assert len({(each.coherence, each.consistency) for each in found}) > 1
    idle = [each for each in found if each.checked.used_looks < each.checked.looks]
    assert idle and all(each.coherence < each.flow for each in idle)


def test_the_note_says_what_was_checked(pairs: Pairs) -> None:
    found = audited(*pairs[0])
    told = re.search(r"checked (.*), \d of \d looks unused, (\d+) reasons", found.note)
    assert told is not None and int(told[2]) == found.checked.reasons
    numbers = [int(part.split()[0]) for part in told[1].split(", ")]
    assert sum(numbers) == found.claims
    assert re.search(r"\d+ of \d+ sentences hold nothing to check$", found.note)


@pytest.mark.parametrize(
    ("wrong", "slips", "score"),
    [
        ((), True, 5),
        (((1, "a"),), True, 4),
        (((1, "a"),), False, 3),
        (((1, "a"), (2, "b")), True, 3),
        (((1, "a"), (2, "b"), (2, "c"), (0, "d"), (0, "e"), (0, "f")), True, 1),
        (((3, "a"),), True, 2),
        (((3, "a"), (3, "b")), True, 1),
        (((3, "a"), (3, "b"), (3, "c"), (3, "d")), True, 0),
    ],
)
def test_consistency(wrong, slips, score) -> None:
    assert consistency_of(wrong, 10, ALL, 3, are_slips=slips) == score


def test_what_cannot_be_checked_is_not_fully_consistent() -> None:
    phrases = Checked(kinds=(), looks=3, used_looks=3, sentences=10, checked_sentences=3, reasons=4)
    assert consistency_of((), 3, phrases, 3, are_slips=True) == 4


def test_coherence() -> None:
    assert coherence_of(5, ALL, contradicts_itself=False) == 5
    assert coherence_of(5, ALL, contradicts_itself=True) == 1
    idle = Checked(kinds=(), looks=3, used_looks=2, sentences=1, checked_sentences=1, reasons=1)
    assert coherence_of(5, idle, contradicts_itself=False) == 3
    assert coherence_of(0, idle, contradicts_itself=False) == 0


@pytest.fixture(scope="module")
def meter() -> Meter:
    return Meter.of(all_examples()[0].spectrum)


def fault(meter: Meter, text: str, *, is_shown: bool = True, guideline: str = "") -> str:
    shown = (meter.range,) if is_shown else ()
    context = TurnContext(meter, shown, shown, guideline, frozenset({"Hα (--) -60"}))
    (claim,) = claims_of(text)
    return find_fault(claim, context)


def test_claims_about_the_whole_spectrum(meter: Meter) -> None:
    low, high = meter.range
    assert not fault(meter, f"{low:.0f} to {high:.0f} Å is covered.", is_shown=False)
    assert not fault(meter, f"The data end at {high:.0f} Å.")
    assert "the data end at" in fault(meter, f"The data end at {high - 500:.0f} Å.")
    assert not fault(meter, f"The S/N is {meter.numbers.overall_snr:.0f}.")
    assert "the S/N is" in fault(meter, "The S/N is 2.")


def test_quotes_must_have_been_printed(meter: Meter) -> None:
    assert not fault(meter, "Hα (--) -60.")
    assert fault(meter, "Hα (--) -61.") == "the tool did not print this"


def test_a_feature_must_have_been_shown_unless_the_guideline_names_the_limit(meter: Meter) -> None:
    value = abs(meter.numbers.line_strength("H_alpha").number)
    assert not fault(meter, f"Hα has {value:.1f} Å.")
    assert "measured" in fault(meter, f"Hα has {3 * value + 5:.1f} Å.")
    assert "in no window" in fault(meter, f"Hα has {value:.1f} Å.", is_shown=False)
    limit = f"Hα is below {value + 50:.0f} Å."
    assert not fault(meter, limit, is_shown=False, guideline=limit)
    assert fault(meter, "The whole is 1430 km/s wide.") == "the number belongs to no feature"


def test_windows_are_the_same_apart_from_rounding() -> None:
    assert is_same_window((6450, 6750), (6460, 6740))
    assert not is_same_window((6450, 6750), (6450, 6800))


INVENTED = "Li I 6708 is absorbed, 4.2 Å."


def test_what_no_window_supports_is_found_in_its_turn_and_place(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    task = find_task(trajectory.task)
    before = check_live(trajectory, trajectory.replies, example, task)
    assert before.claims >= 5 and before.faults == ()
    revision = Revision.of(trajectory.replies)
    thought = f"{revision.turns[1].thought} {INVENTED}"
    check = check_live(trajectory, revision.with_texts(1, thought).replies, example, task)
    assert check.of_turn(1) == check.faults and check.faults
    spans = marked_spans(thought, check.faults)
    assert [thought[start:end] for start, end in spans] == [INVENTED]


def test_a_call_elsewhere_takes_the_support_away(pairs: Pairs) -> None:
    trajectory, example = next(
        (one, about) for one, about in pairs if len(one.looks) > 1 and not one.steps[0].error
    )
    revision = Revision.of(trajectory.replies)
    high = example.spectrum.range[1]
    for place, turn in enumerate(revision.turns):
        if turn.range is not None:
            revision = revision.with_look(place, round(high) - 20, round(high) - 5, turn.label)
    check = check_live(trajectory, revision.replies, example, find_task(trajectory.task))
    assert len(check.faults) > 1 and any("in no window" in each.reason for each in check.faults)


def test_spelling_does_not_hide_a_sentence() -> None:
    class Said:
        text = "Hα is absorbed"

    text = "H-alpha is absorbed; the rest is well."
    assert marked_spans(text, [Said()]) == [(0, 19)]
    assert marked_spans(text, []) == []


# Quoted drafts: each number is checked against the numbers that the tool printed.
NOT_PRINTED = "the tool did not print this"


def quotes_of(reply: str) -> list[str]:
    parsed = parse_reply(reply)
    said = (*claims_of(parsed.thought), *claims_of(parsed.answer))
    return [claim.quote for claim in said if claim.quantity == "quote"]


def test_a_line_a_width_and_an_index_are_quotes() -> None:
    text = "Hα (--) -60; Hα FWHM (++) 2200 km/s; TiO5 (=) 0.97. More like an A star: Hβ (+) 6.5."
    said = claims_of(text)
    assert [claim.quote for claim in said] == [
        "Hα (--) -60", "Hα FWHM (++) 2200 km/s", "TiO5 (=) 0.97", "Hβ (+) 6.5",
    ]  # fmt: skip
    assert said[-1].text == "More like an A star: Hβ (+) 6.5."


def test_correct_quotes_are_kept(quoted_drafts: Path, example_set: Path, tmp_path: Path) -> None:
    """Small models cannot learn what is removed here."""
    pool = import_drafts(tmp_path / "pool", [quoted_drafts], [example_set])[0]
    run_panel(pool)
    export_in_processes(pool, tmp_path / "approved.jsonl")
    drafts, approved = (
        {(one.task, one.spectrum.sha256): one.replies for one in read_trajectories(path)}
        for path in (quoted_drafts, tmp_path / "approved.jsonl")
    )
    assert sum(len(quotes_of(reply)) for replies in drafts.values() for reply in replies) > 50
    assert approved == drafts


def test_a_changed_number_mark_or_name_is_not_a_quote(quoted_pairs: Pairs) -> None:
    swaps = {"number": r"(-?\d)(?=[^\d]*$)", "mark": r"\(([-=+]+)\)", "name": r"^(\S+)"}
    tried = dict.fromkeys(swaps, 0)
    for trajectory, example in quoted_pairs:
        for turn, reply in enumerate(trajectory.replies):
            for quote in quotes_of(reply)[:1]:
                for what, pattern in swaps.items():
                    lie = re.sub(pattern, lambda found: _other(found.group()), quote, count=1)
                    assert lie != quote
                    replies = list(trajectory.replies)
                    replies[turn] = reply.replace(quote, lie, 1)
                    found = audited(retold(trajectory, example, tuple(replies)), example)
                    assert found.faults[0].turn == turn, (quote, lie)
                    assert not found.approves
                    tried[what] += 1
    assert min(tried.values()) > 20


def _other(text: str) -> str:
    if text.startswith("("):
        return "(+++)" if text != "(+++)" else "(---)"
    if text.lstrip("-").isdigit():
        return text[:-1] + str((int(text[-1]) + 1) % 10)
    return "Li"


def test_numbers_not_yet_shown_cannot_be_quoted(quoted_pairs: Pairs) -> None:
    early = 0
    for trajectory, example in quoted_pairs:
        later = [quote for reply in trajectory.replies[1:] for quote in quotes_of(reply)]
        later = [quote for quote in later if quote not in trajectory.overview_text]
        if later:
            first = trajectory.replies[0].replace("<think>", f"<think>{later[0]}. ", 1)
            told = retold(trajectory, example, (first, *trajectory.replies[1:]))
            assert NOT_PRINTED in audited(told, example).note
            early += 1
    assert early > 5


def test_the_overview_text_is_checked_against_the_tool(quoted_pairs: Pairs) -> None:
    trajectory, example = quoted_pairs[0]
    assert trajectory.overview_text
    other = replace(trajectory, overview_text=f"{trajectory.overview_text}; Hα (--) -60")
    assert "describes the whole spectrum differently" in audited(other, example).note


def test_a_kind_is_a_reason_where_the_kind_is_known(quoted_pairs: Pairs) -> None:
    trajectory, example = next(
        pair for pair in quoted_pairs
        if pair[1].answer == "NO" and "More like" in pair[0].replies[-1]
    )  # fmt: skip

    def told(reasons: str, about: Example = example) -> Audit:
        end = f"<think>Enough seen.</think>\n<answer>\\boxed{{{about.answer}}} {reasons}</answer>"
        return audited(retold(trajectory, about, (*trajectory.replies[:-1], end)), about)

    called = re.search(r"More like [^:.]+", trajectory.replies[-1])
    assert called is not None
    assert told(f"{called.group()}.").approves
    assert told("Nothing clear.").approves
    assert "no reason to check" in told("Enough is enough.").note


def test_finding_nothing_is_no_reason_for_yes(quoted_pairs: Pairs) -> None:
    trajectory, example = next(pair for pair in quoted_pairs if pair[1].answer == "YES")
    end = "<think>Enough seen.</think>\n<answer>\\boxed{YES} Nothing clear.</answer>"
    found = audited(retold(trajectory, example, (*trajectory.replies[:-1], end)), example)
    assert "no reason to check" in found.note
