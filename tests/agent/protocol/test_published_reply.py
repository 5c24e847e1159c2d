"""Answers read as the published scorer reads them."""

import pytest

from agent.protocol import published_reply
from agent.protocol.published_reply import (
    first_call,
    is_published_form,
    parse_published,
    published_verdict,
    solution,
)
from tests.agent.protocol.wordings import call

T = "<think>t</think>"


@pytest.mark.parametrize(
    ("said", "verdict", "form"),
    [
        (T + r"<answer>\boxed{YES}</answer>", "YES", True),
        (T + r"<answer>\boxed{yes} it is</answer>", "YES", True),
        (T + r"<answer>\boxed{ NO }</answer>", "NO", True),
        (T + r"<answer>\boxed{YES} and \boxed{NO}</answer>", "YES", True),
        (T + r"<answer>YES</answer>", "YES", False),
        (T + r"<answer>not a yes, or no</answer>", "YES", False),
        (T + r"<answer>plainly no</answer>", "NO", False),
        (T + r"\boxed{NO}", "NO", False),
        (T + r"\boxed{NO}<answer>hm</answer>", "NO", False),
        (T + "it is a YES, I say", "YES", False),
        (T + r"<answer>\boxed{maybe}</answer>", None, False),
        (T + r"<answer>\boxed{}</answer> yes", "YES", False),
        (T + r"<answer>\boxed{NO}</answer><answer>\boxed{YES}</answer>", "YES", False),
        (T + r"<answer>\boxed{NO}", "NO", False),
        (r"<answer>\boxed{NO}</answer>", "NO", False),
        ("<think>" + T + r"</think><answer>\boxed{NO}</answer>", "NO", True),
        ("</think>" + r"<answer>\boxed{NO}</answer>" + "<think>", "NO", True),
        ("<think>" + r"<answer>\boxed{NO}</answer>", "NO", False),
        ("nothing at all", None, False),
        ("", None, False),
        ("noon, yesterday", None, False),
        (T + r"<answer>\boxed{YES</answer>", "YES", False),
    ],
)
def test_verdict_and_form(said: str, verdict: str | None, form: bool) -> None:
    assert published_verdict(said) == verdict
    assert is_published_form(said) is form


def test_calls_come_before_answers_and_the_last_turn_has_none() -> None:
    two = call('{"label": "a"}') + call('{"label": "b"}')
    assert parse_published(two).arguments == {"label": "a"}
    thinking = f"<think>{call('{}')}</think>"
    assert parse_published(thinking).kind == "call"
    broken = "<tool_call>{</tool_call><tool_call>[1]</tool_call><tool_call>{}</tool_call>"
    assert first_call(broken) is None
    assert first_call(broken + call('{"label": "c"}')).arguments == {"label": "c"}
    assert first_call("<tool_call>" + "[" * 5000 + "</tool_call>") is None
    assert first_call(call("{}").replace("spectral_visualization_tool", "other")).name == "other"
    both = call("{}") + r"<answer>\boxed{YES} so</answer>"
    assert parse_published(both).kind == "call"
    last = parse_published(both, may_call=False)
    assert (last.kind, last.verdict, last.answer) == ("answer", "YES", r"\boxed{YES} so")


def test_the_verdict_is_of_the_whole_conversation_joined_as_it_was_rolled_out() -> None:
    before = T + r"<answer>\boxed{NO}</answer>" + call("{}")
    assert parse_published("I am done.", before).verdict == "NO"
    assert parse_published("I am done.").kind == "text"
    assert parse_published("I am done.").answer == "I am done."
    assert solution(["a", "b"], ["x"]) == (
        "auser\n<tool_response>\nx\n</tool_response>\nassistant\nb"
    )


@pytest.mark.parametrize("piece", ["<answer>", "\\boxed{", "<tool_call>", "<think>", "yes"])
def test_a_runaway_reply_is_not_searched_again_from_every_piece(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That would take a regular expression hours, where reading it once takes half a second."""
    monkeypatch.setattr(published_reply, "MAX_TEXT", 10**9)
    runaway = piece * (4_000_000 // len(piece))
    assert parse_published(runaway).text == runaway
