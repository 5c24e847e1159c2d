"""Every action of the window: its id, its text and its default keys.

Keys are written as `A`, `Shift+A`, `Ctrl+Z`, `Right` or `?`; a letter alone means without Shift.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.rooms import rooms

CONTEXT = "actions"
"""Qt translation context of the texts and groups."""


@dataclass(frozen=True)
class Action:
    name: str
    """Id, as written in settings files."""
    group: str
    text: str
    """English source text; see `title`."""
    keys: tuple[str, ...] = ()
    repeats: bool = False
    """Whether a held key repeats the action; never true for a verdict."""

    @property
    def title(self) -> str:
        """The text in the language of the window."""
        return QCoreApplication.translate(CONTEXT, self.text)


def _action(
    name: str, group: object, text: object, *keys: str, repeats: bool = False
) -> tuple[str, Action]:
    return name, Action(name, str(group), str(text), keys, repeats)


JUDGING = QT_TRANSLATE_NOOP("actions", "Judging")
MOVING = QT_TRANSLATE_NOOP("actions", "Navigation")
LOOKING = QT_TRANSLATE_NOOP("actions", "View")
MARKING = QT_TRANSLATE_NOOP("actions", "Spectrum display")
WORDS = QT_TRANSLATE_NOOP("actions", "Comments and flags")
AGENT = QT_TRANSLATE_NOOP("actions", "Agent")
WINDOW = QT_TRANSLATE_NOOP("actions", "Window")
FILES = QT_TRANSLATE_NOOP("actions", "Files and pages")
GROUPS = tuple(map(str, (JUDGING, MOVING, LOOKING, MARKING, WORDS, AGENT, WINDOW, FILES)))

ACTIONS: dict[str, Action] = dict(
    (
        _action("accept", JUDGING, QT_TRANSLATE_NOOP("actions", "Accept"), "A"),
        _action("reject", JUDGING, QT_TRANSLATE_NOOP("actions", "Reject"), "X"),
        _action("unsure", JUDGING, QT_TRANSLATE_NOOP("actions", "Unsure"), "U"),
        _action("accept_stay", JUDGING, QT_TRANSLATE_NOOP("actions", "Accept and stay"), "Shift+A"),
        _action("reject_stay", JUDGING, QT_TRANSLATE_NOOP("actions", "Reject and stay"), "Shift+X"),
        _action("unsure_stay", JUDGING, QT_TRANSLATE_NOOP("actions", "Unsure and stay"), "Shift+U"),
        _action("accept_4", JUDGING, QT_TRANSLATE_NOOP("actions", "Accept with confidence 4")),
        _action("accept_3", JUDGING, QT_TRANSLATE_NOOP("actions", "Accept with confidence 3")),
        _action("unsure_2", JUDGING, QT_TRANSLATE_NOOP("actions", "Unsure with confidence 2")),
        _action("unsure_1", JUDGING, QT_TRANSLATE_NOOP("actions", "Unsure with confidence 1")),
        _action("confidence_4", JUDGING, QT_TRANSLATE_NOOP("actions", "Confidence 4 (sure)"), "4"),
        _action("confidence_3", JUDGING, QT_TRANSLATE_NOOP("actions", "Confidence 3"), "3"),
        _action("confidence_2", JUDGING, QT_TRANSLATE_NOOP("actions", "Confidence 2"), "2"),
        _action("confidence_1", JUDGING, QT_TRANSLATE_NOOP("actions", "Confidence 1 (poor)"), "1"),
        _action("confidence_0", JUDGING, QT_TRANSLATE_NOOP("actions", "Confidence 0 (none)"), "0"),
        _action(
            "take_proposal",
            JUDGING,
            QT_TRANSLATE_NOOP("actions", "Use the agent's proposal"),
            "Return",
        ),
        _action("undo", JUDGING, QT_TRANSLATE_NOOP("actions", "Undo"), "Ctrl+Z", "Backspace"),
        _action("redo", JUDGING, QT_TRANSLATE_NOOP("actions", "Redo"), "Ctrl+Shift+Z", "Ctrl+Y"),
        _action("subclass", JUDGING, QT_TRANSLATE_NOOP("actions", "Sub-class of this object"), ";"),
        _action(
            "subclass_previous",
            JUDGING,
            QT_TRANSLATE_NOOP("actions", "Sub-class of the object accepted last"),
            ":",
        ),
        _action(
            "next",
            MOVING,
            QT_TRANSLATE_NOOP("actions", "Next candidate"),
            "N",
            "Right",
            repeats=True,
        ),
        _action(
            "previous",
            MOVING,
            QT_TRANSLATE_NOOP("actions", "Previous candidate"),
            "B",
            "Left",
            repeats=True,
        ),
        _action("show_again", MOVING, QT_TRANSLATE_NOOP("actions", "Start a blind repeat round")),
        _action("more_like_this", MOVING, QT_TRANSLATE_NOOP("actions", "More like this"), "Ctrl+M"),
        _action("queue", MOVING, QT_TRANSLATE_NOOP("actions", "Show the queue"), "Q"),
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
                QT_TRANSLATE_NOOP("actions", "Go to diagnostic window"),
                f"F{number + 1}",
            )
            for number in range(1, 10)
        ),
        _action("whole", LOOKING, QT_TRANSLATE_NOOP("actions", "Show the whole spectrum"), "W"),
        _action("reset", LOOKING, QT_TRANSLATE_NOOP("actions", "Reset view and overlays"), "R"),
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
            "pan_left", LOOKING, QT_TRANSLATE_NOOP("actions", "Pan blueward"), "[", repeats=True
        ),
        _action(
            "pan_right", LOOKING, QT_TRANSLATE_NOOP("actions", "Pan redward"), "]", repeats=True
        ),
        _action(
            "peek", LOOKING, QT_TRANSLATE_NOOP("actions", "Show the whole range while held"), "Z"
        ),
        _action("lines", MARKING, QT_TRANSLATE_NOOP("actions", "Lines"), "L"),
        _action("labels", MARKING, QT_TRANSLATE_NOOP("actions", "Line names"), "Shift+L"),
        _action(
            "smooth_more", MARKING, QT_TRANSLATE_NOOP("actions", "Smooth more"), "S", repeats=True
        ),
        _action(
            "smooth_less", MARKING, QT_TRANSLATE_NOOP("actions", "Smooth less"), "D", repeats=True
        ),
        _action("smooth_off", MARKING, QT_TRANSLATE_NOOP("actions", "No smoothing"), "Shift+S"),
        _action("errors", MARKING, QT_TRANSLATE_NOOP("actions", "Error band"), "E"),
        _action(
            "mask", MARKING, QT_TRANSLATE_NOOP("actions", "Masked pixels, sky and telluric"), "M"
        ),
        _action("template", MARKING, QT_TRANSLATE_NOOP("actions", "Template"), "T"),
        _action("measure", MARKING, QT_TRANSLATE_NOOP("actions", "Measure a line by hand"), "I"),
        _action(
            "withdraw_measurement",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Remove the last measurement"),
        ),
        _action(
            "fit_gaussian",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Fit the last measurement with a Gaussian"),
        ),
        _action(
            "fit_voigt",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Fit the last measurement with a Voigt profile"),
        ),
        _action(
            "rank_templates",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Order the templates by how well they fit"),
        ),
        _action(
            "fit_velocity",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Fit the velocity to the template"),
        ),
        _action(
            "overlay_epochs",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Overlay the epochs of this source"),
        ),
        _action("rest_axis", MARKING, QT_TRANSLATE_NOOP("actions", "Rest wavelengths"), "F"),
        _action("axis_air", MARKING, QT_TRANSLATE_NOOP("actions", "Air wavelengths")),
        _action("axis_nm", MARKING, QT_TRANSLATE_NOOP("actions", "Wavelengths in nm")),
        _action("velocity_axis", MARKING, QT_TRANSLATE_NOOP("actions", "Velocity about a line")),
        _action(
            "flux_zero", MARKING, QT_TRANSLATE_NOOP("actions", "Include zero in the flux axis")
        ),
        _action("flux_log", MARKING, QT_TRANSLATE_NOOP("actions", "Logarithmic flux axis")),
        _action("flux_normalised", MARKING, QT_TRANSLATE_NOOP("actions", "Normalised flux")),
        _action("flux_f_nu", MARKING, QT_TRANSLATE_NOOP("actions", "Flux per frequency, f_ν")),
        _action(
            "rv_up",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Increase velocity"),
            "Shift+Right",
            repeats=True,
        ),
        _action(
            "rv_down",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Decrease velocity"),
            "Shift+Left",
            repeats=True,
        ),
        _action(
            "rv_up_fine",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Increase velocity (fine)"),
            "Alt+Shift+Right",
            repeats=True,
        ),
        _action(
            "rv_down_fine",
            MARKING,
            QT_TRANSLATE_NOOP("actions", "Decrease velocity (fine)"),
            "Alt+Shift+Left",
            repeats=True,
        ),
        _action("comment", WORDS, QT_TRANSLATE_NOOP("actions", "Comment"), "C"),
        _action(
            "comment_previous",
            WORDS,
            QT_TRANSLATE_NOOP("actions", "Comment the previous object"),
            "Shift+C",
        ),
        _action(
            "flags_previous",
            WORDS,
            QT_TRANSLATE_NOOP("actions", "Flags of the previous object"),
            "Shift+G",
        ),
        _action("flags", WORDS, QT_TRANSLATE_NOOP("actions", "Open the flag menu"), "G"),
        _action("star", WORDS, QT_TRANSLATE_NOOP("actions", "Star"), "*"),
        _action(
            "run_agent", AGENT, QT_TRANSLATE_NOOP("actions", "Run the agent on this candidate"), "V"
        ),
        _action(
            "pause_agent", AGENT, QT_TRANSLATE_NOOP("actions", "Pause or resume the agent"), "P"
        ),
        _action(
            "step",
            AGENT,
            QT_TRANSLATE_NOOP("actions", "Step through the agent's evidence"),
            "Space",
            repeats=True,
        ),
        _action(
            "reveal", AGENT, QT_TRANSLATE_NOOP("actions", "Reveal the agent's verdict"), "Shift+V"
        ),
        _action(
            "run_queue",
            AGENT,
            QT_TRANSLATE_NOOP("actions", "Run the agent on the whole list"),
            "Ctrl+R",
        ),
        _action("rate_0", AGENT, QT_TRANSLATE_NOOP("actions", "Rate the inspection 0"), "Alt+0"),
        _action("rate_1", AGENT, QT_TRANSLATE_NOOP("actions", "Rate the inspection 1"), "Alt+1"),
        _action("rate_2", AGENT, QT_TRANSLATE_NOOP("actions", "Rate the inspection 2"), "Alt+2"),
        _action("rate_3", AGENT, QT_TRANSLATE_NOOP("actions", "Rate the inspection 3"), "Alt+3"),
        _action("rate_4", AGENT, QT_TRANSLATE_NOOP("actions", "Rate the inspection 4"), "Alt+4"),
        _action("rate_5", AGENT, QT_TRANSLATE_NOOP("actions", "Rate the inspection 5"), "Alt+5"),
        _action(
            "escape",
            WINDOW,
            QT_TRANSLATE_NOOP("actions", "Return to the plot; stop the agent"),
            "Escape",
        ),
        _action("help", WINDOW, QT_TRANSLATE_NOOP("actions", "Guide"), "F1"),
        _action("keys", WINDOW, QT_TRANSLATE_NOOP("actions", "Keyboard shortcuts"), "?"),
        _action("palette", WINDOW, QT_TRANSLATE_NOOP("actions", "Find a command"), "Ctrl+K"),
        _action("full_screen", WINDOW, QT_TRANSLATE_NOOP("actions", "Full screen"), "F11"),
        _action("panels", WINDOW, QT_TRANSLATE_NOOP("actions", "Show or hide panels"), "H"),
        _action("reset_panels", WINDOW, QT_TRANSLATE_NOOP("actions", "Reset the panels")),
        _action("blind", WINDOW, QT_TRANSLATE_NOOP("actions", "Turn blind mode on or off")),
        _action("only_mine", WINDOW, QT_TRANSLATE_NOOP("actions", "Only my own objects, or all")),
        _action("tour", WINDOW, QT_TRANSLATE_NOOP("actions", "Take the tour")),
        _action("about", WINDOW, QT_TRANSLATE_NOOP("actions", "About")),
        _action(
            "crash_reports",
            WINDOW,
            QT_TRANSLATE_NOOP("actions", "Open the folder of crash reports"),
        ),
        _action("show_guideline", WINDOW, QT_TRANSLATE_NOOP("actions", "Show the guideline")),
        _action(
            "show_evidence", WINDOW, QT_TRANSLATE_NOOP("actions", "Show the evidence"), "Ctrl+D"
        ),
        _action("show_similar", WINDOW, QT_TRANSLATE_NOOP("actions", "Show similar spectra")),
        _action("services", WINDOW, QT_TRANSLATE_NOOP("actions", "Choose services to ask")),
        _action("settings", WINDOW, QT_TRANSLATE_NOOP("actions", "Settings"), "Ctrl+,"),
        _action("open_list", FILES, QT_TRANSLATE_NOOP("actions", "Open a list"), "Ctrl+N"),
        _action("open_session", FILES, QT_TRANSLATE_NOOP("actions", "Open a session"), "Ctrl+O"),
        _action("open_archive", FILES, QT_TRANSLATE_NOOP("actions", "Open from an archive")),
        _action("curation_room", FILES, QT_TRANSLATE_NOOP("actions", "Open the curation room")),
        _action("fetch_missing", FILES, QT_TRANSLATE_NOOP("actions", "Fetch the missing file")),
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
        _action("fields", FILES, QT_TRANSLATE_NOOP("actions", "Define fields of your own")),
        _action(
            "other_class",
            FILES,
            QT_TRANSLATE_NOOP("actions", "Judge this list for a class, or for another one"),
        ),
        _action("overview_page", FILES, QT_TRANSLATE_NOOP("actions", "Overview"), "Ctrl+5"),
        _action(
            "agent_faults_page", FILES, QT_TRANSLATE_NOOP("actions", "What the agent gets wrong")
        ),
        _action("rating_room", FILES, QT_TRANSLATE_NOOP("actions", "Open the rating room")),
        _action("export", FILES, QT_TRANSLATE_NOOP("actions", "Export the catalogue"), "Ctrl+E"),
        _action("report", FILES, QT_TRANSLATE_NOOP("actions", "Write a report")),
        _action("pack", FILES, QT_TRANSLATE_NOOP("actions", "Pack for a colleague")),
        _action("share_out", FILES, QT_TRANSLATE_NOOP("actions", "Share the list out")),
        _action("merge", FILES, QT_TRANSLATE_NOOP("actions", "Merge sessions of colleagues")),
        _action("hide_known", FILES, QT_TRANSLATE_NOOP("actions", "Hide known answers")),
        _action(
            "snapshot", FILES, QT_TRANSLATE_NOOP("actions", "Save a picture of the plot"), "Ctrl+S"
        ),
        _action(
            "save_spectrum", FILES, QT_TRANSLATE_NOOP("actions", "Save the spectrum on screen")
        ),
        _action(
            "copy_range",
            FILES,
            QT_TRANSLATE_NOOP("actions", "Copy range and measurements"),
            "Ctrl+C",
        ),
        _action("samp", FILES, QT_TRANSLATE_NOOP("actions", "Connect to TOPCAT and others (SAMP)")),
        _action(
            "samp_list", FILES, QT_TRANSLATE_NOOP("actions", "Send the list to other programs")
        ),
        _action(
            "samp_row",
            FILES,
            QT_TRANSLATE_NOOP("actions", "Highlight this candidate in other programs"),
        ),
        _action(
            "samp_selected",
            FILES,
            QT_TRANSLATE_NOOP("actions", "Select the selected candidates in other programs"),
        ),
        _action(
            "samp_position",
            FILES,
            QT_TRANSLATE_NOOP("actions", "Point other programs at this position"),
        ),
        _action(
            "samp_spectrum",
            FILES,
            QT_TRANSLATE_NOOP("actions", "Send this spectrum to other programs"),
        ),
        _action("open_simbad", FILES, QT_TRANSLATE_NOOP("actions", "Look up in SIMBAD")),
        _action("open_aladin", FILES, QT_TRANSLATE_NOOP("actions", "Show the field in Aladin")),
        _action("open_lamost", FILES, QT_TRANSLATE_NOOP("actions", "Open the LAMOST page")),
        _action("open_sdss", FILES, QT_TRANSLATE_NOOP("actions", "Open the SDSS page")),
        _action("quit", FILES, QT_TRANSLATE_NOOP("actions", "Quit"), "Ctrl+Q"),
    )
)

ROOM_ACTIONS = frozenset({"curation_room", "rating_room"})
"""Offered only where the package `train` is installed, whose rooms they open."""
for _name in ROOM_ACTIONS - rooms().keys():
    del ACTIONS[_name]

VERDICTS = frozenset({"accept", "reject", "unsure", "accept_stay", "reject_stay", "unsure_stay"})
GRADED_VERDICTS = frozenset({"accept_4", "accept_3", "unsure_2", "unsure_1"})
"""Verdict and confidence in one key, used by some key profiles."""
COMMITTING = VERDICTS | GRADED_VERDICTS | {"take_proposal"}
"""Actions that record a verdict; holding the key runs them once."""
