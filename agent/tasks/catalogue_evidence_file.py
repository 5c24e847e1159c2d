"""Reads the claims about catalogues from a task file and checks every value."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

from agent.checked_toml import TomlTable, shown
from agent.tasks.catalogue_evidence import (
    CATALOGUE_EXPECTATIONS,
    HEAVIEST,
    PLACEHOLDER,
    VALUE_NAME,
    CatalogueEvidence,
    CatalogueExpect,
)

KIND = "catalogue"
"""What `kind` says of such a claim."""
LARGEST = 10_000.0
MAX_POINTS = 24


def read_catalogue_evidence(table: TomlTable, identifier: str) -> CatalogueEvidence:
    """Read one claim; a ResourceError names the key and what is expected."""
    table.choice("kind", (KIND,))
    expect = cast(CatalogueExpect, table.choice("expect", CATALOGUE_EXPECTATIONS))
    is_text = expect == "one_of"
    value = _value(table, is_text=is_text)
    against, limits = ("", ()) if is_text else _limits(table)
    claim = CatalogueEvidence(
        id=identifier,
        label=table.text("label", longest=60),
        value=value,
        expect=expect,
        threshold=0.0 if is_text or limits else _number(table, "threshold"),
        against=against,
        limits=limits,
        scale=1.0 if is_text else table.number("scale", low=1e-4, high=LARGEST),
        words=_words(table, "words") if is_text else (),
        other_words=_words(table, "other_words", at_least=0) if is_text else (),
        weight_for=table.number("weight_for", low=0.0, high=HEAVIEST),
        weight_against=table.number("weight_against", low=-HEAVIEST, high=0.0),
        group=table.text("group", "", longest=32, shortest=0),
        source=table.text("source", longest=300),
        text_found=_template(table, "text_found"),
        text_absent=_template(table, "text_absent"),
    )
    table.close()
    _check_words(table, claim)
    return claim


def _value(table: TomlTable, *, is_text: bool) -> tuple[str, ...]:
    """One name, or `first - second`."""
    text = table.text("value", longest=210)
    names = tuple(name.strip() for name in text.split(" - "))
    if len(names) > (1 if is_text else 2) or not all(map(VALUE_NAME.fullmatch, names)):
        wanted = "gaia.bp_rp" if is_text else "gaia.bp_rp or twomass.j - twomass.h"
        raise table.fault(
            "value", f"expected a value of a service, as {wanted}; found {shown(text)}"
        )
    return names


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


def _number(table: TomlTable, key: str) -> float:
    return table.number(key, low=-LARGEST, high=LARGEST)


def _words(table: TomlTable, key: str, at_least: int = 1) -> tuple[str, ...]:
    return table.texts(key, longest=40, at_most=40, at_least=at_least)


def _check_words(table: TomlTable, claim: CatalogueEvidence) -> None:
    both = {word.casefold() for word in claim.words}
    both &= {word.casefold() for word in claim.other_words}
    if both:
        raise table.fault("other_words", f"{shown(min(both))} is among `words`, too")


def _template(table: TomlTable, key: str) -> str:
    template = table.text(key, longest=200)
    if any(brace in PLACEHOLDER.sub("", template) for brace in "{}"):
        problem = "expected only {label}, {value} and {limit}, as in {value:.1f}"
        raise table.fault(key, problem)
    return template
