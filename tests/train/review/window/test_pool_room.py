"""The room with real keys: screening, revising, auditing and the vote, and what others see."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Timer

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QWidget

pytest.importorskip("pyarrow")

from agent.trajectory.trajectory_file import read_trajectories
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from tests.app.ui.steps import activated
from tests.train.review.helpers import give, returned
from train.review.pool import Pool, open_pool
from train.review.review_rules import Case, Take
from train.review.window.pool_room import PoolRoom

CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


class Reviewer:
    def __init__(self, qtbot, room: PoolRoom) -> None:
        self.qtbot, self.room = qtbot, room

    def wait(self, condition) -> None:
        self.qtbot.waitUntil(condition)

    def press(self, key: str | Qt.Key, held=Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.target, key, held)

    def type(self, text: str) -> None:
        QTest.keyClicks(self.target, text)

    @property
    def target(self) -> QWidget:
        """Where a person's keys go."""
        if QApplication.activeWindow() is not self.room:
            activated(self.qtbot, self.room)
        return self.room.focusWidget() or self.room

    def click(self, widget) -> None:
        self.qtbot.mouseClick(widget, LEFT)

    def sees(self, number: str) -> None:
        """Wait until this draft is on the screen."""
        self.wait(lambda: self.room.draft is not None and self.room.draft.case.id == number)

    def drawn(self) -> None:
        """Wait until every picture is there."""
        self.wait(
            lambda: all(
                card.look is None or card.look.picture.isVisible() or card.look.error.text()
                for card in self.room.view.cards
            )
        )

    def act(self, key: str, held=Qt.KeyboardModifier.NoModifier) -> Case:
        """Press a key, and wait until a review of the draft is on the disk."""
        with self.qtbot.waitSignal(self.room.access.reviewed) as written:
            self.press(key, held)
        return written.args[0]


@contextmanager
def at_work(qtbot, pool: Pool, by: str, number: str = "") -> Iterator[Reviewer]:
    """The room with its first draft, or the one that is chosen, as this person sees it."""
    runner = Runner()
    room = PoolRoom(open_pool(pool.place), by, runner, CurrentTheme())
    qtbot.addWidget(room)
    room.show()
    activated(qtbot, room)
    reviewer = Reviewer(qtbot, room)
    reviewer.wait(lambda: room.draft is not None)
    if number:
        room.table.choose(number)
        reviewer.sees(number)
    try:
        yield reviewer
    finally:
        room.close()
        runner.close()


def log_of(pool: Pool) -> list[tuple[object, ...]]:
    """The reviews as they are on the disk."""
    return [
        (each.role, each.by, each.approve, each.changes, each.note)
        for each in open_pool(pool.place).store.reviews()
    ]


def one_vote_each_way(pool: Pool, number: str) -> None:
    """Revised by Ben, audited by Cy and Di; Ben has voted for it and Cy against it."""
    for by, role in (("Ben", "screener"), ("Ben", "reviser"), ("Cy", "auditor"), ("Di", "auditor")):
        give(pool, number, by, role)
    give(pool, number, "Ben", "voter")
    give(pool, number, "Cy", "voter", approve=False)


INVENTED = " [O I] 6300 is absorbed, 4.2 Å."  # in no window of the guideline


def test_screening_by_keys(qtbot, pool, numbers):
    with at_work(qtbot, pool, "Ada") as ada:
        ada.sees(numbers[0])
        ada.act("a")
        ada.sees(numbers[1])
        ada.press("x")  # wants a reason first
        ada.wait(ada.room.acts.reason.hasFocus)
        ada.press(Qt.Key.Key_Return)
        ada.type("no such star")  # an x and an a in a text do nothing else
        case = ada.act(Qt.Key.Key_Return)
        assert case.stage == "rejected"
        ada.sees(numbers[2])
        ada.press("b")
        ada.sees(numbers[1])
        assert "Discarded" in ada.room.acts.state.text()
        assert "no such star" in ada.room.history.text.text()
    assert log_of(pool) == [
        ("screener", "Ada", True, False, ""),
        ("screener", "Ada", False, False, "no such star"),
    ]


