"""The evidence dock in the window: off at first, filled ahead, hidden in blind mode, told apart."""

from io import BytesIO

import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest

from app.core.evidence.store import answers
from app.core.session.records import Verdict
from app.services.catalogues.service import all_services
from app.ui.judge.evidence import evidence_panel
from app.ui.judge.evidence.curve_plot import CurveCard
from app.ui.judge.evidence.hr_plot import GaiaCard
from app.ui.judge.evidence.picture_view import PictureCard, read_picture
from tests.app.ui.judge.evidence.small_sky import linked, picture, store_picture
from tests.app.ui.whole_window import CTRL, LEFT, Person

KEYS = tuple(all_services())


def click_row(person: Person, table, row: int) -> None:
    place = table.visualRect(table.model().index(row, 1)).center()
    QTest.mouseClick(table.viewport(), LEFT, pos=place)


def test_nothing_is_asked_until_a_service_is_turned_on(evidence):
    evidence.show()
    panel, person = evidence.panel, evidence.person
    assert panel.empty.isVisible() and panel.cards == {}
    for number in (2, 3):
        person.press("n", sees=number)
    assert evidence.server.asked == []
    QTest.mouseClick(panel.empty.choose, LEFT)
    dialog = person.window.settings_dialog
    person.wait(lambda: dialog is not None and dialog.isVisible())
    page = dialog.services
    assert dialog.stack.currentWidget() is page and page.boxes["gaia"].sends.isVisible()
    assert not any(box.on.isChecked() for box in page.boxes.values())
    page.boxes["gaia"].on.click()
    assert person.window.settings.settings.services == ("gaia",)
    person.wait(lambda: not panel.empty.isVisibleTo(panel))
    person.window.settings.change(services=())
    dialog.close()


def test_every_service_has_its_card_with_values_and_their_source(evidence):
    evidence.turn_on()
    person, panel = evidence.person, evidence.panel
    person.wait(lambda: all(evidence.is_shown(name, "found") for name in KEYS))
    assert "type AM*" in evidence.text_of("simbad")
    assert "parallax 11.370 ± 0.020 mas" in evidence.text_of("gaia")
    assert '0.00" away' in evidence.text_of("twomass")
    gaia = evidence.card("gaia")
    assert isinstance(gaia, GaiaCard) and gaia.diagram is not None
    assert gaia.diagram.plot.place.m_g < 9.0 and "Absolute G" in gaia.diagram.words.text()
    assert "schematic" in gaia.diagram.caption.text()
    seen, freed = gaia.diagram.plot.place, gaia.diagram.plot.freed
    assert seen.m_g - freed.m_g == pytest.approx(2.740 * 0.074)
    assert seen.bp_rp - freed.bp_rp == pytest.approx(1.339 * 0.074)
    assert "E(B − V) 0.074 ± 0.012" in gaia.diagram.words.text()
    assert gaia.stored.sha256 in gaia.asked.toolTip() and gaia.stored.url in gaia.asked.toolTip()
    curve, picture = evidence.card("ztf"), evidence.card("picture")
    assert isinstance(curve, CurveCard) and len(curve.view.plot.curves) == 2
    assert isinstance(picture, PictureCard)
    person.wait(lambda: not panel._image(picture._picture.content).isNull())
    assert "Pan-STARRS, about 2012" in picture.view.caption.text()
    person.wait(lambda: panel.sed_card.isVisible())
    person.wait(lambda: any(row.name == "PS1 r" for row in panel.sed.table.values.rows))
    assert panel.sed.flag.isVisible()  # AM Her is brighter than a simulated spectrum
    assert set(answers(person.session, person.number)) == set(KEYS)


def test_a_picture_that_no_service_would_give_is_not_shown(evidence):
    """The session may be a stranger's, and no service is on."""
    person = evidence.person
    store_picture(person.session, 1, linked(person.session.location))
    store_picture(person.session, 2, picture())
    evidence.show()
    person.wait(lambda: evidence.is_shown("picture", "failed"))
    assert "no picture" in evidence.text_of("picture")
    person.press("n", sees=2)
    person.wait(lambda: evidence.is_shown("picture", "found"))


