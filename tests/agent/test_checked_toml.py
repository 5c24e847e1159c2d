"""Untrusted TOML: values are checked and every error names the file and the key."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.checked_toml import MAX_BYTES, TomlTable, near_miss, parse_toml, read_toml, shown
from agent.checked_yaml import MOST_NESTED, NotPlain, plain_events, plain_yaml
from agent.errors import ResourceError

TEXT = """
name = "one  two"
count = 3
wanted = true
labels = ["a", "b"]
range = [1, 2]
ranges = [[1, 2], [3, 4.5]]
kind = "line"
[[windows]]
key = "F2"
"""


def table(text: str = TEXT) -> TomlTable:
    return parse_toml(text.encode(), "some.toml")


def test_values_of_every_type_are_read() -> None:
    file = table()
    assert file.text("name") == "one two"
    assert file.number("count", low=0, high=5) == 3.0
    assert file.flag("wanted")
    assert file.texts("labels") == ("a", "b")
    assert file.pair("range", low=0, high=9) == (1.0, 2.0)
    assert file.pairs("ranges", low=0, high=9, at_most=2) == ((1.0, 2.0), (3.0, 4.5))
    assert file.choice("kind", ("line", "band")) == "line"
    (window,) = file.tables("windows", at_most=3, named_by="key")
    assert (window.where, window.text("key")) == ('windows["F2"]', "F2")
    file.close()
    window.close()


@pytest.mark.parametrize(("read", "message"), [
    (lambda file: file.text("nmae"), 'nmae: missing; expected text; did you mean "name"?'),
    (lambda file: file.text("count"), "count: expected text, found a number"),
    (lambda file: file.number("wanted", low=0, high=1), "wanted: expected a number"),
    (lambda file: file.number("count", low=5, high=9, unit="Å"), "from 5 to 9 Å, found 3"),
    (lambda file: file.numbers("labels", low=0, high=1, at_most=2), "labels: expected a number"),
    (lambda file: file.pair("labels", low=0, high=1), "labels: expected a number, found text"),
    (lambda file: file.pairs("ranges", low=0, high=9, at_most=1), "expected one pair"),
    (lambda file: file.choice("kind", ("lines",)), 'is not one of: lines; did you mean "lines"?'),
    (lambda file: file.texts("labels", at_most=1), "labels: expected 1 to 1 texts, found 2"),
    (lambda file: file.tables("windows", at_least=2, at_most=3), "expected 2 to 3 tables"),
    (lambda file: file.identifier("name", re.compile(r"\w+"), "a word"), "expected a word"),
    (lambda file: file.close(), '"name": unknown key'),
])  # fmt: skip
def test_faults_name_the_file_and_the_key(
    read: Callable[[TomlTable], object], message: str
) -> None:
    with pytest.raises(ResourceError, match=re.escape(message)) as caught:
        read(table())
    assert str(caught.value).startswith("some.toml: ")


@pytest.mark.parametrize(("text", "message"), [
    ("a = 1" + "#" * MAX_BYTES, "longer than 64 KiB"),
    ("a" + ".a" * 40 + " = 1", "line 1 has a key of too many parts"),
    ("a = " + "[" * 300 + "]" * 300, "line 1 is nested too deeply"),
    ("a = ", "not valid TOML"),
])  # fmt: skip
def test_costly_or_broken_files_are_refused(text: str, message: str) -> None:
    with pytest.raises(ResourceError, match=message):
        table(text)


def test_a_file_is_read_once_and_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1")
    assert read_toml(path).number("a", low=0, high=2) == 1.0
    path.write_bytes(b"a = '\xff'")
    with pytest.raises(ResourceError, match=r"not UTF-8 text \(byte 5\)"):
        read_toml(path)
    with pytest.raises(ResourceError, match="not a file"):
        read_toml(tmp_path)


def test_quotes_are_short_and_printable() -> None:
    assert shown("a\x1b[31m" + "b" * 60, 8) == '"a?[31mbb..."'
    assert near_miss("H_alhpa", ["H_alpha", "H_beta"]) == '; did you mean "H_alpha"?'
    assert near_miss("xyz", ["H_alpha"]) == ""


# YAML is looked through before it is loaded, in one place.
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
