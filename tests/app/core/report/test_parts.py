"""Tables, legends and values."""

from __future__ import annotations

from agent.confidence.scores import Estimate
from app.core.report.parts import key, measured, named, share_of, table
from tests.app.core.report.reading import EVIL, Page


def test_the_first_cell_of_a_row_is_its_header():
    page = Page(table("of", ("a", "b"), [("x", "1"), ("y", None)], numbers=frozenset({1})))
    assert page.text_of("th") == ["a", "b", "x", "y"]
    assert ("td", "class", "n") in page.attributes
    assert page.tags.count("td") == 2


def test_values_are_shown_with_their_interval():
    assert Page(measured(Estimate(0.5, 0.25, 0.75))).text() == "0.50 (0.25 to 0.75)"
    assert measured(Estimate(None, 0.0, 0.0)) == "–"
    assert (share_of(1, 4), share_of(1, 0)) == ("1 (25\u00a0%)".replace("\u00a0", " "), "1")


def test_names_are_escaped_and_simulated_ones_marked():
    page = Page(named(EVIL, is_simulated=True))
    assert "script" not in page.tags and "SIMULATED" in page.text()
    assert Page(named("", is_simulated=False)).text() == "no name"
    assert Page(key(("#000000", "<b>", "3"))).text() == "<b> 3"
