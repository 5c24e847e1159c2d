"""What the dialogs for sharing a list have in common: names in a line, and how they look."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from PySide6.QtWidgets import QDialog, QFormLayout, QLayout, QLineEdit, QWidget

from agent.errors import WorkbenchError
from app.ui.base.background.runner import Done, Failed, Work
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import bring_forward, column, row
from app.ui.widgets.number_box import NumberBox
from app.ui.widgets.page_parts import PageScrollArea, ProblemLine
from app.ui.widgets.text_width import DialogSize


def names_in(text: str) -> tuple[str, ...]:
    """The names between commas, Chinese ones too, with single spaces within."""
    names = text.replace("，", ",").replace("、", ",").split(",")
    return tuple(" ".join(name.split()) for name in names if name.strip())


def form_of(*fields: tuple[str, QWidget]) -> QFormLayout:
    """A form of named fields, whose names are read aloud, too."""
    form = QFormLayout(horizontalSpacing=12, verticalSpacing=8)
    for name, field in fields:
        field.setAccessibleName(name)
        if isinstance(field, NumberBox):
            field.setMaximumWidth(field.sizeHint().width())
        form.addRow(name, field)
    return form


class SharingDialog(QDialog):
    """Not modal: parts that scroll, the problem and what else is said, and buttons."""

    def __init__(self, context: SessionContext, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._runner, self._session = context.runner, context.bridge.session
        self.is_busy = False
        self.problem = ProblemLine(self)

    @property
    def may_write(self) -> bool:
        return not self.is_busy and not self._session.is_read_only

    def open_again(self) -> None:
        bring_forward(self)

    def _run(self, work: Work, done: Done, failed: Failed | None = None) -> None:
        """Do it in the background; the dialog is busy until it has ended."""
        self.is_busy = True
        self.problem.clear()
        self._check()
        missed = partial(self._end, failed or self._fail)
        self._runner.run(work, partial(self._end, done), missed, owner=self)

    def _end(self, tell: Done, outcome: Any) -> None:
        self.is_busy = False
        tell(outcome)

    def _lay_out(
        self,
        parts: Iterable[QWidget | QLayout],
        said: Iterable[QWidget],
        buttons: Iterable[QWidget],
        size: tuple[int, int],
    ) -> None:
        inner = QWidget()
        column(*parts, 1, parent=inner)
        below: tuple[QWidget | QLayout, ...] = (self.problem, *said, row(1, *buttons))
        column((PageScrollArea(inner), 1), *below, spacing=12, margins=16, parent=self)
        DialogSize(self, *size)

    def _line(self, longest: int, example: str) -> QLineEdit:
        return QLineEdit(self, maxLength=longest, placeholderText=example)

    def _check(self) -> None:
        """Offer what the fields allow."""
        raise NotImplementedError

    def _fail(self, error: WorkbenchError) -> None:
        self._check()
        self.problem.show_error(error)
