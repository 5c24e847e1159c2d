"""HTML and SVG built so that text of a session is always escaped and never becomes markup.

Beside that the parts that several sections use, and the colours of the page.
"""

import html
import math
import unicodedata
from collections.abc import Iterable, Sequence

from agent.confidence.scores import Agreement, Estimate
from agent.ellipsis import shortened
from app.core.statistics.number_format import rough_percent, rounded


class Markup(str):
    """Escaped markup, made by `tag`, `join` and `page`; plain text is escaped on use."""

    __slots__ = ()


Cell = str | None  # A plain str is escaped; None is left out.

INK = "#1c2126"
SOFT = "#59616b"
RULE = "#d5dae0"
FAINT = "#eef1f4"
ACCEPT = "#1f5f99"
REJECT = "#b5521b"
UNSURE = "#666d75"
OPEN = "#e3e7eb"  # not judged yet
AGENT = "#6b3fa0"
SPECTRUM = "#2b3137"
SHADE = tuple(int(ACCEPT[at : at + 2], 16) for at in (1, 3, 5))
STRONGEST = 0.42  # opacity of the shade behind a count: text must stay readable on it

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


def section(title: str, *content: Cell) -> Markup:
    return tag("section", tag("h2", title), *content)


def paragraph(*content: Cell, class_: str | None = None) -> Markup:
    return tag("p", *content, class_=class_)


def table(
    caption: Cell,
    head: Sequence[Cell],
    rows: Iterable[Sequence[Cell]],
    *,
    numbers: frozenset[int] = frozenset(),
    class_: str | None = None,
) -> Markup:
    """A table; the first cell of each row is its header, `numbers` columns are right-aligned."""
    columns = [
        tag("th", title, scope="col", class_="n" if at in numbers else None)
        for at, title in enumerate(head)
    ]
    return tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *columns)),
        tag("tbody", *(_row(cells, numbers) for cells in rows)),
        class_=class_,
    )


def matrix(found: Agreement, rows: str, columns: str) -> Markup:
    """A confusion matrix in which frequent cells are darker."""
    names = [str(each) for each in found.categories]
    head = [tag("th", name, scope="col") for name in names]
    most = max((count for counts in found.counts for count in counts), default=0) or 1
    body = []
    for name, counts in zip(names, found.counts, strict=True):
        cells = [
            tag("td", f"{count:,}", style=f"background: {_shade(math.sqrt(count / most))}")
            for count in counts
        ]
        body.append(tag("tr", tag("th", name, scope="row"), *cells))
    return tag(
        "table",
        tag("caption", "Rows: ", quoted(rows, 40), ". Columns: ", quoted(columns, 40), "."),
        tag("thead", tag("tr", tag("td", ""), *head)),
        tag("tbody", *body),
        class_="matrix",
    )


def key(*entries: tuple[str, str, str]) -> Markup:
    """A colour legend: colour, meaning, number."""
    return tag(
        "ul",
        *(
            tag("li", tag("i", "", style=f"background: {colour}"), f"{name} ", tag("b", number))
            for colour, name, number in entries
        ),
        class_="key",
    )


def facts(entries: Iterable[tuple[str, Cell]]) -> Markup:
    return tag("dl", *(join([tag("dt", name), tag("dd", value)]) for name, value in entries))


def captioned(drawing: Markup, *caption: Cell) -> Markup:
    return tag("figure", drawing, tag("figcaption", *caption))


def simulated_badge() -> Markup:
    return tag("span", "SIMULATED", class_="simulated")


def named(object_id: str, *, is_simulated: bool) -> Markup:
    badge = simulated_badge() if is_simulated else None
    return join([quoted(object_id or "no name", 60), badge], " ")


def share_of(part: int, whole: int) -> str:
    return f"{part:,} ({rough_percent(part / whole)})" if whole else f"{part:,}"


def measured(found: Estimate) -> Markup:
    """A value and its interval; the line may break between them."""
    if found.value is None:
        return join(["–"])
    limits = f"({rounded(found.low)} to {rounded(found.high)})"
    return join([rounded(found.value), tag("span", limits, class_="soft nowrap")], " ")


def _row(cells: Sequence[Cell], numbers: frozenset[int]) -> Markup:
    first, *others = cells
    tail = (
        tag("td", cell if cell is not None else "", class_="n" if at in numbers else None)
        for at, cell in enumerate(others, 1)
    )
    return tag("tr", tag("th", first, scope="row"), *tail)


def _shade(share: float) -> str:
    mixed = (round(255 - (255 - part) * STRONGEST * share) for part in SHADE)
    return "#" + "".join(f"{part:02x}" for part in mixed)
