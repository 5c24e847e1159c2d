"""p(YES) from whatever tokens a server cuts its text into."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.engines.base import VERDICT, ChoicePoint
from agent.engines.remote.choices import LEAST, Token, choices, read_tokens
from tests.agent.engines.remote.fake_server import listed

LOG = math.log


def tokens(*entries: dict | str) -> list[Token]:
    content = [listed(entry, -0.1) if isinstance(entry, str) else entry for entry in entries]
    return list(read_tokens({"content": content}))


def likely(first: str, p: float, **others: float) -> dict:
    return listed(first, LOG(p), **{name: LOG(value) for name, value in others.items()})


@pytest.mark.parametrize("entries", [
    ["<answer>\\", "boxed", "{", likely("YES", 0.7, NO=0.2), "}"],
    ["\\boxed{", likely("YES", 0.7, NO=0.2), "}"],
    ["\\boxed", likely("{YES", 0.7, **{"{NO": 0.2}), "}"],
    ["\\box", likely("ed{YES", 0.7, **{"ed{NO": 0.2}), "}"],
    ["\\boxed{", likely(" YES", 0.7, **{" NO": 0.2}), "}"],
    ["\\boxed{", " ", likely("YES", 0.7, NO=0.2), "}"],
    ["\\boxed{", "\n", " ", likely("YES", 0.7, NO=0.2), "}"],
    ["\\boxed{", likely("YES}", 0.7, **{"NO}": 0.2})],
    ["\\boxed{", likely("YES}</", 0.7, NO=0.2)],
    ["\\boxed{", likely("Y", 0.7, N=0.2), "ES", "}"],
    ["\\boxed{", likely("YE", 0.7, N=0.2), "S", "}"],
    ["\\boxed{", likely("\u0120YES", 0.7, **{"\u0120NO": 0.2}), "}"],
    ["\\boxed{", likely("YES", 0.4, **{" YES": 0.2, "Y": 0.1, "NO": 0.15, "N": 0.05})],
])  # fmt: skip
def test_the_words_are_found_however_they_are_cut(entries):
    found = choices(tokens(*entries), VERDICT)
    assert found is not None
    assert math.exp(found["YES"]) == pytest.approx(0.7)
    assert math.exp(found["NO"]) == pytest.approx(0.2)


def test_other_words_do_not_count():
    entry = likely("NO", 0.5, YES=0.2, NOT=0.1, YESTERDAY=0.1, maybe=0.05, **{"": 0.01})
    found = choices(tokens("\\boxed{", entry), VERDICT)
    assert math.exp(found["NO"]) == pytest.approx(0.5)
    assert math.exp(found["YES"]) == pytest.approx(0.2)


def test_the_last_box_counts():
    first, last = likely("YES", 0.9, NO=0.1), likely("NO", 0.6, YES=0.4)
    found = choices(tokens("\\boxed{", first, "} or \\boxed{", last, "}"), VERDICT)
    assert math.exp(found["NO"]) == pytest.approx(0.6)


def test_an_option_that_is_not_listed_gets_what_is_left():
    found = choices(tokens("\\boxed{", likely("YES", 0.9)), VERDICT)
    assert math.exp(found["NO"]) == pytest.approx(0.1)
    found = choices(tokens("\\boxed{", likely("YES", 0.9, maybe=0.02, perhaps=0.01)), VERDICT)
    assert math.exp(found["NO"]) == pytest.approx(0.01)
    found = choices(tokens("\\boxed{", listed("YES", 0.0)), VERDICT)
    assert found["NO"] == LEAST


def test_a_word_less_likely_than_all_that_is_listed_tells_nothing_of_the_other():
    """A word sampled against the odds, or put in the model's mouth by a grammar."""
    drawn = {"token": "YES", "logprob": LOG(0.001)}
    drawn["top_logprobs"] = [{"token": name, "logprob": LOG(0.2)} for name in ("a", "b", "c")]
    assert choices(tokens("\\boxed{", drawn), VERDICT) is None
    drawn["top_logprobs"].append({"token": "NO", "logprob": LOG(0.1)})
    found = choices(tokens("\\boxed{", drawn), VERDICT)
    assert math.exp(found["YES"]) == pytest.approx(0.001)
    assert math.exp(found["NO"]) == pytest.approx(0.1)
    assert choices(tokens("\\boxed{", listed("YES", LOG(0.4))), VERDICT) is None


