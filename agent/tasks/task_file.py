"""Reads a task file (resources/tasks/*.toml, or a user's own) and checks every value."""

import re
from collections.abc import Iterable
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any, cast, get_args

from agent.checked_toml import TomlTable, near_miss, parse_toml, read_toml, shown
from agent.tasks.catalogue_evidence import HEAVIEST, VALUE_NAME, CatalogueEvidence, CatalogueExpect
from agent.tasks.catalogue_evidence import PLACEHOLDER as CLAIM_PLACEHOLDER
from agent.tasks.subclass import read_subclasses
from agent.tasks.task import (
    PLACEHOLDER,
    QUALITIES,
    Combine,
    Contaminant,
    DiagnosticWindow,
    Evidence,
    Expect,
    Guideline,
    Kind,
    Rank,
    State,
    Task,
)

BLUEST, REDDEST = 3000.0, 11000.0
NARROWEST, WIDEST = 30.0, 2000.0
# A longer guideline would leave no room for pictures in a small model's context.
MAX_GUIDELINE_WORDS = 1000
# Letters are commands, 0 to 4 the confidence, F1 the guide, F10 the menu bar, F11 full screen.
WINDOW_KEYS = (
    *(f"F{number}" for number in range(2, 10)),
    *(f"Alt+{number}" for number in range(1, 10)),
)

_TASK_ID = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,15}")
_ENTRY_ID = re.compile(r"[a-z][a-z0-9_]{0,31}")
_TARGET = re.compile(r"[A-Za-z][A-Za-z0-9_+.-]{0,31}")
_OF_LINES: tuple[Expect, ...] = ("emission", "absorption", "below")
_OF_NUMBERS: tuple[Expect, ...] = ("above", "below")

CATALOGUE = "catalogue"  # what `kind` says of such a claim
LARGEST = 10_000.0
MAX_POINTS = 24


def read_task(path: Path, *, bundled: bool = False) -> Task:
    """Read a task; a ResourceError names the file, the key and what is expected."""
    file = read_toml(path)
    task = _task(file, None if bundled else path)
    if not bundled:
        # Check that all lines and indices exist: what is misspelt would never be found.
        # Bundled tasks, of which every start reads all, need neither.
        from agent.spectra.lines import builtin_lines
        from agent.spectra.measure.index_definitions import builtin_indices

        lines, indices = [*builtin_lines().by_id], [*builtin_indices()]
        for number, entry in enumerate(task.evidence, 1):
            if entry.kind == "quality":
                continue
            is_line = entry.kind in ("line", "width", "ratio")
            known = lines if is_line else indices
            for name in entry.target:
                what = "line" if is_line else "index"
                _require(file, f"evidence[{number}].target", name, known, what)
    return task


def parse_task(content: bytes, source: str) -> Task:
    """Parse the bytes of a task file; errors name `source`.

    Lines and indices that are not known may have been known to the program that wrote it.
    """
    return _task(parse_toml(content, source), None)


def _task(file: TomlTable, path: Path | None) -> Task:
    entries = file.tables("evidence", at_most=48)
    measured = [each for each in entries if not each.is_text("kind", CATALOGUE)]
    outside = [each for each in entries if each.is_text("kind", CATALOGUE)]
    task = Task(
        id=file.identifier(
            "id", _TASK_ID, "1 to 16 letters, digits, _, + or -, the first a letter"
        ),
        name=file.text("name", longest=60),
        title=file.text("title", longest=60),
        question=file.text("question", longest=200),
        lines=file.texts("lines", longest=32, at_most=12),
        replaces=file.text("replaces", "", longest=16, shortest=0),
        guideline=_guideline(file.table("guideline")),
        windows=tuple(map(_window, file.tables("windows", at_least=1, at_most=12))),
        contaminants=tuple(map(_contaminant, file.tables("contaminants", at_most=16))),
        evidence=tuple(map(_evidence, measured)),
        catalogue=tuple(read_catalogue_evidence(each, _entry_id(each)) for each in outside),
        subclasses=read_subclasses(file),
        subclass_source=file.text("subclass_source", "", longest=300, shortest=0),
        path=path,
    )
    file.close()
    _check_unique(task, file)
    _check_links(task, file)
    _check_length(task, file)
    return task


def _entry_id(table: TomlTable) -> str:
    return table.identifier("id", _ENTRY_ID, "lower-case letters, digits and _, the first a letter")


def _guideline(table: TomlTable) -> Guideline:
    guideline = Guideline(
        summary=table.text("summary", longest=600, shortest=20),
        primary=table.texts("primary", longest=400, at_most=8),
        states=tuple(map(_state, table.tables("states", at_most=8))),
        **{
            key: table.texts(key, longest=400, at_most=8, at_least=0)
            for key in ("secondary", "confirming", "answer_no", "not_testable", "pitfalls")
        },
    )
    table.close()
    return guideline


