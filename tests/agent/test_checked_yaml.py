"""YAML is looked through before it is loaded, in one place."""

import re
from pathlib import Path

import pytest

from agent.checked_yaml import MOST_NESTED, NotPlain, plain_events, plain_yaml

ROOT = Path(__file__).parents[2]


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize(("text", "why"), [
    (nested(MOST_NESTED + 1), "nested too deeply"), ("{a: " * 10_000, "nested too deeply"),
    ("- " * 10_000, "nested too deeply"), ("a: &x 1", "anchors"), ("&a {<<: *a}", "anchors"),
])  # fmt: skip
def test_what_multiplies_is_refused_while_it_is_read(text: str, why: str) -> None:
    with pytest.raises(NotPlain, match=why):
        plain_yaml(text)
    with pytest.raises(NotPlain, match=why):
        list(plain_events(text))


def test_plain_values_are_read() -> None:
    assert plain_yaml(b"a: {b: [1, true, x]}\n") == {"a": {"b": [1, True, "x"]}}
    assert plain_yaml(nested(MOST_NESTED)) is not None


def test_nothing_else_loads_yaml() -> None:
    sources = (path for name in ("agent", "app", "train") for path in (ROOT / name).rglob("*.py"))
    loads = re.compile(r"\byaml\.(\w*load\w*|parse|compose\w*|scan)\(|Table\.read\(")
    found = {path.name for path in sources if loads.search(path.read_text(encoding="utf-8"))}
    assert found == {"checked_yaml.py"}
