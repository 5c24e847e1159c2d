"""HTML and SVG in which no text of a session can ever become markup: it is escaped by default."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable


class Markup(str):
    """Text that is markup already: only `tag`, `join` and `doctype` make it."""

    __slots__ = ()


Cell = str | None
"""A plain str is escaped; None is nothing."""

VOID = frozenset({"br", "hr", "meta", "line", "rect", "circle", "path", "polyline"})
LONGEST = 2000


def tag(name: str, /, *content: Cell, **attributes: str | float | None) -> Markup:
    """`class_` and the like lose their last _, other _ become -; an attribute of None is left out.

    Names come from our own code, values from anywhere.
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID and not content:
        return Markup(f"<{name}{told}/>")
    return Markup(f"<{name}{told}>{join(content)}</{name}>")


def join(content: Iterable[Cell], between: str = "") -> Markup:
    return Markup(escaped(between).join(escaped(each) for each in content if each is not None))


def page(language: str, *content: Cell) -> Markup:
    return Markup(f"<!doctype html>\n{tag('html', *content, lang=language)}\n")


def style(text: str) -> Markup:
    """Our own style sheet: no text of a session belongs in there."""
    return Markup(f"<style>{text}</style>")


def said(text: str, longest: int = LONGEST) -> Markup:
    """What a list, a person or an agent wrote: shortened, and set apart from the direction of the
    text around it."""
    short = text if len(text) <= longest else text[:longest].rstrip() + " …"
    return tag("bdi", short)


def escaped(text: Cell) -> str:
    if text is None:
        return ""
    if isinstance(text, Markup):
        return str(text)
    return html.escape(without_controls(text).replace(" %", "\u00a0%"))


def without_controls(text: str) -> str:
    return "".join("�" if _is_control(letter) else letter for letter in text)


def _attribute(value: str | float) -> str:
    """Lengths to a hundredth of a pixel."""
    if isinstance(value, str):
        return escaped(str(value))
    return f"{round(value, 2) + 0.0:g}" if abs(value) < 1e6 else "0"


def _is_control(letter: str) -> bool:
    """Neither HTML nor a printer knows what to do with these."""
    return unicodedata.category(letter) in {"Cc", "Cs"} and letter not in "\n\t"
