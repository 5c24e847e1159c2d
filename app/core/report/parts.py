"""HTML parts that several sections use."""

import math
from collections.abc import Iterable, Sequence

from agent.confidence.scores import Agreement, Estimate
from app.core.report.markup import Cell, Markup, join, quoted, tag
from app.core.report.svg import ACCEPT
from app.core.statistics.number_format import rough_percent, rounded

SHADE = tuple(int(ACCEPT[at : at + 2], 16) for at in (1, 3, 5))
STRONGEST = 0.42  # opacity of the shade behind a count: text must stay readable on it


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
