"""Invalid values in a settings file fall back to their defaults, one by one."""

from __future__ import annotations

import pytest

from app.ui.settings.settings import Settings
from tests.app.ui.settings.helpers import reopened, store_with


@pytest.mark.parametrize(
    "line",
    [
        'theme = "pink"',
        "theme = ['dark']",
        "font_pt = 900",
        "font_pt = true",
        "font_pt = 12.5",
        "workers = -1",
        "neighbour_arcsec = nan",
        "neighbour_arcsec = inf",
        'profile = "emacs"',
        "blind = 1",
        'reviewer = "a\\nb"',
        f'reviewer = "{"x" * 81}"',
        "comments = 'one'",
        f"recent = {['x'] * 13}",
        "keys = {accept = 'A'}",
        "keys = {accept = ['Nonsense+A']}",
        "keys = {accept = [1]}",
        "view = {lines = {a = 1}}",
        'layout = "%%"',
    ],
)
def test_one_faulty_value_costs_only_itself(path, line):
    store = store_with(path, f'model = "mine"\n{line}\n')
    assert store.settings == Settings(model="mine")
    assert line.split()[0] in store.fault


def test_actions_of_another_version_are_left_out(path):
    store = store_with(path, "[keys]\nfly = ['Q']\naccept = ['J']\n")
    assert (dict(store.settings.keys), store.fault) == ({"accept": ("J",)}, "")


def test_nothing_is_written_that_would_be_a_fault(path):
    again = reopened(path, recent=("/a\nb.speco3",), theme="dark")
    assert (again.fault, again.settings.theme) == ("", "dark")