@pytest.mark.qt_log_ignore("Not a JPEG file")
@pytest.mark.parametrize("kind", ["SVG", "PNG", "BMP", "JPEG"])
def test_only_a_jpeg_of_the_usual_size_is_decoded(kind):
    made, whole = BytesIO(), Image.open(BytesIO(picture()))
    larger = whole.resize((8000, 8000)) if kind == "JPEG" else whole
    larger.save(made, "PNG" if kind == "SVG" else kind)
    assert read_picture(linked("a.png") if kind == "SVG" else made.getvalue()).isNull()
    assert not read_picture(picture()).isNull()


def test_cards_shown_one_by_one_are_all_about_the_same_candidate(evidence, monkeypatch):
    monkeypatch.setattr("app.ui.judge.evidence.evidence_panel.SHOW_S", 0.0)  # a card in each turn
    evidence.turn_on("simbad", "gaia", "twomass")
    person, panel = evidence.person, evidence.panel
    person.wait(lambda: len(panel.cards) == 3)
    person.wait(lambda: all(evidence.is_shown(name, "found") for name in panel.cards))
    person.wait(lambda: not panel._unshown)
    seen = person.current.evidence
    assert set(seen[1]) == {"simbad", "gaia", "twomass"}
    panel.show_now()
    assert panel._unshown == ["gaia", "twomass"]
    person.current.go_to(2)
    panel._show_cards()  # the next turn of the event loop comes before the cards are shown anew
    assert panel._unshown == ["gaia", "twomass"] and not seen[2]
    person.sees(2)
    person.wait(lambda: seen[2] and not panel._unshown)
    assert {card.candidate.id for card in panel.cards.values()} == {2}


def test_the_next_candidates_are_asked_about_while_this_one_is_judged(evidence):
    evidence.turn_on("simbad", "gaia")
    person, feed = evidence.person, evidence.panel.feed
    person.wait(lambda: all(feed.answer(n, "simbad") and feed.answer(n, "gaia") for n in (2, 3)))
    ready = feed.answer(2, "gaia")
    person.press("n", sees=2)
    person.wait(lambda: evidence.card("gaia").candidate.id == 2)
    assert evidence.is_shown("gaia", "found") and evidence.panel.feed.answer(2, "gaia") is ready