def test_revising(qtbot, pool, numbers):
    give(pool, numbers[0], "Ada", "screener")
    with at_work(qtbot, pool, "Ben") as ben:
        ben.sees(numbers[0])
        view = ben.room.view
        card = next(each for each in view.cards[1:] if each.look is not None)
        place = card.place
        before = words(card.look.measured)
        # Another range: picture and measurements follow at once.
        card.look.low.setFocus()
        card.look.low.selectAll()
        # Half of it, as the spectrum may begin within the window.
        low = (card.look.low.value + card.look.high.value) // 2
        with qtbot.waitSignal(card.look.redrawn):
            ben.type(f"{low:g}")
            ben.press(Qt.Key.Key_Return)
        assert view.revision.turns[place].range[0] == low
        assert words(card.look.measured) != before
        # Another text: what nothing supports is marked and named.
        card.thought.setFocus()
        ben.press(Qt.Key.Key_End, CTRL)
        ben.type(INVENTED)
        ben.wait(lambda: any(each.text.strip() in INVENTED for each in faults(view, place)))
        marked = [card.thought.toPlainText()[start:end] for start, end in card.thought.spans]
        assert INVENTED.strip() in marked
        assert "[O I] 6300 was in no window" in card.problems.text()
        ben.press("a")  # a letter in a text
        assert log_of(pool)[1:] == []
        card.former_button.click()
        assert "line-through" in card.former.text() or "underline" in card.former.text()
        # What is not saved is kept, and the draft with it.
        ben.wait(lambda: open_pool(pool.place).case(numbers[0]).taken_by == "Ben")
        ben.wait(lambda: "[O I] 6300" in pool.store.work(numbers[0], "Ben"))
        ben.click(card.remove_button)
        ben.wait(lambda: "[O I] 6300" not in view.cards[place].thought.toPlainText())
        case = ben.act("s", CTRL)
        assert case.author == "Ben" and case.stage == "auditor" and not case.taken_by
        ben.sees(numbers[1])  # it waits for screening, which anybody may do
        ben.room.table.choose(numbers[0])
        ben.sees(numbers[0])
        ben.wait(lambda: "two others audit it" in ben.room.acts.state.text())
    now = open_pool(pool.place).case(numbers[0])
    assert now.taken_by == "" and pool.store.work(numbers[0], "Ben") == ""
    assert "Li I" not in now.replies[place] and f"[{low:g}, " in now.replies[place].replace(
        ".0", ""
    )
    assert now.reviews[-1].diff


def words(part):
    return [label.text() for label in part.findChildren(QLabel)]


def faults(view, place):
    return view._check_now.of_turn(place)


def test_order_and_looks(qtbot, pool, numbers):
    give(pool, numbers[0], "Ada", "screener")
    with at_work(qtbot, pool, "Ben") as ben:
        view = ben.room.view
        looks = [turn.range for turn in view.revision.turns if turn.range]
        assert len(looks) > 1
        ben.click(view.cards[0].later_button)
        assert [turn.range for turn in view.revision.turns][:2] == [looks[1], looks[0]]
        ben.click(view.cards[1].delete_button)
        assert len(view.cards) == len(looks)
        ben.click(view.undo_button)
        ben.click(view.undo_button)
        assert [turn.range for turn in view.revision.turns if turn.range] == looks
        assert view.revision.replies == ben.room.draft.saved.replies


def test_others_cannot_revise_what_somebody_has_taken_and_nothing_is_lost(qtbot, pool, numbers):
    for number in numbers:
        give(pool, number, "Ada", "screener")
    with at_work(qtbot, pool, "Ben") as ben:
        ben.sees(numbers[0])
        pool.take(numbers[0], "Cy")  # at another computer
        card = ben.room.view.cards[0]
        card.thought.setFocus()
        ben.type("Well. ")
        ben.wait(lambda: "Cy is revising" in ben.room.problem.text)
        assert "Well." in pool.store.work(numbers[0], "Ben")


def test_work_that_was_not_saved_is_there_again(qtbot, pool, numbers):
    give(pool, numbers[0], "Ada", "screener")
    with at_work(qtbot, pool, "Ben") as ben:
        ben.sees(numbers[0])
        ben.room.view.cards[0].thought.setFocus()
        ben.type("Well. ")  # and at once the window is closed
    with at_work(qtbot, pool, "Ben") as ben:
        ben.sees(numbers[0])
        assert "Well." in ben.room.view.cards[0].thought.toPlainText()
        ben.click(ben.room.acts.back_button)
        ben.wait(lambda: "Well." not in ben.room.view.cards[0].thought.toPlainText())
        assert pool.case(numbers[0]).taken_by == "" and pool.store.work(numbers[0], "Ben") == ""


