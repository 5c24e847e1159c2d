"""Key profiles that follow other programs.

Each table lists only the differences from actions.py. Assigning a key removes it from the action
that had it, so each table gives that action another key.
"""

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from app.ui.base.actions.actions import ACTIONS

Table = Mapping[str, tuple[str, ...]]

_CONFIDENCE_WITH_ALT: Table = {f"confidence_{number}": (f"Alt+{number}",) for number in range(1, 5)}
_RATING_WITH_CTRL: Table = {f"rate_{score}": (f"Ctrl+Alt+{score}",) for score in range(6)}

MARZ: Table = {
    # In MARZ a digit saves the redshift quality and moves on. 4 and 3 mean a secure redshift, so
    # they accept; 2 and 1 mean none, so they are unsure; 6 (a star in a galaxy survey) rejects.
    # 0 clears the quality in MARZ; here it only clears the confidence, undo takes back a verdict.
    "accept_4": ("4",),
    "accept_3": ("3",),
    "unsure_2": ("2",),
    "unsure_1": ("1",),
    "reject": ("X", "6"),
    **_CONFIDENCE_WITH_ALT,
    **_RATING_WITH_CTRL,
    # In MARZ the arrow keys change the redshift.
    "next": ("N",),
    "previous": ("B",),
    "rv_up": ("Right", "Shift+Right"),
    "rv_down": ("Left", "Shift+Left"),
}

SPECVIZITOR: Table = {
    # specvizitor ticks numbered check boxes and moves on with an arrow key.
    "accept_stay": ("1", "Shift+A"),
    "reject_stay": ("2", "Shift+X"),
    "unsure_stay": ("3", "Shift+U"),
    **_CONFIDENCE_WITH_ALT,
    **_RATING_WITH_CTRL,
    "confidence_4": ("4", "Alt+4"),
    "rv_down": ("Q", "Shift+Left"),
    "rv_up": ("W", "Shift+Right"),
    "rv_down_fine": ("Shift+Q", "Alt+Shift+Left"),
    "rv_up_fine": ("Shift+W", "Alt+Shift+Right"),
    "whole": ("O",),
    "star": ("S", "*"),
    "smooth_more": ("K",),
    "smooth_less": ("J",),
    "smooth_off": ("Shift+K",),
    "comment": ("E", "C"),
    "errors": ("Shift+E",),
    "full_screen": ("F", "F11"),
    "rest_axis": ("Shift+F",),
    "queue": ("Ctrl+L",),
}

LINETOOLS: Table = {
    # W, Y, [ and ] already match; setting limits at the cursor has no equivalent here.
    "zoom_in": ("I", "+", "=", "Up"),
    "zoom_out": ("O", "-", "Down"),
    "measure": ("Ctrl+I",),
}

CANDYJAR: Table = {
    # The left hand navigates and the right hand judges. Tier 1 accepts, tier 2 is unsure, and both
    # labels for non-detections (interference, noise) reject.
    "previous": ("A", "B", "Left"),
    "next": ("D", "N", "Right"),
    "accept": ("I",),
    "accept_stay": ("Shift+I",),
    "unsure": ("O",),
    "unsure_stay": ("Shift+O",),
    "reject": ("Y", "U", "X"),
    "reject_stay": ("Shift+Y", "Shift+U", "Shift+X"),
    "smooth_less": ("Shift+D",),
    "autoscale": ("J",),
    "measure": ("Ctrl+I",),
}

PROFILES: Mapping[str, Table] = {
    "default": {},
    "marz": MARZ,
    "specvizitor": SPECVIZITOR,
    "linetools": LINETOOLS,
    "candyjar": CANDYJAR,
}


def profile_name(profile: str) -> str:
    names = {"marz": "MARZ", "candyjar": "CandyJar"}
    default = QCoreApplication.translate("keys", "Workbench")
    return default if profile == "default" else names.get(profile, profile)


def profile_keys(profile: str) -> dict[str, tuple[str, ...]]:
    return merge_keys({name: action.keys for name, action in ACTIONS.items()}, PROFILES[profile])


def merge_keys(keys: Table, changes: Table) -> dict[str, tuple[str, ...]]:
    """Apply `changes` to `keys`.

    A key assigned by a change is removed from all other actions; if two changes assign the same
    key, the first one gets it.
    """
    owner: dict[str, str] = {}
    for name, new_keys in changes.items():
        for key in new_keys if name in keys else ():
            owner.setdefault(key, name)
    return {
        name: tuple(key for key in changes.get(name, own) if owner.get(key, name) == name)
        for name, own in keys.items()
    }
