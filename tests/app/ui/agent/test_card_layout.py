"""A card's text is laid out for a width, folded or whole."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont

from app.ui.agent.card_content import CardContent, card_contents
from app.ui.agent.card_layout import FOLDED_LINES, Fonts, TextLine, elided, lay_out
from app.ui.agent.measured_rows import MeasuredRow
from tests.app.ui.agent.trajectories import record

LONG = CardContent(index=0, kind="thought", title="Thought", text="word " * 400 + "end")


@pytest.fixture
def lay(qapp):
    def lay(content, *, is_open=False, width=340.0, **links):
        fonts, red = Fonts.of(QFont()), QColor("red")
        return lay_out(content, width, fonts, is_open=is_open, marking=red, **links)

    return lay


def test_a_long_thought_is_folded_and_an_unfinished_one_shows_its_end(lay):
    links = {"more": "Show all", "fold": "Show less"}
    folded, opened = lay(LONG, **links), lay(LONG, is_open=True, **links)
    assert folded.blocks[0].layout.lineCount() == FOLDED_LINES
    assert opened.height > 3 * folded.height
    for card, link in ((folded, "Show all"), (opened, "Show less")):
        assert card.lines[-1].text == link and card.lines[-1].box == card.more
    card = lay(replace(LONG, kind="partial"))
    assert card.more is None
    text = card.blocks[0].layout.text()
    assert text.startswith("… ") and text.endswith("end")


def test_a_look_has_its_picture_on_the_left_and_what_is_beside_is_whole(lay):
    content = card_contents(record().steps)[1]
    card = lay(content, rerun="Rerun")
    cells = [line.text for line in card.lines]
    assert "−30.1 ± 1.1" in cells and "EW Å" in cells
    assert card.blocks[0].at.x() > card.picture.right()
    assert card.picture.bottom() < card.rerun.top() < card.height
    content = replace(
        card_contents(record().steps)[1], numbers="S/N 26.4 · 296 px · λ observed, vacuum"
    )
    said = " ".join(block.layout.text() for block in lay(content, width=230.0).blocks)
    assert content.numbers in said


def test_a_narrow_table_leaves_columns_out_and_cuts_no_number(lay):
    rows = (
        MeasuredRow("Hα", "6563.42", "−69.54 ± 0.73", "596", "50"),
        MeasuredRow("He I 6678", "6680.12", "−3.64 ± 0.21", "479", "22"),
    )
    content = CardContent(index=0, kind="look", title="Look 1", rows=rows)
    for width, wanted, gone in (
        (420.0, "−69.54 ± 0.73", "none"),
        (252.0, "−69.54", "−69.54 ± 0.73"),
        (170.0, "−69.54", "6563.42"),
    ):
        card = lay(content, width=width)
        texts = [elided(line)[0] for line in card.lines]
        assert wanted in texts and gone not in texts
        numbers = [line for line in card.lines if line.text[:1] in "−" or line.text.isdigit()]
        assert len(numbers) >= 6 and all(elided(line)[0] == line.text for line in numbers)


def test_lines_of_a_text_stay_apart_and_claims_are_underlined(lay, qapp):
    content = CardContent(index=0, kind="answer", title="Answer", text="One.\nTwo.")
    assert lay(content).blocks[0].layout.lineCount() == 2
    assert lay(replace(content, text="One. Two.")).blocks[0].layout.lineCount() == 1
    assert lay(replace(content, kind="partial")).blocks[0].layout.text() == "One. Two."
    answer = card_contents(record().steps)[-1]
    (mark,) = lay(answer).blocks[0].layout.formats()
    assert answer.text[mark.start : mark.start + mark.length] == "Na D"
    line = TextLine(QRectF(0, 0, 30, 12), "a long title", QFont(), "text")
    assert elided(line)[0].endswith("…")
