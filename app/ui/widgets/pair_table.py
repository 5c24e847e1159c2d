"""A table of names and values that looks like two columns of text on a card."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

ROW_MARGIN_PX = 3


def show_as_pairs(view: QTableView, name: str) -> None:
    """Without frame, grid and headers; whole rows are selected, and the value takes the rest.

    `name` is read out by a screen reader. The caller sets the width of the names.
    """
    view.setAccessibleName(name)
    view.setFrameShape(QTableView.Shape.NoFrame)
    view.setProperty("role", "plain")
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.horizontalHeader().hide()
    view.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
    view.horizontalHeader().setStretchLastSection(True)
    view.verticalHeader().hide()
    view.verticalHeader().setMinimumSectionSize(8)
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)


def show_rows(view: QTableView, name: str) -> None:
    """Whole rows to read and to click, without grid and row numbers."""
    view.setAccessibleName(name)
    view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.verticalHeader().hide()
    header = view.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setHighlightSections(False)


def fit_rows(view: QTableView) -> int:
    """Make rows as high as the text; returns their height in pixels."""
    height = view.fontMetrics().height() + ROW_MARGIN_PX
    view.verticalHeader().setDefaultSectionSize(height)
    return height
