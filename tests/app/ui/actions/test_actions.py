"""The table of actions."""

from __future__ import annotations

from app.ui.actions.actions import ACTIONS, COMMITTING, GROUPS


def test_every_group_is_used_and_known():
    assert {action.group for action in ACTIONS.values()} == set(GROUPS)


def test_a_verdict_never_repeats_while_its_key_is_held():
    assert not [name for name in COMMITTING if ACTIONS[name].repeats]


def test_default_keys_are_unique():
    keys = [key for action in ACTIONS.values() for key in action.keys]
    assert len(keys) == len(set(keys))


def test_titles_are_unique_except_for_numbered_windows():
    titles = [action.title for name, action in ACTIONS.items() if not name.startswith("window_")]
    assert len(titles) == len(set(titles))