def test_audits_are_blind_and_return_it_to_its_author(qtbot, pool, numbers):
    number = numbers[0]
    give(pool, number, "Ada", "screener")
    give(pool, number, "Ben", "reviser")
    give(pool, number, "Cy", "auditor", approve=False, changes=True, note="Hβ is not discussed")
    with at_work(qtbot, pool, "Di", number) as di:
        assert not di.room.view.is_editable
        assert "Hβ is not discussed" not in di.room.history.text.text()
        assert "other audit" in di.room.history.text.text()
        di.act("a")
    with at_work(qtbot, pool, "Ben", number) as ben:
        assert "Cy: Hβ is not discussed" in ben.room.acts.state.text()
        ben.room.acts.reason.setFocus()
        ben.type("it is, in turn 2")
        ben.act("s", CTRL)
    case = open_pool(pool.place).case(number)
    assert case.stage == "auditor" and case.rounds == 2
    assert case.reviews[-1].note == "it is, in turn 2"


def test_the_vote(qtbot, pool, numbers):
    number = numbers[0]
    one_vote_each_way(pool, number)
    with at_work(qtbot, pool, "Di", number) as di:
        assert "training set" in di.room.acts.state.text()
        assert di.act("a").stage == "approved"


def test_what_others_do_appears(qtbot, pool, numbers):
    with at_work(qtbot, pool, "Ada") as ada:
        ada.sees(numbers[0])
        give(pool, numbers[0], "Cy", "screener")
        ada.room.access._look_again()  # as every three seconds
        ada.wait(lambda: ada.room.draft.case.stage == "reviser")
        assert ada.room.acts.stage == "reviser" and "Cy kept it" in ada.room.history.text.text()


def test_a_review_that_comes_too_late_is_refused_and_the_room_goes_on(qtbot, pool, numbers):
    with at_work(qtbot, pool, "Ada") as ada:
        ada.sees(numbers[0])
        give(pool, numbers[0], "Cy", "screener")
        ada.press("a")
        ada.wait(lambda: "waits for the reviser" in ada.room.problem.text)
        ada.press("n")
        ada.sees(numbers[1])
        ada.act("a")
    assert len(log_of(pool)) == 2


def test_scores_by_digits_go_with_the_audit_and_the_vote(qtbot, pool, numbers):
    number = numbers[0]
    for by, role in (("Ben", "screener"), ("Ben", "reviser"), ("Cy", "auditor")):
        give(pool, number, by, role)
    with at_work(qtbot, pool, "Di", number) as di:
        assert di.room.acts.scores.isVisible()
        di.press("4")
        assert "Coherence 4" in di.room.acts.scores.meaning.text()
        di.press("5")
        assert di.act("a").reviews[-1].total == 9
        di.wait(lambda: di.room.draft.case.id != number)
        di.room.table.choose(number)
        di.wait(lambda: di.room.acts.stage == "voter")
        assert di.room.acts.scores.scores == {"coherence": None, "consistency": None}
        assert "coherence 4, physical consistency 5" in di.room.history.text.text()
        case = di.act("a")  # without scores is a vote, too
        assert case.reviews[-1].role == "voter" and case.reviews[-1].total is None


def test_a_reason_and_scores_are_for_one_draft_only(qtbot, pool, numbers):
    with at_work(qtbot, pool, "Ada") as ada:
        ada.sees(numbers[0])
        ada.room.acts.reason.setFocus()
        ada.type("too noisy")
        ada.press(Qt.Key.Key_Escape)
        ada.press("n")
        ada.sees(numbers[1])
        assert ada.room.acts.reason.text() == ""


def test_what_is_being_read_stays_in_place_when_somebody_else_answers(qtbot, pool, numbers):
    number = numbers[0]
    give(pool, number, "Ben", "screener")
    give(pool, number, "Ben", "reviser")
    with at_work(qtbot, pool, "Di", number) as di:
        di.drawn()
        bar = di.room.view.area.verticalScrollBar()
        di.wait(lambda: bar.maximum() > 300)
        bar.setValue(300)
        di.room.acts.reason.setText("half a sentence")
        di.press("3")
        before = di.room.draft
        give(pool, number, "Cy", "auditor")
        di.room.access._look_again()
        di.wait(lambda: di.room.draft is not before)
        assert bar.value() == 300
        assert di.room.acts.reason.text() == "half a sentence"
        assert di.room.acts.scores.scores["coherence"] == 3


