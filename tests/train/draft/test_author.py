from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from agent.evidence.assessment import assess_measurements
from agent.protocol.reply import parse_reply
from agent.tasks.catalogue import find_task
from tests.train.draft.spectra import LONG, all_examples, drafted
from train.draft.author import Truth, is_supported, with_article, write_replies
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


def test_articles() -> None:
    said = ["an M giant", "an S-type star", "a white dwarf", "an A-type star"]
    assert [with_article(each.split(maxsplit=1)[1]) for each in said] == said
