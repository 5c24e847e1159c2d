"""Quoted drafts: each number is checked against the numbers that the tool printed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.claims.claims import claims_of
from agent.examples.examples import Example
from agent.protocol.reply import parse_reply
from agent.trajectory.trajectory_file import read_trajectories
from tests.train.review.helpers import Pairs, audited
from tests.train.review.lies import retold
from train.review.audit import Audit
from train.review.export import export_in_processes
from train.review.pool import import_drafts
from train.review.programs import run_panel

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
