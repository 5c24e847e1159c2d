"""Every action of the window: its name, what it does in words, and its keys.

Keys are written as people read them: `A`, `Shift+A`, `Ctrl+Z`, `Right`, `?`. A letter alone is the
letter without Shift. More keys than one may do the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

CONTEXT = "actions"
"""Of the translations."""


@dataclass(frozen=True)
class Action:
    name: str
    group: str
    text: str
    keys: tuple[str, ...] = ()
    repeats: bool = False
    """Whether a held key does it again and again. Never a verdict."""

    @property
    def words(self) -> str:
        """In the language of the window."""
        return QCoreApplication.translate(CONTEXT, self.text)


def _action(
    name: str, group: object, text: object, *keys: str, repeats: bool = False
) -> tuple[str, Action]:
    return name, Action(name, str(group), str(text), keys, repeats)


JUDGING = QT_TRANSLATE_NOOP("actions", "Judging")
MOVING = QT_TRANSLATE_NOOP("actions", "Moving through the list")
LOOKING = QT_TRANSLATE_NOOP("actions", "Looking")
MARKING = QT_TRANSLATE_NOOP("actions", "On the spectrum")
WORDS = QT_TRANSLATE_NOOP("actions", "Words and flags")
AGENT = QT_TRANSLATE_NOOP("actions", "The agent")
WINDOW = QT_TRANSLATE_NOOP("actions", "The window")
FILES = QT_TRANSLATE_NOOP("actions", "Files and pages")
GROUPS = tuple(map(str, (JUDGING, MOVING, LOOKING, MARKING, WORDS, AGENT, WINDOW, FILES)))

ACTIONS: dict[str, Action] = dict(
    (
        _action("accept", JUDGING, QT_TRANSLATE_NOOP("actions", "Accept, go on"), "A"),
        _action("reject", JUDGING, QT_TRANSLATE_NOOP("actions", "Reject, go on"), "X"),
        _action("unsure", JUDGING, QT_TRANSLATE_NOOP("actions", "Unsure, go on"), "U"),
        _action("accept_stay", JUDGING, QT_TRANSLATE_NOOP("actions", "Accept, stay"), "Shift+A"),
        _action("reject_stay", JUDGING, QT_TRANSLATE_NOOP("actions", "Reject, stay"), "Shift+X"),
        _action("unsure_stay", JUDGING, QT_TRANSLATE_NOOP("actions", "Unsure, stay"), "Shift+U"),
        _action(
            "accept_4", JUDGING, QT_TRANSLATE_NOOP("actions", "Accept with confidence 4, go on")
        ),
        _action(
            "accept_3", JUDGING, QT_TRANSLATE_NOOP("actions", "Accept with confidence 3, go on")
        ),
        _action(
            "unsure_2", JUDGING, QT_TRANSLATE_NOOP("actions", "Unsure with confidence 2, go on")
        ),
        _action(
            "unsure_1", JUDGING, QT_TRANSLATE_NOOP("actions", "Unsure with confidence 1, go on")
        ),
        _action("confidence_4", JUDGING, QT_TRANSLATE_NOOP("actions", "Confidence 4, sure"), "4"),
        _action("confidence_3", JUDGING, QT_TRANSLATE_NOOP("actions", "Confidence 3"), "3"),
        _action("confidence_2", JUDGING, QT_TRANSLATE_NOOP("actions", "Confidence 2"), "2"),
        _action("confidence_1", JUDGING, QT_TRANSLATE_NOOP("actions", "Confidence 1, poor"), "1"),
        _action("confidence_0", JUDGING, QT_TRANSLATE_NOOP("actions", "Confidence 0, none"), "0"),
        _action(
            "take_proposal",
            JUDGING,
            QT_TRANSLATE_NOOP("actions", "Take the agent's proposal"),
            "Return",
        ),
        _action("undo", JUDGING, QT_TRANSLATE_NOOP("actions", "Undo"), "Ctrl+Z", "Backspace"),
        _action("redo", JUDGING, QT_TRANSLATE_NOOP("actions", "Redo"), "Ctrl+Shift+Z", "Ctrl+Y"),
        _action("next", MOVING, QT_TRANSLATE_NOOP("actions", "Next"), "N", "Right", repeats=True),
        _action(
            "previous", MOVING, QT_TRANSLATE_NOOP("actions", "Previous"), "B", "Left", repeats=True
        ),
        _action(
            "show_again", MOVING, QT_TRANSLATE_NOOP("actions", "Show some of yours again, blind")
        ),
        _action("find", MOVING, QT_TRANSLATE_NOOP("actions", "Find an object"), "/"),
        _action("filter", MOVING, QT_TRANSLATE_NOOP("actions", "Filter the list"), "Ctrl+F"),
        _action(
            "next_window", LOOKING, QT_TRANSLATE_NOOP("actions", "Next diagnostic window"), "."
        ),
        _action(
            "previous_window",
            LOOKING,
            QT_TRANSLATE_NOOP("actions", "Previous diagnostic window"),
            ",",
        ),
        *(
            _action(
                f"window_{number}",
                LOOKING,
                QT_TRANSLATE_NOOP("actions", "Diagnostic window of the class"),
                f"F{number + 1}",
            )
            for number in range(1, 10)
        ),
        _action("whole", LOOKING, QT_TRANSLATE_NOOP("actions", "Whole spectrum"), "W"),
        _action("reset", LOOKING, QT_TRANSLATE_NOOP("actions", "Reset the view"), "R"),
        _action("autoscale", LOOKING, QT_TRANSLATE_NOOP("actions", "Autoscale the flux"), "Y"),
        _action(
            "zoom_in",
            LOOKING,
            QT_TRANSLATE_NOOP("actions", "Zoom in"),
            "+",
            "=",
            "Up",
            repeats=True,
        ),
        _action(
            "zoom_out", LOOKING, QT_TRANSLATE_NOOP("actions", "Zoom out"), "-", "Down", repeats=True
        ),
        _action(
            "pan_left", LOOKING, QT_TRANSLATE_NOOP("actions", "Pan to the blue"), "[", repeats=True
        ),
        _action(
            "pan_right", LOOKING, QT_TRANSLATE_NOOP("actions", "Pan to the red"), "]", repeats=True
        ),
        _action(
            "peek", LOOKING, QT_TRANSLATE_NOOP("actions", "Peek at the whole range while held"), "Z"
        ),
        _action("lines", MARKING, QT_TRANSLATE_NOOP("actions", "Lines"), "L"),
        _action("labels", MARKING, QT_TRANSLATE_NOOP("actions", "Names of lines"), "Shift+L"),
        _action(
            "smooth_more", MARKING, QT_TRANSLATE_NOOP("actions", "Smooth more"), "S", repeats=True
        ),
        _action(
            "smooth_less", MARKING, QT_TRANSLATE_NOOP("actions", "Smooth less"), "D", repeats=True
        ),
        _action("smooth_off", MARKING, QT_TRANSLATE_NOOP("actions", "No smoothing"), "Shift+S"),
        _action("errors", MARKING, QT_TRANSLATE_NOOP("actions", "Error band"), "E"),
        _action("mask", MARKING, QT_TRANSLATE_NOOP("actions", "Bad pixels, sky and air"), "M"),
        _action("template", MARKING, QT_TRANSLATE_NOOP("actions", "Template"), "T"),
        _action("rest_axis", MARKING, QT_TRANSLATE_NOOP("actions", "Axis at rest"), "F"),
        _action(
            "rv_up",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Velocity up"),
            "Shift+Right",
            repeats=True,
        ),
        _action(
            "rv_down",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Velocity down"),
            "Shift+Left",
            repeats=True,
        ),
        _action(
            "rv_up_fine",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Velocity up, fine"),
            "Alt+Shift+Right",
            repeats=True,
        ),
        _action(
            "rv_down_fine",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Velocity down, fine"),
            "Alt+Shift+Left",
            repeats=True,
        ),
        _action("comment", WORDS, QT_TRANSLATE_NOOP("actions", "Comment"), "C"),
        _action("flags", WORDS, QT_TRANSLATE_NOOP("actions", "Flags, then a letter"), "G"),
        _action("star", WORDS, QT_TRANSLATE_NOOP("actions", "Star"), "*"),
        _action("run_agent", AGENT, QT_TRANSLATE_NOOP("actions", "Run the agent here"), "V"),
        _action(
            "pause_agent",
            AGENT,
            QT_TRANSLATE_NOOP("actions", "Hold the agent, or let it go on"),
            "P",
        ),
        _action(
            "step",
            AGENT,
            QT_TRANSLATE_NOOP("actions", "Step through its evidence"),
            "Space",
            repeats=True,
        ),
        _action(
            "reveal", AGENT, QT_TRANSLATE_NOOP("actions", "Reveal the agent's verdict"), "Shift+V"
        ),
        _action(
            "run_queue",
            AGENT,
            QT_TRANSLATE_NOOP("actions", "Run the agent over the list"),
            "Ctrl+R",
        ),
        _action(
            "escape",
            WINDOW,
            QT_TRANSLATE_NOOP("actions", "Give the plot back; stop the agent here"),
            "Escape",
        ),
        _action("help", WINDOW, QT_TRANSLATE_NOOP("actions", "Guide"), "F1"),
        _action("keys", WINDOW, QT_TRANSLATE_NOOP("actions", "Keys"), "?"),
        _action("palette", WINDOW, QT_TRANSLATE_NOOP("actions", "Find a command"), "Ctrl+K"),
        _action("full_screen", WINDOW, QT_TRANSLATE_NOOP("actions", "Full screen"), "F11"),
        _action("panels", WINDOW, QT_TRANSLATE_NOOP("actions", "Panels on or off"), "H"),
        _action("blind", WINDOW, QT_TRANSLATE_NOOP("actions", "Blind mode on or off")),
        _action("tour", WINDOW, QT_TRANSLATE_NOOP("actions", "Take the tour")),
        _action("about", WINDOW, QT_TRANSLATE_NOOP("actions", "About")),
        _action(
            "crash_reports",
            WINDOW,
            QT_TRANSLATE_NOOP("actions", "Open the folder of crash reports"),
        ),
        _action("settings", WINDOW, QT_TRANSLATE_NOOP("actions", "Settings"), "Ctrl+,"),
        _action("open_list", FILES, QT_TRANSLATE_NOOP("actions", "Open a list"), "Ctrl+N"),
        _action("open_session", FILES, QT_TRANSLATE_NOOP("actions", "Open a session"), "Ctrl+O"),
        _action("welcome", FILES, QT_TRANSLATE_NOOP("actions", "Close the session"), "Ctrl+W"),
        _action("judging_page", FILES, QT_TRANSLATE_NOOP("actions", "Judge"), "Ctrl+1"),
        _action(
            "disagreement_page", FILES, QT_TRANSLATE_NOOP("actions", "Disagreements"), "Ctrl+2"
        ),
        _action(
            "agreement_page",
            FILES,
            QT_TRANSLATE_NOOP("actions", "Agreement and calibration"),
            "Ctrl+3",
        ),
        _action("history_page", FILES, QT_TRANSLATE_NOOP("actions", "History"), "Ctrl+4"),
        _action("export", FILES, QT_TRANSLATE_NOOP("actions", "Export the catalogue"), "Ctrl+E"),
        _action("report", FILES, QT_TRANSLATE_NOOP("actions", "Write a report")),
        _action("pack", FILES, QT_TRANSLATE_NOOP("actions", "Pack for a colleague")),
        _action(
            "snapshot", FILES, QT_TRANSLATE_NOOP("actions", "Save a picture of the plot"), "Ctrl+S"
        ),
        _action(
            "copy_range",
            FILES,
            QT_TRANSLATE_NOOP("actions", "Copy range and measurements"),
            "Ctrl+C",
        ),
        _action("open_simbad", FILES, QT_TRANSLATE_NOOP("actions", "Look it up in SIMBAD")),
        _action("open_aladin", FILES, QT_TRANSLATE_NOOP("actions", "Look at its sky in Aladin")),
        _action("open_lamost", FILES, QT_TRANSLATE_NOOP("actions", "Open its page at LAMOST")),
        _action("open_sdss", FILES, QT_TRANSLATE_NOOP("actions", "Open its page at SDSS")),
        _action("quit", FILES, QT_TRANSLATE_NOOP("actions", "Quit"), "Ctrl+Q"),
    )
)

VERDICTS = frozenset({"accept", "reject", "unsure", "accept_stay", "reject_stay", "unsure_stay"})
GRADED = frozenset({"accept_4", "accept_3", "unsure_2", "unsure_1"})
"""A verdict and its confidence in one key, for profiles that work so; else in the palette alone."""
COMMITTING = VERDICTS | GRADED | {"take_proposal"}
"""What writes a verdict down: a held key does it once."""
