"""One card: it folds, leads to its look and has the picture that the model saw, or none."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage

from agent.inspection.inspector_factory import default_model
from agent.trajectory.trajectory import Step
from app.ui.base.theme.theme import DARK
from app.ui.judge.agent import pictures
from app.ui.judge.agent.card import FOLDED_LINES, Fonts, TextLine, elided, lay_out
from app.ui.judge.agent.card_content import CardContent, card_contents
from app.ui.judge.agent.measured_rows import MeasuredRow
from tests.app.ui.judge.agent.conftest import kept
from tests.app.ui.judge.agent.trajectories import look, record
from tests.app.ui.scripted_agent import show_candidate

LEFT = Qt.MouseButton.LeftButton

LONG = CardContent(index=0, kind="thought", title="Thought", text="word " * 400 + "end")


def test_clicks_on_a_look_and_its_picture(qtbot, context, panel, measured):
    trajectory = kept(qtbot, context, measured)
    panel.verdict.steps.click()
    card = next(card for card in panel.timeline.cards if card.content.kind == "look")
    with qtbot.waitSignal(context.agent.shown.look_changed) as looking:
        qtbot.mouseClick(card, LEFT, pos=QPoint(card.width() - 20, 12))
    shift = 1.0 + (trajectory.spectrum.z or 0.0)
    low, high = trajectory.looks[0].range
    assert looking.args == [(low * shift, high * shift), trajectory.looks[0].label]
    assert card.is_current
    qtbot.waitUntil(lambda: card.has_picture)
    qtbot.mouseClick(card, LEFT, pos=QPoint(40, 60))
    large = panel._large
    assert large.isVisible() and card.content.aside in large.caption.text()
    assert large.picture.pixmap().size() == panel.pictures.images[card.content.picture].size()
    qtbot.keyClick(large, Qt.Key.Key_Escape)
    assert not large.isVisible()
    light = brightness(panel.timeline.cards[0].grab().toImage())
    context.current_theme.use(DARK)
    assert light > 150 > brightness(panel.timeline.cards[0].grab().toImage())
    panel.pictures.forget()
    spectrum = context.current.spectrum
    context.current.spectrum = replace(spectrum, flux=spectrum.flux * 2.0)
    with qtbot.waitSignal(context.current.message) as said:
        context.agent.shown.show(replace(trajectory, seed=5))
    assert "has changed since" in said.args[0] and panel.pictures.images == {}


def test_rerunning_from_a_step_of_a_record(qtbot, scripted, scripted_panel):
    scripted.agent.choose_model("good")
    show_candidate(qtbot, scripted, act="plain")
    with qtbot.waitSignal(scripted.agent.finished):
        scripted.agent.run_here()
    scripted.commands.run("step")
    card = next(card for card in scripted_panel.timeline.cards if card.is_current)
    assert card.can_rerun
    go_on = card._layout_for(card.width()).rerun
    qtbot.mouseClick(card, LEFT, pos=go_on.center().toPoint())
    assert scripted.agent.is_paused and len(scripted.agent.shown.steps) == 2
    with qtbot.waitSignal(scripted.agent.finished) as ended:
        scripted.commands.run("pause_agent")
    assert len(ended.args[1].replies) == 3


def test_a_long_text_folds_and_opens(qtbot, context, panel):
    steps = (Step(kind="think", text="word " * 400), look(6450, 6750, picture=""))
    kept(qtbot, context, record(steps=steps))
    card = panel.timeline.cards[0]
    low = card.height()
    more = card._layout_for(card.width()).more
    qtbot.mouseClick(card, LEFT, pos=more.center().toPoint())
    assert card.is_open and card.height() > 3 * low
    assert panel.timeline.cards[1].y() >= card.height()


def brightness(image: QImage) -> int:
    return image.pixelColor(image.width() - 12, image.height() - 5).lightness()


def test_during_a_run_pictures_are_drawn_in_the_models_style(qtbot, context, panel, monkeypatch):
    pytest.importorskip("llama_cpp")
    context.agent.worker_model.default = default_model("CV")
    drawn, drawing = [], pictures.redraw_look
    monkeypatch.setattr(
        pictures, "redraw_look", lambda seen, look: drawn.append(seen) or drawing(seen, look)
    )
    with qtbot.assertNotEmitted(panel.pictures.failed):
        show_candidate(qtbot, context)
        context.commands.run("run_agent")
        qtbot.waitUntil(lambda: any(step.is_look for step in context.agent.shown.steps))
        context.agent.toggle_pause()
        assert context.agent.shown.run is not None
        qtbot.waitUntil(lambda: panel.pictures.images != {})
        assert drawn[0].model == default_model("CV") and drawn[0].style is None
        context.agent.stop()
        qtbot.waitUntil(lambda: context.agent.shown.run is None)


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
    content = replace(content, numbers="S/N 26.4 · 296 px · λ observed, vacuum")
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