def test_a_review_that_waits_is_written_before_the_window_closes(qtbot, pool, numbers):
    with at_work(qtbot, pool, "Ada") as ada:
        ada.sees(numbers[0])
        may_go_on = Event()
        ada.room.access.writer.run(may_go_on.wait)  # a slow disk
        ada.press("a")
        Timer(0.05, may_go_on.set).start()
        ada.room.close()
    assert log_of(pool) == [("screener", "Ada", True, False, "")]


def test_a_draft_against_the_truth_is_warned_of(qtbot, pool, numbers):
    with at_work(qtbot, pool, "Ada") as ada:
        ada.sees(numbers[0])
        view, draft = ada.room.view, ada.room.draft
        assert not view.verdict_fault.isVisible()
        wrong = {"YES": "NO", "NO": "YES"}[draft.example.answer]
        other = replace(draft.case, id="of another spectrum")
        view.show_draft(
            replace(draft, case=other, example=replace(draft.example, answer=wrong)),
            is_editable=False,
        )
        assert f"but the truth is {wrong}: discard it" in view.verdict_fault.text()
        assert view.verdict_fault.isVisible()


def test_news_of_the_last_draft_do_not_bring_it_back(qtbot, pool, numbers):
    with at_work(qtbot, pool, "Ada") as ada:
        ada.sees(numbers[0])
        give(pool, numbers[0], "Cy", "screener")
        ada.room.table.choose(numbers[1])  # it is being read
        ada.room._show_cases(list(pool.cases()))
        assert ada.room.access.wanted == numbers[1]
        ada.sees(numbers[1])


def test_the_room_is_no_higher_than_the_screen(qtbot, pool):
    with at_work(qtbot, pool, "Ada") as ada:
        assert ada.room.frameGeometry().height() <= ada.room.screen().availableSize().height()


# The room where somebody does not answer: another audits, or takes the draft over.
def test_a_silent_auditor_is_replaced_by_a_word_of_somebody_else(qtbot, pool, numbers):
    returned(pool, numbers[0])
    give(pool, numbers[0], "Ben", "reviser", note="so it is")
    give(pool, numbers[0], "Cy", "auditor")  # Di has not answered
    with at_work(qtbot, pool, "Ben", numbers[0]) as ben:
        assert not ben.room.acts.replace_button.isVisible()  # an author chooses no auditor
    with at_work(qtbot, pool, "Eve", numbers[0]) as eve:
        acts = eve.room.acts
        assert "audited by Cy, Di" in acts.state.text() and "after 3 days" in acts.state.text()
        eve.click(acts.replace_button)
        eve.wait(acts.reason.hasFocus)  # the log wants to know why
        eve.type("Di is on leave")
        eve.act(Qt.Key.Key_Return)
        eve.wait(lambda: eve.room.draft.case.role_for("Eve") == "auditor")
        eve.wait(lambda: acts.stage == "auditor")
        assert "waits no longer for Di: Di is on leave" in eve.room.history.text.text()
        assert eve.act("a").stage == "voter"
    assert log_of(pool)[-2:] == [
        ("lead", "Eve", False, False, "Di is on leave"),
        ("auditor", "Eve", True, False, ""),
    ]


def test_a_draft_is_taken_over_from_a_silent_author(qtbot, pool, numbers):
    number = numbers[0]
    returned(pool, number)
    with at_work(qtbot, pool, "Ben", number) as ben:  # who begins, and is heard of no more
        ben.room.view.cards[0].thought.setFocus()
        ben.type("Well. ")
    pool.store.add_take(Take(trajectory=number, by="Ben", at="2026-01-01T00:00:00+00:00"))
    with at_work(qtbot, pool, "Eve", number) as eve:
        acts = eve.room.acts
        assert not eve.room.view.is_editable and "take it over" in acts.state.text()
        assert "why?" not in eve.room.history.text.text()
        assert acts.take_over_button.text() == "Take it over from Ben"
        eve.click(acts.take_over_button)
        eve.wait(acts.reason.hasFocus)  # the log wants to know why
        eve.type("Ben is on leave")
        eve.act(Qt.Key.Key_Return)
        eve.wait(lambda: eve.room.view.is_editable)
        eve.wait(lambda: "Di: why?" in acts.state.text())
        assert "Eve took it over from Ben: Ben is on leave" in eve.room.history.text.text()
        eve.room.acts.reason.setFocus()
        eve.type("explained")
        case = eve.act("s", CTRL)
        assert case.author == "Eve" and case.stage == "auditor"
        assert case.role_for("Eve") is None
    assert [each[:2] for each in log_of(pool)[-2:]] == [("successor", "Eve"), ("reviser", "Eve")]


