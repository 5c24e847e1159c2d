"""Faulty and hostile task files: only ResourceError, and in words that help."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.errors import ResourceError
from agent.tasks.catalogue import BUNDLED, load_tasks
from agent.tasks.task import Task
from agent.tasks.task_file import read_task
from tests.night import examples

CV = (BUNDLED / "cv.toml").read_text(encoding="utf-8")


def tried(count: int) -> settings:
    kept = [HealthCheck.function_scoped_fixture]
    return settings(max_examples=examples(count), deadline=None, derandomize=True,
                    suppress_health_check=kept)  # fmt: skip


def read(tmp_path: Path, content: str | bytes) -> Task:
    path = tmp_path / "mine.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_task(path)


def changed(old: str, new: str) -> str:
    assert old in CV
    return CV.replace(old, new, 1)


FAULTS = [
    ('id = "CV"', "", r"id: missing; expected text"),
    ('id = "CV"', "id = 7", r"id: expected text, found a number"),
    ('id = "CV"', 'id = "C V"', r"id: expected 1 to 16 letters"),
    ('id = "CV"', 'id = "CV"\nid = "CV"', r"not valid TOML: Cannot overwrite a value"),
    ("question =", "qestion =", r'question: missing.*did you mean "qestion"'),
    ('id = "CV"', 'id = "CV"\ncolour = "blue"', r'"colour": unknown key'),
    ('id = "CV"', 'id = "CV"\nreplace = "CV"', r'unknown key; did you mean "replaces"'),
    ('id = "CV"', 'id = "CV"\n"a\\u0007\\u202eb" = 1', r'"a\?\?b": unknown key'),
    ("secondary = [", "secondry = [", r'guideline.*unknown key; did you mean "secondary"'),
    ('lines = ["hydrogen"', 'lines = [["x"], "hydrogen"', r"lines: entry 1 should be text"),
    ("range = [6450, 6750]", "range = [6750, 6450]", r"windows\[1\].range: expected lower before"),
    ("range = [6450, 6750]", "range = [6450]", r"range: expected two numbers"),
    ("range = [6450, 6750]", "range = [6450, 6455]", r"expected 30 to 2000 Å in width, found 5 Å"),
    ("range = [6450, 6750]", "range = [6450, nan]", r"expected a number from 3000 to 11000"),
    ("range = [6450, 6750]", "range = [6450, true]", r"expected a number, found true or false"),
    ("range = [6450, 6750]", "range = [2450, 6750]", r"from 3000 to 11000, found 2450"),
    ("range = [6450, 6750]", f"range = [0x{'f' * 9000}, 6750]", r"from 3000 to 11000$"),
    ("range = [6450, 6750]", f"range = [{'9' * 9000}, 6750]", r"not valid TOML"),
    ("range = [6450, 6750]", "range = [2020-01-01, 6750]", r"found a date or time"),
    ('key = "F3"', 'key = "A"', r'windows\[2\].key: "A" is not one of: F2, F3'),
    ('key = "F3"', 'key = "F2"', r'windows\[2\].key: "F2" is used twice'),
    ('id = "hbeta"', 'id = "halpha"', r"windows\[2\].id"),
    ('id = "hbeta"', 'id = "H beta"', r"windows\[2\].id: expected lower-case letters"),
    ('windows = ["halpha", "donor"]', 'windows = ["halfa"]', r'any window; did you mean "halpha"'),
    ('rank = "primary"', 'rank = "first"', r'evidence\[1\].rank: "first" is not one of: primary'),
    ('rank = "primary"', 'rank = "contaminant"', r"weight_for: expected 0 or less"),
    ("weight_for = 1.0", "weight_for = inf", r"weight_for: expected a number from -10 to 10"),
    ("scale = 3.0", "scale = 0", r"scale: expected a number from 0.0001"),
    ('expect = "emission"', 'expect = "above"', r"kind line needs emission or absorption or below"),
    ('target = ["z"]', 'target = ["zz"]', r'target: "zz" is not one of: z, snr'),
    ('target = ["H_alpha"]', 'target = ["H alpha"]', r"expected a line or index id"),
    ('target = ["H_alpha"]', 'target = ["H_alfa"]', r'any line; did you mean "H_alpha"'),
    ('target = ["Dn4000"]', 'target = ["Dn400"]', r'any index; did you mean "Dn4000"'),
    ('target = ["HeII_4686", "H_beta"]', 'target = ["H_beta"]', r"a ratio needs two targets"),
    ('needs = ["halpha_emission"]', 'needs = ["redshift"]', r"not the id of any earlier evidence"),
    ("{value:.0f} Å", "{value.__class__}", r"text_found: expected only \{label\}"),
    ("{value:.0f} Å", "{value:999999999.0f}", r"text_found: expected only"),
    ("{value:.0f} Å", "{", r"text_found: expected only"),
    ("Quiescence", "<|im_start|>system", r"looks like chat markup"),
    ("Quiescence", "</answer>", r"looks like chat markup"),
    ("Quiescence", "\\\\boxed{YES}", r"looks like chat markup"),
    ("Quiescence", "Quiet\\u001b[31m", r"unprintable character U\+001B"),
    ("Quiescence", "Quiet\\u202e", r"unprintable character U\+202E"),
    ("Quiescence", "Q" * 61, r"expected 1 to 60 characters, found 61"),
    ("Quiescence", " \\n ", r"expected 1 to 60 characters, found 0"),
    ("[[guideline.states]]", "[guideline.states]", r"not valid TOML"),
    ("[guideline]", "[[guideline]]", r"guideline: expected a table, found a list"),
]


@pytest.mark.parametrize(("old", "new", "expected"), FAULTS)
def test_a_fault_is_named_with_file_and_key(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    with pytest.raises(ResourceError) as caught:
        read(tmp_path, changed(old, new))
    message = str(caught.value)
    assert message.startswith(str(tmp_path / "mine.toml"))
    assert re.search(expected, message), message
    assert len(message) < 500 + len(str(tmp_path)) and message.isprintable()


@pytest.mark.parametrize(("content", "expected"), [
    (b"", "id: missing"),
    (b"\xff\xfe", "not UTF-8"),
    (b"\x00", "not valid TOML"),
    (b"x = " + b"[" * 60_000, "nested too deeply"),
    (("\n".join(["x = ["] + ["["] * 20_000)).encode(), "nested too deeply|not valid TOML"),
    (b"a." * 20_000 + b"a = 1", "key of too many parts"),
    (b"[" + b"a." * 20_000 + b"a]", "key of too many parts"),
    (b"# " + b"x" * 65_536, "longer than 64 KiB"),
])  # fmt: skip
def test_a_file_made_to_hurt_is_refused(tmp_path: Path, content: bytes, expected: str) -> None:
    with pytest.raises(ResourceError, match=expected):
        read(tmp_path, content)


def test_no_file_and_countless_ones_are_refused(tmp_path: Path) -> None:
    for number in range(201):
        (tmp_path / f"{number}.toml").touch()
    with pytest.raises(ResourceError, match="201 task files, at most 200"):
        load_tasks([tmp_path])
    folder = tmp_path / "tasks.toml"
    folder.mkdir()
    for none in (folder, Path("a\0b.toml")):
        with pytest.raises(ResourceError, match="not a file"):
            read_task(none)


def test_too_many_words_are_refused(tmp_path: Path) -> None:
    sentence = "a " * 190 + "b"
    text = CV
    for key in ("secondary", "confirming", "answer_no", "not_testable", "pitfalls"):
        text = text.replace(f"{key} = [\n", f'{key} = [\n"{sentence}",\n"{sentence}",\n', 1)
    with pytest.raises(ResourceError, match=r"guideline: \d{4} words including"):
        read(tmp_path, text)


def test_windows_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    notepad = read(tmp_path, b"\xef\xbb\xbf" + CV.replace("\n", "\r\n").encode())
    assert notepad == read(tmp_path, CV)


TOML_VALUES = st.recursive(
    st.one_of(
        st.integers().map(str),
        st.floats().map(repr),
        st.booleans().map(lambda value: str(value).lower()),
        st.sampled_from(['"x"', "''", '"F2"', '"emission"', "2020-01-01", "07:32:00", '"\\u0000"']),
        st.text(st.characters(codec="utf-8", exclude_characters="'\n\r"), max_size=20).map(
            lambda text: f"'{text}'"
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(inner, max_size=3).map(
            lambda items: "{" + ", ".join(f"k{i} = {item}" for i, item in enumerate(items)) + "}"
        ),
    ),
    max_leaves=4,
)
ASSIGNMENTS = list(re.finditer(r"^(\w+) = (?!\[$|\"{3})(.+)$", CV, re.MULTILINE))


@tried(300)
@given(place=st.integers(0, len(ASSIGNMENTS) - 1), value=TOML_VALUES)
def test_random_values_raise_nothing_else(tmp_path: Path, place: int, value: str) -> None:
    match = ASSIGNMENTS[place]
    text = CV[: match.start(2)] + value + CV[match.end(2) :]
    assert_read_or_refused(tmp_path, text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("length", range(0, len(CV), 331))
def test_a_file_cut_short_raises_nothing_else(tmp_path: Path, length: int) -> None:
    assert_read_or_refused(tmp_path, CV[:length].encode())


@tried(100)
@given(content=st.binary(max_size=400))
def test_random_bytes_raise_nothing_else(tmp_path: Path, content: bytes) -> None:
    assert_read_or_refused(tmp_path, content)


def assert_read_or_refused(tmp_path: Path, content: bytes) -> None:
    """A task that keeps the rules, or a ResourceError of one readable line; nothing else."""
    try:
        found = read(tmp_path, content)
    except ResourceError as error:
        assert str(error).isprintable() and len(str(error)) < 600 + len(str(tmp_path))
        return
    assert all(3000 <= low < high <= 11000 for low, high in (w.range for w in found.windows))
    for entry in found.evidence:
        assert abs(entry.log_odds(1.0)) <= 10
        assert entry.text(1.0).isprintable()
