"""The list of disputes with the marks of those who judged them."""

from __future__ import annotations


def test_the_list_tells_whose_marks_stand_in_it(page):
    assert page.who.text() == "Ada, Li Wei"
    assert page.list.item(0).toolTip() == "Ada ✓, Li Wei ✕"
