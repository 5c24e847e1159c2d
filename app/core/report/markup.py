"""HTML and SVG built so that text of a session is always escaped and never becomes markup."""

import html
import unicodedata
from collections.abc import Iterable

from agent.ellipsis import shortened


class Markup(str):
    """Escaped markup, made by `tag`, `join`, `page` and `style`; plain text is escaped on use."""

    __slots__ = ()


Cell = str | None  # A plain str is escaped; None is left out.

VOID = frozenset({"br", "hr", "meta", "line", "rect", "circle", "path", "polyline"})
LONGEST = 2000


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


def page(language: str, *content: Cell) -> Markup:
    return Markup(f"<!doctype html>\n{tag('html', *content, lang=language)}\n")


def style(text: str) -> Markup:
    """A style element; never pass text of a session, as it is not escaped."""
    return Markup(f"<style>{text}</style>")


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
