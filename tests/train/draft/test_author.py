from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from agent.evidence.assessment import assess_measurements
from agent.evidence.kinds import builtin_kinds
from agent.evidence.measurements import measurements_of
from agent.evidence.window_numbers import overview_entries, window_entries
from agent.evidence.words import kind_name
from agent.protocol.reply import parse_reply
from agent.spectra.spectrum import frame_z
from agent.tasks.catalogue import find_task
from tests.train.draft.spectra import LONG, QUOTED, all_examples, drafted
from train.draft.author import Truth, is_supported, write_replies
from train.meter import Meter


def test_unsupported_answers_are_not_drafted() -> None:
    example = all_examples()[0]
    lie = replace(example, answer="NO" if example.answer == "YES" else "YES", label="")
    assert drafted(lie).outcome == "unsupported"
    meter = Meter.of(example.spectrum)
    assessment = assess_measurements(meter.numbers, find_task(example.task))
    assert is_supported(assessment, Truth(example.answer), 0.5)
    assert not is_supported(assessment, Truth(lie.answer), 0.5)


def test_a_wrong_kind_is_never_named() -> None:
    for example in all_examples():
        if example.answer == "YES":
            continue
        meter = Meter.of(example.spectrum)
        assessment = assess_measurements(meter.numbers, find_task(example.task))
        for seed in range(3):
            truth = Truth("NO", "GALAXY")  # whatever it resembles, the truth says otherwise
            rng = np.random.default_rng(seed)
            replies = write_replies(assessment, meter, truth, LONG, rng)
            if replies is not None and assessment.kinds.probabilities["GALAXY"] < 0.2:
                answer = parse_reply(replies[-1]).answer
                assert not re.search(r"looks like|spectrum is|rather|more like", answer)


def test_quoted_numbers_do_not_depend_on_the_truth() -> None:
    """Otherwise a reader would never see numbers that the guideline does not use for the truth."""
    quoted = replace(QUOTED, min_chance=0.0)
    for example in all_examples():
        for answer in ("YES", "NO"):
            made = drafted(replace(example, answer=answer, label=""), quoted).trajectory
            assert made is not None and made.well_formed and made.verdict == answer
            assert made.looks and re.search(r"\w", made.steps[-1].text.partition("}")[2])


def test_leading_kinds_come_from_the_numbers_shown_so_far() -> None:
    """The same numbers give the same leading kind, whatever the task and the truth."""
    named, unclear = set(), 0
    for example in all_examples():
        made = drafted(example, QUOTED).trajectory
        if made is None:
            continue
        numbers = measurements_of(example.spectrum)
        scores, seen = builtin_kinds().intercepts, set[str]()
        judged = builtin_kinds().judge(numbers)
        for number, step in enumerate(made.steps[:-1], -1):
            if number >= 0:
                step = made.steps[number]
                if step.kind != "zoom" or step.error or step.range is None:
                    continue
                fresh = (
                    window_entries(numbers, *step.range, frame_z(example.spectrum)).keys() - seen
                )
            else:
                fresh = overview_entries(numbers).keys() - seen
            seen |= fresh
            for gate in fresh & set(judged.gates):
                scores = scores + judged.parts[judged.gates.index(gate)]
            best = int(np.argmax(scores))
            said = re.search(r"Like (.+?)\.", made.steps[number + 1].text)
            if said:
                assert said[1] == kind_name(judged.labels[best])
                named.add(said[1])
            unclear += "Unclear." in made.steps[number + 1].text
    assert len(named) > 3 and unclear