def _state(table: TomlTable) -> State:
    state = State(name=table.text("name", longest=60), text=table.text("text", longest=400))
    table.close()
    return state


def _contaminant(table: TomlTable) -> Contaminant:
    contaminant = Contaminant(
        name=table.text("name", longest=60),
        differs=table.text("differs", longest=400),
        windows=table.texts("windows", longest=32, at_most=12, at_least=0),
    )
    table.close()
    return contaminant


def _window(table: TomlTable) -> DiagnosticWindow:
    low, high = table.pair("range", low=BLUEST, high=REDDEST)
    if not NARROWEST <= high - low <= WIDEST:
        problem = f"expected {NARROWEST:g} to {WIDEST:g} Å in width, found {high - low:g} Å"
        raise table.fault("range", problem)
    window = DiagnosticWindow(
        id=_entry_id(table), label=table.text("label", longest=48), range=(low, high),
        key=table.choice("key", WINDOW_KEYS), look=table.text("look", longest=400),
        mimics=table.text("mimics", "", longest=600, shortest=0),
    )  # fmt: skip
    table.close()
    return window


def _evidence(table: TomlTable) -> Evidence:
    kind = cast(Kind, table.choice("kind", (*get_args(Kind), CATALOGUE)))
    rank: Rank = _one_of(table, "rank", Rank)
    evidence = Evidence(
        id=_entry_id(table), label=table.text("label", longest=60), rank=rank, kind=kind,
        target=_targets(table, kind), expect=_expectation(table, kind),
        threshold=table.number("threshold", low=-10000, high=10000),
        scale=table.number("scale", low=1e-4, high=10000),
        weight_for=table.number("weight_for", low=-10, high=10),
        weight_against=table.number("weight_against", low=-10, high=10),
        window=table.text("window", longest=32), min_snr=table.number("min_snr", low=0, high=200),
        combine=_one_of(table, "combine", Combine, "any"),
        group=table.text("group", "", longest=32, shortest=0),
        needs=table.texts("needs", longest=32, at_most=8, at_least=0),
        text_found=_template(table, "text_found"), text_absent=_template(table, "text_absent"),
    )  # fmt: skip
    table.close()
    supports = evidence.weight_for >= 0 >= evidence.weight_against
    opposes = evidence.weight_for <= 0 <= evidence.weight_against
    if not (opposes if rank == "contaminant" else supports):
        signs = "0 or less" if rank == "contaminant" else "0 or more"
        raise table.fault("weight_for", f"expected {signs}, and weight_against of the other sign")
    return evidence


def _one_of(table: TomlTable, key: str, words: Any, default: str | None = None) -> Any:
    """One of the words of a Literal type."""
    return table.choice(key, get_args(words), default)


def _targets(table: TomlTable, kind: Kind) -> tuple[str, ...]:
    targets = table.texts("target", longest=32, at_most=12)
    for target in targets:
        if kind == "quality" and target not in QUALITIES:
            guess = near_miss(target, QUALITIES)
            problem = f"{shown(target)} is not one of: {', '.join(QUALITIES)}{guess}"
            raise table.fault("target", problem)
        if not _TARGET.fullmatch(target):
            raise table.fault("target", f"expected a line or index id, found {shown(target)}")
    if kind == "ratio" and len(targets) != 2:
        raise table.fault("target", f"a ratio needs two targets, found {len(targets)}")
    return targets


def _expectation(table: TomlTable, kind: Kind) -> Expect:
    expect: Expect = _one_of(table, "expect", Expect)
    fitting = _OF_LINES if kind == "line" else _OF_NUMBERS
    if expect not in fitting:
        problem = f"evidence of kind {kind} needs {' or '.join(fitting)}, not {expect}"
        raise table.fault("expect", problem)
    return expect


def _template(
    table: TomlTable,
    key: str,
    placeholder: re.Pattern[str] = PLACEHOLDER,
    problem: str = "expected only {label}, {value}, {error}, {sigma}, {snr}, as in {value:.1f}",
) -> str:
    """A text with these placeholders and no other braces."""
    template = table.text(key, longest=200)
    if any(brace in placeholder.sub("", template) for brace in "{}"):
        raise table.fault(key, problem)
    return template


def _check_unique(task: Task, file: TomlTable) -> None:
    windows = task.windows
    _refuse_repeats(file, "windows", "id", (window.id for window in windows))
    _refuse_repeats(file, "windows", "key", (window.key for window in windows))
    _refuse_repeats(file, "windows", "label", (window.label for window in windows))
    names = [*(entry.id for entry in task.evidence), *(entry.id for entry in task.catalogue)]
    _refuse_repeats(file, "evidence", "id", names)
    _refuse_repeats(file, "contaminants", "name", (other.name for other in task.contaminants))


