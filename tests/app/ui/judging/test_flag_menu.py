"""The flag menu: a letter each, and no other letter does anything."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.ui.judging.flag_menu import FLAGS, FlagMenu


def test_every_flag_has_a_letter_of_its_own():
    letters = [letter for letter, _ in FLAGS.values()]
    assert len(set(letters)) == len(letters)
    assert "O" not in letters


def test_a_letter_without_a_meaning_flags_nothing(qtbot, context):
    menu = FlagMenu()
    qtbot.addWidget(menu)
    menu.show_flags(())
    chosen = []
    menu.chosen.connect(chosen.append)
    qtbot.keyClick(menu, Qt.Key.Key_Q)
    assert chosen == []