def test_where_nothing_can_be_said_nothing_is():
    assert choices([], VERDICT) is None
    assert choices(tokens("no box here"), VERDICT) is None
    assert choices(tokens("\\boxed{"), VERDICT) is None
    assert choices(tokens("\\boxed{", " "), VERDICT) is None
    assert choices(tokens("\\boxed{", likely("maybe", 0.5, never=0.2)), VERDICT) is None


def test_an_option_that_begins_another_is_not_guessed():
    choice_point = ChoicePoint("{", ("NO", "NOVA"))
    found = choices(tokens("{", likely("NOVA", 0.5, N=0.3, NO=0.1)), choice_point)
    assert found is not None
    assert math.exp(found["NOVA"]) == pytest.approx(0.5)


def test_bytes_win_over_letters():
    """Halves of letters have no text of their own."""
    halves = [{"token": "\ufffd", "bytes": [byte], "logprob": -1.0} for byte in "é".encode()]
    box = {"token": "?", "bytes": list(b"\\boxed{"), "logprob": -0.1}
    found = choices(tokens(*halves, box, likely("YES", 0.9, NO=0.1)), ChoicePoint("é\\boxed{"))
    assert math.exp(found["YES"]) == pytest.approx(0.9)


@pytest.mark.parametrize("logprobs", [
    None,
    [],
    "x",
    {"content": None},
    {"content": "x"},
    {"content": [None, 1, {}, {"logprob": -1.0}, {"token": 7, "logprob": -1.0}]},
    {"content": [{"token": "a", "bytes": [999], "logprob": -1.0}]},
    {"content": [{"token": "a", "bytes": ["x"], "logprob": -1.0}]},
])  # fmt: skip
def test_what_is_no_list_of_tokens_is_no_token(logprobs):
    assert list(read_tokens(logprobs)) == []


INF = math.inf
NO_LOG_PROBABILITIES = [INF, -INF, math.nan, 10**400, 0.5, None, "x", "-0.1", True, [], {}]


@pytest.mark.parametrize("value", NO_LOG_PROBABILITIES)
@pytest.mark.parametrize("of", ["YES", "NO"])
def test_numbers_that_are_no_log_probabilities_tell_nothing(value, of):
    numbers = {"YES": -0.1, "NO": -3.0} | {of: value}
    for chosen in ("YES", "NO"):
        entry = listed(chosen, numbers[chosen], **numbers)
        read = list(read_tokens({"content": [listed("\\boxed{", -1.0), entry, {"token": "}"}]}))
        assert [token.text for token in read] == [b"\\boxed{", chosen.encode(), b"}"]
        assert choices(read, VERDICT) is None


def test_numbers_that_servers_write_for_zero_and_one_are_bent():
    entry = listed("YES", 0.009, NO=-3.4e38, maybe=-(10**400))
    found = choices(tokens("\\boxed{", entry), VERDICT)
    assert found == {"YES": 0.0, "NO": LEAST}


def test_probabilities_that_add_up_to_more_than_one_tell_nothing():
    assert choices(tokens("\\boxed{", listed("YES", 0.0, NO=0.0)), VERDICT) is None
    assert choices(tokens("\\boxed{", likely("YES", 0.7, NO=0.4)), VERDICT) is None
    assert choices(tokens("\\boxed{", likely("YES", 0.7, NO=0.32)), VERDICT) is not None


@pytest.mark.parametrize(("text", "known"), [
    ("\\boxed{YES}", True),
    ("\\boxed{NO} or \\boxed{ YES", True),
    ("\\boxed{YE", True),
    ("\\boxed{NO}", False),
    ("\\boxed{YES} or \\boxed{NO}", False),
    ("YES", False),
])  # fmt: skip
def test_tokens_of_another_text_tell_nothing(text, known):
    listed_tokens = tokens("\\boxed{", likely("YES", 0.7, NO=0.2), "}")
    assert (choices(listed_tokens, VERDICT, text) is not None) is known


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
others = st.fixed_dictionaries({"token": st.text(max_size=3), "logprob": st.floats()})
entries = st.fixed_dictionaries(
    {},
    optional={
        "token": st.sampled_from(["\\boxed{", "YES", " NO", ""]) | json_values,
        "logprob": st.floats() | json_values,
        "bytes": st.lists(st.integers(-1, 300), max_size=5) | json_values,
        "top_logprobs": st.lists(others | json_values, max_size=4) | json_values,
    },
)


@given(st.lists(entries | json_values, max_size=6))
def test_no_reply_raises(content):
    found = choices(list(read_tokens({"content": content})), VERDICT)
    assert found is None or all(-1000 < value <= 0 for value in found.values())