def test_what_was_not_saved_is_no_new_wording_once_somebody_else_has_saved(qtbot, pool, numbers):
    number = numbers[0]
    returned(pool, number)
    with at_work(qtbot, pool, "Ben", number) as ben:
        ben.room.view.cards[0].thought.setFocus()
        ben.type("Well. ")
    pool.give_back(number, "Eve")
    pool.store.add_take(Take(trajectory=number, by="Ben", at="2026-01-01T00:00:00+00:00"))
    pool.take_over("Ben", "Eve", "on leave", number)
    again = pool.case(number).replies
    words = (again[0].replace("<think>", "<think>Now. "), *again[1:])
    give(pool, number, "Eve", "reviser", replies=words)
    for by in ("Cy", "Di"):
        give(pool, number, by, "auditor", approve=False, changes=True, note="still")
    pool.take_over("Eve", "Ben", "back again", number)
    with at_work(qtbot, pool, "Ben", number) as ben:
        view = ben.room.view
        assert view.is_editable and view.cards[0].thought.toPlainText().startswith("Now. ")
        names = [view.versions.itemText(place) for place in range(view.versions.count())]
        assert names[-1] == "what you had not saved"
        view.versions.setCurrentIndex(len(names) - 1)
        ben.click(view.differences)
        assert "Well." in view.cards[0].former.text()


def test_another_audits_where_the_vote_that_decides_is_missing(qtbot, pool, numbers):
    number = numbers[0]
    one_vote_each_way(pool, number)
    with at_work(qtbot, pool, "Eve", number) as eve:
        acts = eve.room.acts
        assert "another then audits it and votes" in acts.state.text()
        assert not acts.take_over_button.isVisible()  # its author has voted
        eve.click(acts.replace_button)
        eve.type("on leave")
        eve.act(Qt.Key.Key_Return)
        eve.wait(lambda: acts.stage == "auditor")
        assert eve.act("a").stage == "voter"
        eve.wait(lambda: eve.room.draft.case.id != number)
        eve.room.table.choose(number)
        eve.wait(lambda: acts.stage == "voter")
        assert eve.act("a").stage == "approved"


# The approved drafts leave the room as the file that `sft` reads.
VOTES = [
    *(("Ben", "screener"), ("Ben", "reviser"), ("Cy", "auditor"), ("Di", "auditor")),
    *(("Ben", "voter"), ("Cy", "voter"), ("Di", "voter")),
]


def test_without_an_approved_draft_it_says_why_not(qtbot, pool):
    with at_work(qtbot, pool, "Ada") as ada:
        line = ada.room.export_line
        ada.wait(lambda: line.counts.text() == "0 of 3 approved · 3 to screen")
        assert not line.button.isEnabled() and "vote of three" in line.button.toolTip()


def test_an_approved_draft_is_exported_for_training(qtbot, pool, tmp_path, monkeypatch):
    number = next(pool.cases()).id
    for by, role in VOTES:
        give(pool, number, by, role)
    out = tmp_path / "with a space" / "approved.jsonl"
    out.parent.mkdir()
    asked = []

    def choose(parent, title, proposed, kinds):
        asked.append(proposed)
        return str(out), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    with at_work(qtbot, pool, "Ada") as ada:
        line, result = ada.room.export_line, ada.room.result
        ada.wait(line.button.isEnabled)
        assert line.counts.text() == "1 of 3 approved"
        ada.click(line.button)
        ada.wait(result.isVisible)
        command = result.text.splitlines()[1]
        assert command.startswith(f"spec-o3-train sft '{out}' --sets {pool.store.sets[0]}")
        assert line.button.isEnabled() and line.button.text() == "Export…"
    assert asked == [str(pool.place / "approved.jsonl")]
    assert [one.replies for one in read_trajectories(out)] == [pool.case(number).replies]


def test_a_full_disk_is_told(qtbot, pool, tmp_path, monkeypatch):
    for by, role in VOTES:
        give(pool, next(pool.cases()).id, by, role)
    nowhere = tmp_path / "not there" / "approved.jsonl"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(nowhere), ""))
    with at_work(qtbot, pool, "Ada") as ada:
        ada.wait(ada.room.export_line.button.isEnabled)
        ada.click(ada.room.export_line.button)
        ada.wait(ada.room.problem.isVisible)
        assert "could not be written" in ada.room.problem.text
        assert not ada.room.result.isVisible() and ada.room.export_line.button.isEnabled()
