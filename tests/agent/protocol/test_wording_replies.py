"""The tool's sentences in recorded conversations."""

from __future__ import annotations

import pytest

from agent.protocol.wording_replies import learned_replies
from tests.agent.protocol.wordings import call


def learned(arguments: str, answer: str) -> list[tuple[str, str]]:
    turns = [("user", "<image>Q"), ("assistant", call(arguments)), ("user", answer)]
    return list(learned_replies(turns))


@pytest.mark.parametrize(
    ("arguments", "answer", "expected"),
    [
        ("{}", "<image>All of it.", ("whole", "All of it.")),
        (
            '{"label": "H"}',
            "<tool_response>\n<image>All, see H.\n</tool_response>",
            ("whole_for", "All, see {label}."),
        ),
        (
            '{"wavelength_range": [9, 5.5], "label": "H"}',
            "No: 9 to 5.5 of 3700.0 to 9000.5!",
            ("refused", "No: {low} to {high} of {start} to {end}!"),
        ),
        ('{"wavelength_range": [9, 5]}', "No: (9, 5).", ("refused", "No: ({low}, {high}).")),
    ],
)
def test_a_sentence_is_learned_with_its_numbers_open(
    arguments: str, answer: str, expected: tuple[str, str]
) -> None:
    assert learned(arguments, answer) == [expected]


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ('{"wavelength_range": [5, 9]}', "<image>Shown: 5 to 9."),
        ('{"wavelength_range": [5, 9]}', "No: 5 to 9, since 1234 pixels."),
        ('{"wavelength_range": [5, 9]}', "No: 5 to 9 of 1.0 to 2.0 to 3.0."),
        ('{"wavelength_range": [5, 9]}', "No."),
        ('{"wavelength_range": "all"}', "No: all."),
        ('{"label": "H"}', "<image>All of it."),
        ("[]", "<image>All of it."),
        ("{}", "<image>" + "x" * 3000),
    ],
)
def test_what_cannot_be_said_of_another_call_is_not_learned(arguments: str, answer: str) -> None:
    assert learned(arguments, answer) == []
