"""The content of the dock of similar spectra, made when it is first seen; and "more like this"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.core.queue import Sort
from app.ui.judge.comparison.compared_spectra import ComparedSpectra
from app.ui.judge.similar.similar_feed import SimilarFeed
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import column, one_line

if TYPE_CHECKING:
    from app.ui.judge.similar.similar_panel import SimilarPanel

BEGIN_MS = 300  # so that the window is on screen first


class SimilarPlace(QWidget):
    """Reads no spectra until the strip or the order by likeness is wanted.

    Call `stop` before the session is closed.
    """

    def __init__(self, context: SessionContext, comparison: ComparedSpectra) -> None:
        super().__init__()
        self._context, self._comparison = context, comparison
        self._current = context.current
        self.feed = SimilarFeed(context, self)
        self.panel: SimilarPanel | None = None
        self._is_stopped = False
        self._inside = column(parent=self)
        self._making = QTimer(self, singleShot=True, interval=0)
        self._making.timeout.connect(self._make)
        self._beginning = QTimer(self, singleShot=True, interval=BEGIN_MS)
        self._beginning.timeout.connect(self.feed.begin)
        self.feed.ended.connect(self._order_anew)
        self._current.queue_changed.connect(self._queue_changed)
        context.commands.add("more_like_this", self.more_like_this)

    def more_like_this(self) -> None:
        candidate = self._current.candidate
        if candidate is None:
            self._current.message.emit(self.tr("No object selected"))
            return
        if self._current.set_queue(self._current.queue.tree, Sort("like", like=candidate.id)):
            text = self.tr("The queue shows the spectra most like {name} first")
            name = one_line(candidate.object_id or f"#{candidate.id}")
            self._current.message.emit(text.replace("{name}", name))

    def note_visibility(self, is_on_top: bool) -> None:
        """The dock has come to the front of its tabs, or gone."""
        if is_on_top and not self._is_stopped:
            self._beginning.start()
            if self.panel is None:
                self._making.start()

    def stop(self) -> None:
        self._is_stopped = True
        self._making.stop()
        self._beginning.stop()
        self.feed.stop()

    def _make(self) -> None:
        from app.ui.judge.similar.similar_panel import SimilarPanel

        if self.panel is None and not self._is_stopped:
            self.panel = SimilarPanel(self._context, self._comparison, self.feed, self)
            self._inside.addWidget(self.panel)

    def _queue_changed(self, queue: Queue) -> None:
        if queue.sort.key == "like" and not self._is_stopped:
            self._beginning.start()

    def _order_anew(self) -> None:
        """All spectra are known now: the order by likeness is made anew."""
        queue = self._current.queue
        if queue.sort.key == "like":
            self._current.set_queue(queue.tree, queue.sort)