def test_values_and_the_position_are_copied_and_the_archive_opened_by_a_click(
    evidence, monkeypatch
):
    opened: list[str] = []

    def open_url(url) -> bool:
        opened.append(url.toString())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    evidence.turn_on("gaia")
    person = evidence.person
    person.wait(lambda: evidence.is_shown("gaia", "found"))
    card = evidence.card("gaia")
    names = [row.name for row in card.table.values.rows]
    click_row(person, card.table, names.index("g"))
    person.press(Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "13.58" and opened == []
    QTest.mouseClick(card.page, LEFT)
    assert len(opened) == 1 and "I/355/gaiadr3" in opened[0]
    person.press(Qt.Key.Key_N)  # keys of the window work though the table has the focus
    person.sees(2)
    person.wait(lambda: evidence.is_shown("gaia", "found"))
    card = evidence.card("gaia")
    card._open_menu(card.table.values.rows[0], card.mapToGlobal(card.rect().center()))
    person.wait(card.menu.isVisible)
    entries = {action.text(): action for action in card.menu.actions()}
    entries["Copy position"].trigger()
    card.menu.close()
    here = person.current.candidate
    assert QGuiApplication.clipboard().text() == f"{here.ra:.6f} {here.dec:+.6f}"


def test_blind_mode_hides_the_type_until_the_verdict_and_a_reveal_is_recorded(evidence):
    person = evidence.person
    person.current.blind_mode.set_on(True)
    evidence.turn_on("simbad", "gaia")
    person.wait(lambda: evidence.is_shown("simbad", "found") and evidence.is_shown("gaia", "found"))
    assert "AM" not in evidence.text_of("simbad") and "hidden" in evidence.text_of("simbad")
    assert "parallax" in evidence.text_of("gaia")
    person.press("a", Qt.KeyboardModifier.ShiftModifier)
    person.wait(lambda: "AM*" in evidence.text_of("simbad"))
    assert set(person.log()[-1].evidence) == {"gaia"}

    person.press("n", sees=2)
    person.wait(lambda: evidence.is_shown("simbad", "found") and evidence.card("simbad").is_hidden)
    person.wait(lambda: "gaia" in person.current.evidence[2])
    QTest.mouseClick(evidence.card("simbad").reveal, LEFT)
    assert "AM*" in evidence.text_of("simbad")
    person.press("x", Qt.KeyboardModifier.ShiftModifier)
    entry = max(person.log(), key=lambda each: each.id)
    assert entry.candidate_id == 2 and entry.evidence["simbad"].endswith("revealed")
    assert not entry.evidence["gaia"].endswith("revealed")
    assert entry.shown == {}  # the agent's opinion was not shown by that


def test_what_was_revealed_counts_before_the_other_cards_are_shown(evidence, monkeypatch):
    """On a slow machine each card is shown in a turn of its own."""
    monkeypatch.setattr(evidence_panel, "SHOW_S", -1.0)
    person = evidence.person
    person.current.blind_mode.set_on(True)
    evidence.turn_on("gaia", "simbad", "twomass")
    for name in ("gaia", "simbad", "twomass"):
        person.wait(lambda name=name: evidence.is_shown(name, "found"))
    evidence.card("simbad").reveal.click()  # nothing else has its turn until the verdict
    assert "AM*" in evidence.text_of("simbad")
    person.current.judge(Verdict.ACCEPT, stay=True)
    seen = person.log()[-1].evidence
    assert set(seen) == {"gaia", "simbad", "twomass"} and seen["simbad"].endswith("revealed")


def test_a_card_counts_in_the_turn_that_shows_it(evidence, monkeypatch):
    monkeypatch.setattr(evidence_panel, "SHOW_S", -1.0)
    person, names = evidence.person, {"gaia", "simbad", "twomass"}
    evidence.show()
    turns = []

    def look():
        """What is on screen after a turn, and what a verdict given now would say of it."""
        shown = {name for name, card in evidence.panel.cards.items() if is_read(card)}
        turns.append((shown, set(person.current.evidence[person.number])))

    def is_read(card):
        here = card.candidate is not None and card.candidate.id == person.number
        return here and card.stored is not None

    evidence.panel._next.timeout.connect(look)  # after the panel, which has shown a card by then
    evidence.turn_on(*names)
    person.wait(lambda: set(person.current.evidence[1]) == names)
    person.go(2)
    person.wait(lambda: set(person.current.evidence[2]) == names)
    assert len(turns) >= 4 and all(shown == counted for shown, counted in turns)


def test_what_was_seen_of_a_candidate_counts_after_another_was_looked_at(evidence):
    person = evidence.person
    evidence.turn_on("gaia")
    person.wait(lambda: evidence.is_shown("gaia", "found"))
    person.go(2)
    person.wait(lambda: "gaia" in person.current.evidence[2])
    person.press("d", CTRL)  # away with the dock
    person.go(1)
    person.press("a", Qt.KeyboardModifier.ShiftModifier)
    assert set(person.log()[-1].evidence) == {"gaia"}


def test_a_question_about_a_neighbour_goes_on_until_the_next_ones_are_known(evidence):
    evidence.server.always = "stall"
    evidence.turn_on("simbad")
    person, feed = evidence.person, evidence.panel.feed
    person.wait(lambda: "simbad" in feed._running)
    asked = feed._running["simbad"]
    feed._candidate_changed()
    assert not asked.stop.is_set()
    person.current.go_to(person.number + 1)
    assert not asked.stop.is_set()
    evidence.server.always = ""


def test_what_is_no_longer_wanted_is_cancelled(evidence):
    evidence.server.always = "stall"
    evidence.turn_on("simbad")
    person, feed = evidence.person, evidence.panel.feed
    person.wait(lambda: "simbad" in feed._running)
    first = feed._running["simbad"]
    person.go(12)
    person.wait(lambda: first.stop.is_set() and feed._running.get("simbad") is not first)
    evidence.server.always = ""


def test_a_failure_says_why_and_nothing_there_is_no_failure(evidence):
    evidence.server.always = "html"
    evidence.turn_on("gaia")
    person = evidence.person
    person.wait(lambda: evidence.is_shown("gaia", "failed"))
    card = evidence.card("gaia")
    assert "nobody knows" in card.text.text() and card.again.isVisible()
    assert "nothing there" not in evidence.text_of("gaia")
    evidence.server.always = ""
    QTest.mouseClick(card.again, LEFT)
    person.wait(lambda: evidence.is_shown("gaia", "found"))
    assert not card.again.isVisible()
    evidence.server.tables['"II/246/out"'] = []
    evidence.turn_on("twomass")
    person.wait(lambda: evidence.is_shown("twomass", "nothing"))
    assert "nothing within 2 arcsec" in evidence.text_of("twomass")
