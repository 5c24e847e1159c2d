"""Every key of the default map runs its action."""

from app.ui.base.actions.actions import ACTIONS
from tests.app.ui.base.keys.conftest import ALT, CTRL, KEYPAD, NONE, SHIFT, Key, press

KEYS = [
    (Key.Key_A, NONE, "accept"), (Key.Key_A, SHIFT, "accept_stay"), (Key.Key_X, NONE, "reject"),
    (Key.Key_X, SHIFT, "reject_stay"), (Key.Key_U, NONE, "unsure"),
    (Key.Key_U, SHIFT, "unsure_stay"), (Key.Key_4, NONE, "confidence_4"),
    (Key.Key_0, NONE, "confidence_0"), (Key.Key_2, KEYPAD, "confidence_2"),
    (Key.Key_Return, NONE, "take_proposal"), (Key.Key_Enter, KEYPAD, "take_proposal"),
    (Key.Key_Z, CTRL, "undo"), (Key.Key_Backspace, NONE, "undo"),
    (Key.Key_Z, CTRL | SHIFT, "redo"), (Key.Key_Y, CTRL, "redo"),
    (Key.Key_Semicolon, NONE, "subclass"), (Key.Key_Colon, SHIFT, "subclass_previous"),
    (Key.Key_X, CTRL | SHIFT, "reject_rest"),
    (Key.Key_N, NONE, "next"), (Key.Key_Right, NONE, "next"), (Key.Key_B, NONE, "previous"),
    (Key.Key_Left, NONE, "previous"), (Key.Key_M, CTRL, "more_like_this"),
    (Key.Key_Slash, NONE, "find"), (Key.Key_Q, NONE, "queue"), (Key.Key_I, NONE, "measure"),
    (Key.Key_F, CTRL, "filter"), (Key.Key_Period, NONE, "next_window"),
    (Key.Key_Comma, NONE, "previous_window"), (Key.Key_F2, NONE, "window_1"),
    (Key.Key_W, NONE, "whole"), (Key.Key_R, NONE, "reset"), (Key.Key_Y, NONE, "autoscale"),
    (Key.Key_Plus, SHIFT, "zoom_in"), (Key.Key_Equal, NONE, "zoom_in"),
    (Key.Key_Plus, KEYPAD, "zoom_in"), (Key.Key_Minus, NONE, "zoom_out"),
    (Key.Key_BracketLeft, NONE, "pan_left"), (Key.Key_BracketRight, NONE, "pan_right"),
    (Key.Key_Z, NONE, "peek"), (Key.Key_L, NONE, "lines"), (Key.Key_L, SHIFT, "labels"),
    (Key.Key_S, NONE, "smooth_more"), (Key.Key_D, NONE, "smooth_less"),
    (Key.Key_S, SHIFT, "smooth_off"), (Key.Key_E, NONE, "errors"), (Key.Key_M, NONE, "mask"),
    (Key.Key_T, NONE, "template"), (Key.Key_F, NONE, "rest_axis"),
    (Key.Key_Right, SHIFT, "rv_up"), (Key.Key_Left, SHIFT, "rv_down"),
    (Key.Key_Right, SHIFT | ALT, "rv_up_fine"), (Key.Key_Left, SHIFT | ALT, "rv_down_fine"),
    (Key.Key_C, NONE, "comment"), (Key.Key_G, NONE, "flags"),
    (Key.Key_C, SHIFT, "comment_previous"), (Key.Key_G, SHIFT, "flags_previous"),
    (Key.Key_Asterisk, SHIFT, "star"), (Key.Key_Asterisk, KEYPAD, "star"),
    (Key.Key_V, NONE, "run_agent"), (Key.Key_P, NONE, "pause_agent"),
    (Key.Key_Space, NONE, "step"), (Key.Key_V, SHIFT, "reveal"), (Key.Key_R, CTRL, "run_queue"),
    (Key.Key_0, ALT, "rate_0"), (Key.Key_5, ALT, "rate_5"), (Key.Key_Escape, NONE, "escape"),
    (Key.Key_Question, SHIFT, "keys"), (Key.Key_F1, NONE, "help"), (Key.Key_K, CTRL, "palette"),
    (Key.Key_F11, NONE, "full_screen"), (Key.Key_H, NONE, "panels"),
    (Key.Key_D, CTRL, "show_evidence"), (Key.Key_Comma, CTRL, "settings"),
    (Key.Key_1, CTRL, "judging_page"),
]  # fmt: skip


def test_every_key_of_the_table(window):
    for key, modifiers, action in KEYS:
        window.ran.clear()
        press(window, key, modifiers)
        assert window.ran == [action]


def test_the_table_above_is_the_whole_default_map():
    tested = {action for *_, action in KEYS}
    by_number = {f"window_{number}" for number in range(2, 10)}
    by_number |= {f"confidence_{number}" for number in (1, 3)}
    by_number |= {f"rate_{number}" for number in range(1, 5)}
    files = {name for name, each in ACTIONS.items() if each.group == "Files and pages"}
    keyed = {name for name, each in ACTIONS.items() if each.keys}
    assert keyed - tested - by_number - files == set()