def _refuse_repeats(file: TomlTable, kind: str, key: str, values: Iterable[str]) -> None:
    seen: set[str] = set()
    for number, value in enumerate(values, 1):
        if value in seen:
            problem = f"{shown(value)} is used twice; each {key} must be unique"
            raise file.fault(f"{kind}[{number}].{key}", problem)
        seen.add(value)


def _check_links(task: Task, file: TomlTable) -> None:
    """Check that named windows exist, and that `needs` names earlier evidence only."""
    windows = [window.id for window in task.windows]
    for number, other in enumerate(task.contaminants, 1):
        for name in other.windows:
            _require(file, f"contaminants[{number}].windows", name, windows, "window")
    earlier: list[str] = []
    for number, entry in enumerate(task.evidence, 1):
        _require(file, f"evidence[{number}].window", entry.window, windows, "window")
        for name in entry.needs:
            _require(file, f"evidence[{number}].needs", name, earlier, "earlier evidence")
        earlier.append(entry.id)


def _require(file: TomlTable, key: str, name: str, known: list[str], what: str) -> None:
    if name not in known:
        problem = f"{shown(name)} is not the id of any {what}{near_miss(name, known)}"
        raise file.fault(key, problem)


def _check_length(task: Task, file: TomlTable) -> None:
    guideline = task.guideline
    texts = [other.differs for other in task.contaminants]
    texts += [state.text for state in guideline.states]
    for field in fields(guideline):
        value = getattr(guideline, field.name)
        texts += [value] if isinstance(value, str) else [v for v in value if isinstance(v, str)]
    words = sum(len(text.split()) for text in texts)
    if words > MAX_GUIDELINE_WORDS:
        problem = f"{words} words including the contaminants; the limit is {MAX_GUIDELINE_WORDS}"
        raise file.fault("guideline", problem)


def read_catalogue_evidence(table: TomlTable, identifier: str) -> CatalogueEvidence:
    """Read one claim; a ResourceError names the key and what is expected."""
    table.choice("kind", (CATALOGUE,))
    expect: CatalogueExpect = _one_of(table, "expect", CatalogueExpect)
    is_text = expect == "one_of"
    # One name, or `first - second`.
    text = table.text("value", longest=210)
    value = tuple(name.strip() for name in text.split(" - "))
    if len(value) > (1 if is_text else 2) or not all(map(VALUE_NAME.fullmatch, value)):
        wanted = "gaia.bp_rp" if is_text else "gaia.bp_rp or twomass.j - twomass.h"
        problem = f"expected a value of a service, as {wanted}; found {shown(text)}"
        raise table.fault("value", problem)
    against, limits = ("", ()) if is_text else _limits(table)
    threshold = 0.0
    if not is_text and not limits:
        threshold = table.number("threshold", low=-LARGEST, high=LARGEST)
    claim = CatalogueEvidence(
        id=identifier, label=table.text("label", longest=60), value=value, expect=expect,
        threshold=threshold, against=against, limits=limits,
        scale=1.0 if is_text else table.number("scale", low=1e-4, high=LARGEST),
        words=_words(table, "words") if is_text else (),
        other_words=_words(table, "other_words", at_least=0) if is_text else (),
        weight_for=table.number("weight_for", low=0.0, high=HEAVIEST),
        weight_against=table.number("weight_against", low=-HEAVIEST, high=0.0),
        group=table.text("group", "", longest=32, shortest=0),
        source=table.text("source", longest=300), text_found=_claim_template(table, "text_found"),
        text_absent=_claim_template(table, "text_absent"),
    )  # fmt: skip
    table.close()
    if both := {*map(str.casefold, claim.words)} & {*map(str.casefold, claim.other_words)}:
        raise table.fault("other_words", f"{shown(min(both))} is among `words`, too")
    return claim


def _limits(table: TomlTable) -> tuple[str, tuple[tuple[float, float], ...]]:
    """The value on which the limit depends, and the points of the limit."""
    if "against" not in table:
        return "", ()
    against = table.identifier("against", VALUE_NAME, "a value of a service, as gaia.bp_rp")
    xs = table.numbers("limit_at", low=-LARGEST, high=LARGEST, at_most=MAX_POINTS)
    ys = table.numbers("limits", low=-LARGEST, high=LARGEST, at_most=MAX_POINTS)
    if len(xs) < 2 or len(xs) != len(ys):
        problem = f"expected 2 numbers or more, as many as in limit_at; found {len(ys)}"
        raise table.fault("limits", f"{problem} and {len(xs)}")
    if any(first >= second for first, second in pairwise(xs)):
        raise table.fault("limit_at", "expected rising numbers")
    return against, tuple(zip(xs, ys, strict=True))


def _words(table: TomlTable, key: str, at_least: int = 1) -> tuple[str, ...]:
    return table.texts(key, longest=40, at_most=40, at_least=at_least)


def _claim_template(table: TomlTable, key: str) -> str:
    problem = "expected only {label}, {value} and {limit}, as in {value:.1f}"
    return _template(table, key, CLAIM_PLACEHOLDER, problem)
