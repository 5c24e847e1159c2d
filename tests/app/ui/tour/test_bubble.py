"""The bubble: its text, buttons and progress."""

from __future__ import annotations

from tests.app.ui.tour.tour_user import click, title, tour


def test_buttons_do_the_same(person):
    bubble = tour(person).bubble
    assert not bubble.back.isVisible()
    click(person, bubble.next)
    click(person, bubble.next)
    assert title(person) == "Your verdict"
    click(person, bubble.back)
    assert title(person) == "The spectrum"
    click(person, bubble.end)
    assert title(person) == ""
