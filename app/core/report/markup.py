"""HTML and SVG built so that text of a session is always escaped and never becomes markup."""

import html
import unicodedata
from collections.abc import Iterable

from agent.ellipsis import shortened


class Markup(str):
    """Escaped markup, made by `tag`, `join` and `page`; plain text is escaped on use."""

    __slots__ = ()


Cell = str | None  # A plain str is escaped; None is left out.

VOID = frozenset({"br", "hr", "meta", "line", "rect", "circle", "path", "polyline"})
LONGEST = 2000
# Should text of a session ever get through as markup, a browser would neither run nor fetch it.
NO_SCRIPTS = "default-src 'none'; style-src 'unsafe-inline'"


def tag(name: str, /, *content: Cell, **attributes: str | float | None) -> Markup:
    """An element; attribute names lose a trailing _, other _ become -, and None leaves one out.

    Names come from our code only; values may come from anywhere.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID and not content:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{join(content)}</{name}>")


def join(content: Iterable[Cell], between: str = "") -> Markup:
    return Markup(escaped(between).join(escaped(each) for each in content if each is not None))


def page(language: str, title: str, css: str, *content: Cell) -> Markup:
    """A whole page; `css` must hold no text of a session, as it is not escaped."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=NO_SCRIPTS),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        Markup(f"<style>{css}</style>"),
    )
    written = tag("html", head, tag("body", *content), lang=language)
    return Markup(f"<!doctype html>\n{written}\n")


def quoted(text: str, longest: int = LONGEST) -> Markup:
    """Text that a list, a person or an agent wrote: shortened, in its own writing direction."""
    return tag("bdi", shortened(text, longest, " …"))


def escaped(text: Cell) -> str:
    if text is None:
        return ""
    if isinstance(text, Markup):
        return str(text)
    return html.escape(without_controls(text).replace(" %", "\u00a0%"))


def without_controls(text: str) -> str:
    return "".join("�" if _is_control(letter) else letter for letter in text)


def _attribute(value: str | float) -> str:
    """An escaped attribute value; lengths are rounded to 0.01 px."""
    if isinstance(value, str):
        return escaped(str(value))
    return f"{round(value, 2) + 0.0:g}" if abs(value) < 1e6 else "0"


def _is_control(letter: str) -> bool:
    """Control characters and surrogates, which HTML does not allow."""
    return unicodedata.category(letter) in {"Cc", "Cs"} and letter not in "\n\t"
