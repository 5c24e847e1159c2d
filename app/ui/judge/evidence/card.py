"""A card about one source: its state, its values and where they come from."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from app.core.evidence.store import StoredAnswer
from app.core.session.records import Candidate
from app.services.catalogues.answer import Match, State
from app.services.catalogues.service import Service
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import service_text
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.evidence.value_table import (
    ValueRow,
    ValueTable,
    filter_text,
    page_address,
    value_rows,
)
from app.ui.widgets import labels
from app.ui.widgets.page_parts import FoldingCard

MARKS = {
    State.NOT_ASKED: "○", State.ASKING: "…", State.FOUND: "●", State.NOTHING: "∅",
    State.FAILED: "⚠",
}  # fmt: skip
"""Beside the word, so that a state is not told by colour alone."""


class SourceCard(FoldingCard):
    again_requested = Signal(str)  # the id of the service
    filter_requested = Signal(str)  # a filter to add to that of the queue
    message = Signal(str)

    def __init__(self, service: Service, current_theme: CurrentTheme, parent: QWidget) -> None:
        title = f"{service_text(service.name)} {service.release}".strip()
        super().__init__(title, parent)
        labels.narrow(self.heading).setWordWrap(True)
        self.head.setStretch(0, 1)
        self.service = service
        self.candidate: Candidate | None = None
        self._match = 0  # which of the matches is shown
        self.text = labels.narrow(labels.wrapped_label("", "dim"))
        again = partial(self.again_requested.emit, service.id)
        self.again = labels.button(self.tr("Try again"), "quiet", again)
        self.reveal = labels.button(self.tr("Reveal"))
        self.table = ValueTable(current_theme, title, self)
        self.before = labels.button("‹", call=partial(self._step, -1))
        self.after = labels.button("›", call=partial(self._step, 1))
        self.before.setAccessibleName(self.tr("Nearer match"))
        self.after.setAccessibleName(self.tr("Farther match"))
        self.match = labels.short_label("", "dim")
        self.asked = labels.short_label("", "small")
        self.page = labels.button(self.tr("Archive page"), call=self._open_page)
        self.inside.setSpacing(4)
        self.inside.addWidget(self.text)
        self.inside.addLayout(labels.row(self.again, self.reveal, 1))
        self.inside.addLayout(labels.row(self.match, 1, self.before, self.after, spacing=4))
        self.inside.addWidget(self.table)
        self.inside.addLayout(labels.row((self.asked, 1), self.page, spacing=4))
        self.may_filter: Callable[[str], bool] = lambda text: False
        """Whether the queue understands a filter."""
        self.menu = QMenu(self)
        self.table.copy_requested.connect(lambda value: self._copy(value.plain))
        self.table.menu_requested.connect(self._open_menu)

    def show_answer(
        self,
        candidate: Candidate | None,
        stored: StoredAnswer | None,
        state: State,
        *,
        is_hidden: bool,
        why_not: str = "",
    ) -> None:
        """Show what is known of a candidate; `why_not` says why it is not asked about."""
        if candidate is None or self.candidate is None or candidate.id != self.candidate.id:
            self._match = 0
        self.candidate, self.stored, self.state = candidate, stored, state
        # Whether blind mode hides the answer.
        self.is_hidden = is_hidden and state in (State.FOUND, State.NOTHING)
        self.note.setText(f"{MARKS[state]} {self._state_word()}")
        self.note.setToolTip(self._state_sentence(why_not))
        sentence = "" if state is State.FOUND and not self.is_hidden else self.note.toolTip()
        labels.show_or_hide(self.text, labels.cut(sentence, labels.MAX_REASON))
        role = "warning" if state is State.FAILED else "dim"
        if self.text.property("role") != role:
            self.text.setProperty("role", role)
            self.text.style().polish(self.text)
        self.again.setVisible(state is State.FAILED)
        self.reveal.setVisible(self.is_hidden)
        self.asked.setText("" if stored is None else stored.asked_at[:16].replace("T", " "))
        self.asked.setToolTip("" if stored is None else self._source_text(stored))
        self.page.setEnabled(bool(self._page_url()))
        self.page.setToolTip(self._page_url())
        self.show_match()

    @property
    def matches(self) -> tuple[Match, ...]:
        if self.is_hidden or self.stored is None or self.state is not State.FOUND:
            return ()
        return self.stored.answer.matches

    @property
    def shown_match(self) -> Match | None:
        return self.matches[self._match] if self._match < len(self.matches) else None

    def show_match(self) -> None:
        """Show the chosen match; called anew whenever anything has changed."""
        match, count = self.shown_match, len(self.matches)
        has_table = match is not None and bool(self.service.columns)
        self.table.setVisible(has_table)
        self.match.setVisible(has_table and self.service.kind != "dust")  # a map has no distance
        for each in (self.before, self.after):
            each.setVisible(has_table and count > 1)
        self.before.setEnabled(self._match > 0)
        self.after.setEnabled(self._match + 1 < count)
        if match is None:
            self.table.show_rows([])
            return
        apart = f'{match.separation_arcsec:.2f}"'
        if count == 1:
            text = self.tr("{apart} away")
        elif self._match == 0:
            text = self.tr("{apart} away, nearest of {count}")
        else:
            text = self.tr("{apart} away, {number} of {count}")
        text = text.replace("{apart}", apart).replace("{count}", str(count))
        self.match.setText(text.replace("{number}", str(self._match + 1)))
        self.table.show_rows(value_rows(self.service, match))

    def _state_word(self) -> str:
        if self.is_hidden:
            return self.tr("hidden")
        return {
            State.NOT_ASKED: self.tr("not asked"),
            State.ASKING: self.tr("asking"),
            State.FOUND: self.tr("found"),
            State.NOTHING: self.tr("nothing there"),
            State.FAILED: self.tr("failed"),
        }[self.state]

    def _state_sentence(self, why_not: str) -> str:
        if self.is_hidden:
            return self.tr("Blind mode: hidden until your verdict, as it may give the class away")
        match self.state:
            case State.FAILED:
                reason = "" if self.stored is None else self.stored.answer.reason
                text = self.tr("No answer, so nobody knows whether something is there: {reason}")
                return text.replace("{reason}", translate_message(reason))
            case State.NOTHING:
                text = self.tr("It answered: nothing within {radius} arcsec")
                return text.replace("{radius}", f"{self.service.radius_arcsec:g}")
            case State.ASKING:
                return self.tr("Asked, or waiting for its turn")
            case State.NOT_ASKED:
                return why_not
        return self._state_word()

    def _source_text(self, stored: StoredAnswer) -> str:
        lines = [self.tr("Asked {when} UTC").replace("{when}", stored.asked_at), stored.url]
        if stored.sha256:
            lines.append(f"SHA-256 {stored.sha256}")
        return labels.cut("\n".join(each for each in lines if each))

    def _page_url(self) -> str:
        candidate, match = self.candidate, self.shown_match
        if candidate is None or candidate.ra is None or candidate.dec is None:
            return ""
        values = {} if match is None else match.values
        return page_address(self.service, candidate.ra, candidate.dec, values)

    def _open_page(self) -> None:
        url = self._page_url()
        if not QDesktopServices.openUrl(QUrl(url, QUrl.ParsingMode.StrictMode)):
            text = self.tr("No web browser could be opened. The address is {url}")
            self.message.emit(text.replace("{url}", url))

    def _step(self, by: int) -> None:
        self._match = max(0, min(self._match + by, len(self.matches) - 1))
        self.show_match()

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.message.emit(self.tr("Copied"))

    def _open_menu(self, value: ValueRow, at: QPoint) -> None:
        self.menu.clear()
        if value.plain:
            labels.add_action(self.menu, self.tr("Copy value"), partial(self._copy, value.plain))
        candidate = self.candidate
        if candidate is not None and candidate.ra is not None and candidate.dec is not None:
            degrees = f"{candidate.ra:.6f} {candidate.dec:+.6f}"
            labels.add_action(self.menu, self.tr("Copy position"), partial(self._copy, degrees))
        if value.plain and value.key:
            self.menu.addSeparator()
            texts = {">=": self.tr("Filter: at least this"), "<=": self.tr("Filter: at most this")}
            if value.is_text:
                texts = {"=": self.tr("Filter by this value")}
            for operator, text in texts.items():
                if self.may_filter(wanted := filter_text(value, operator)):
                    labels.add_action(self.menu, text, partial(self.filter_requested.emit, wanted))
        self.menu.popup(at)
