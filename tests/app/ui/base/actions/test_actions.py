"""The table of actions, and key profiles: complete and free of conflicts."""

import pytest

from app.ui.base.actions.actions import ACTIONS, COMMITTING, GROUPS
from app.ui.base.actions.key_names import normalized
from app.ui.base.actions.key_profiles import PROFILES, merge_keys, profile_keys


def test_groups_are_known_titles_unique_and_no_verdict_repeats():
    assert {action.group for action in ACTIONS.values()} == set(GROUPS)
    assert not [name for name in COMMITTING if ACTIONS[name].repeats]
    titles = [action.title for name, action in ACTIONS.items() if not name.startswith("window_")]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_is_whole(profile):
    keys = profile_keys(profile)
    all_keys = [key for each in keys.values() for key in each]
    assert len(all_keys) == len(set(all_keys))
    assert [key for key in all_keys if normalized(key) != key] == []
    assert [name for name, each in ACTIONS.items() if each.keys and not keys[name]] == []
    assert set(PROFILES[profile]) <= set(ACTIONS)


def test_of_two_faulty_changes_the_first_has_the_key():
    keys = merge_keys(profile_keys("default"), {"lines": ("Q",), "mask": ("Q", "M")})
    assert (keys["lines"], keys["mask"]) == (("Q",), ("M",))
    assert merge_keys({"lines": ("L",)}, {"gone": ("L",)}) == {"lines": ("L",)}
