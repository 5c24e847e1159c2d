"""Keys as other programs have them: what of theirs has an equal here, and what had to move.

The tables name only what differs from actions.py. A key that a table gives away is gone from the
action that had it, so every table gives that action another one.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from app.ui.actions.actions import ACTIONS

Table = Mapping[str, tuple[str, ...]]

_CONFIDENCE_WITH_ALT: Table = {f"confidence_{number}": (f"Alt+{number}",) for number in range(1, 5)}

MARZ: Table = {
    # A digit of MARZ saves how good a redshift is and goes on. 4 and 3 are answers, so they accept;
    # 2 and 1 are none, so they are unsure; 6, a star among galaxies, rejects. 0 clears: it only
    # takes the confidence away here, and a verdict is taken back by undo.
    "accept_4": ("4",),
    "accept_3": ("3",),
    "unsure_2": ("2",),
    "unsure_1": ("1",),
    "reject": ("X", "6"),
    **_CONFIDENCE_WITH_ALT,
    # The arrows move the redshift there.
    "next": ("N",),
    "previous": ("B",),
    "rv_up": ("Right", "Shift+Right"),
    "rv_down": ("Left", "Shift+Left"),
}

SPECVIZITOR: Table = {
    # Numbered boxes are ticked there, and an arrow goes on.
    "accept_stay": ("1", "Shift+A"),
    "reject_stay": ("2", "Shift+X"),
    "unsure_stay": ("3", "Shift+U"),
    **_CONFIDENCE_WITH_ALT,
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
}

LINETOOLS: Table = {
    # W, Y, [ and ] are the same already; limits at the cursor have no equal here.
    "zoom_in": ("I", "+", "=", "Up"),
    "zoom_out": ("O", "-", "Down"),
}

CANDYJAR: Table = {
    # The left hand moves, the right hand judges. Tier 1 accepts, tier 2 is unsure, and both of its
    # labels for what is nothing (interference, noise) reject.
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
}

PROFILES: Mapping[str, Table] = {
    "default": {},
    "marz": MARZ,
    "specvizitor": SPECVIZITOR,
    "linetools": LINETOOLS,
    "candyjar": CANDYJAR,
}


def name_of(profile: str) -> str:
    """As its program writes itself."""
    names = {"marz": "MARZ", "candyjar": "CandyJar"}
    default = QCoreApplication.translate("keys", "Workbench")
    return default if profile == "default" else names.get(profile, profile)


def keys_of_profile(profile: str) -> dict[str, tuple[str, ...]]:
    """Of every action."""
    return arranged({name: action.keys for name, action in ACTIONS.items()}, PROFILES[profile])


def arranged(keys: Table, changes: Table) -> dict[str, tuple[str, ...]]:
    """Both together: a key that a change gives to one action is gone from all others. Of two
    changes that want the same key the first has it."""
    taken: dict[str, str] = {}
    for name, wanted in changes.items():
        for key in wanted if name in keys else ():
            taken.setdefault(key, name)
    return {
        name: tuple(key for key in changes.get(name, own) if taken.get(key, name) == name)
        for name, own in keys.items()
    }
