"""Every action of the window: its id, its text and its default keys.

Keys are written as `A`, `Shift+A`, `Ctrl+Z`, `Right` or `?`; a letter alone means without Shift.
"""

from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.rooms import rooms

CONTEXT = "actions"  # Qt translation context of the texts and groups


@dataclass(frozen=True)
class Action:
    name: str  # id, as written in settings files
    group: str
    text: str  # English source text; see `title`.
    keys: tuple[str, ...] = ()
    repeats: bool = False  # whether a held key repeats the action

    @property
    def title(self) -> str:
        return QCoreApplication.translate(CONTEXT, self.text)


JUDGING = QT_TRANSLATE_NOOP("actions", "Judging")
MOVING = QT_TRANSLATE_NOOP("actions", "Navigation")
LOOKING = QT_TRANSLATE_NOOP("actions", "View")
MARKING = QT_TRANSLATE_NOOP("actions", "Spectrum display")
WORDS = QT_TRANSLATE_NOOP("actions", "Comments and flags")
AGENT = QT_TRANSLATE_NOOP("actions", "Agent")
WINDOW = QT_TRANSLATE_NOOP("actions", "Window")
FILES = QT_TRANSLATE_NOOP("actions", "Files and pages")
GROUPS = tuple(map(str, (JUDGING, MOVING, LOOKING, MARKING, WORDS, AGENT, WINDOW, FILES)))

_BY_GROUP: dict[object, dict[str, tuple[object, ...]]] = {
    JUDGING: {
        "accept": (QT_TRANSLATE_NOOP("actions", "Accept"), "A"),
        "reject": (QT_TRANSLATE_NOOP("actions", "Reject"), "X"),
        "unsure": (QT_TRANSLATE_NOOP("actions", "Unsure"), "U"),
        "accept_stay": (QT_TRANSLATE_NOOP("actions", "Accept and stay"), "Shift+A"),
        "reject_stay": (QT_TRANSLATE_NOOP("actions", "Reject and stay"), "Shift+X"),
        "unsure_stay": (QT_TRANSLATE_NOOP("actions", "Unsure and stay"), "Shift+U"),
        "accept_4": (QT_TRANSLATE_NOOP("actions", "Accept with confidence 4"),),
        "accept_3": (QT_TRANSLATE_NOOP("actions", "Accept with confidence 3"),),
        "unsure_2": (QT_TRANSLATE_NOOP("actions", "Unsure with confidence 2"),),
        "unsure_1": (QT_TRANSLATE_NOOP("actions", "Unsure with confidence 1"),),
        "confidence_4": (QT_TRANSLATE_NOOP("actions", "Confidence 4 (sure)"), "4"),
        "confidence_3": (QT_TRANSLATE_NOOP("actions", "Confidence 3"), "3"),
        "confidence_2": (QT_TRANSLATE_NOOP("actions", "Confidence 2"), "2"),
        "confidence_1": (QT_TRANSLATE_NOOP("actions", "Confidence 1 (poor)"), "1"),
        "confidence_0": (QT_TRANSLATE_NOOP("actions", "Confidence 0 (none)"), "0"),
        "take_proposal": (QT_TRANSLATE_NOOP("actions", "Use the agent's proposal"), "Return"),
        "undo": (QT_TRANSLATE_NOOP("actions", "Undo"), "Ctrl+Z", "Backspace"),
        "redo": (QT_TRANSLATE_NOOP("actions", "Redo"), "Ctrl+Shift+Z", "Ctrl+Y"),
        "subclass": (QT_TRANSLATE_NOOP("actions", "Sub-class of this object"), ";"),
        "subclass_previous": (
            QT_TRANSLATE_NOOP("actions", "Sub-class of the object accepted last"),
            ":",
        ),
        "reject_rest": (
            QT_TRANSLATE_NOOP("actions", "Reject the rest of the sheet"),
            "Ctrl+Shift+X",
        ),
        "reject_below": (QT_TRANSLATE_NOOP("actions", "Reject all below this p(YES)"),),
    },
    MOVING: {
        "next": (QT_TRANSLATE_NOOP("actions", "Next candidate"), "N", "Right"),
        "previous": (QT_TRANSLATE_NOOP("actions", "Previous candidate"), "B", "Left"),
        "show_again": (QT_TRANSLATE_NOOP("actions", "Start a blind repeat round"),),
        "more_like_this": (QT_TRANSLATE_NOOP("actions", "More like this"), "Ctrl+M"),
        "queue": (QT_TRANSLATE_NOOP("actions", "Show the queue"), "Q"),
        "find": (QT_TRANSLATE_NOOP("actions", "Find an object"), "/"),
        "filter": (QT_TRANSLATE_NOOP("actions", "Filter the list"), "Ctrl+F"),
    },
    LOOKING: {
        "next_window": (QT_TRANSLATE_NOOP("actions", "Next diagnostic window"), "."),
        "previous_window": (QT_TRANSLATE_NOOP("actions", "Previous diagnostic window"), ","),
        **{
            f"window_{n}": (QT_TRANSLATE_NOOP("actions", "Go to diagnostic window"), f"F{n + 1}")
            for n in range(1, 10)
        },
        "whole": (QT_TRANSLATE_NOOP("actions", "Show the whole spectrum"), "W"),
        "reset": (QT_TRANSLATE_NOOP("actions", "Reset view and overlays"), "R"),
        "autoscale": (QT_TRANSLATE_NOOP("actions", "Autoscale the flux"), "Y"),
        "zoom_in": (QT_TRANSLATE_NOOP("actions", "Zoom in"), "+", "=", "Up"),
        "zoom_out": (QT_TRANSLATE_NOOP("actions", "Zoom out"), "-", "Down"),
        "pan_left": (QT_TRANSLATE_NOOP("actions", "Pan blueward"), "["),
        "pan_right": (QT_TRANSLATE_NOOP("actions", "Pan redward"), "]"),
        "peek": (QT_TRANSLATE_NOOP("actions", "Show the whole range while held"), "Z"),
    },
    MARKING: {
        "lines": (QT_TRANSLATE_NOOP("actions", "Lines"), "L"),
        "labels": (QT_TRANSLATE_NOOP("actions", "Line names"), "Shift+L"),
        "smooth_more": (QT_TRANSLATE_NOOP("actions", "Smooth more"), "S"),
        "smooth_less": (QT_TRANSLATE_NOOP("actions", "Smooth less"), "D"),
        "smooth_off": (QT_TRANSLATE_NOOP("actions", "No smoothing"), "Shift+S"),
        "errors": (QT_TRANSLATE_NOOP("actions", "Error band"), "E"),
        "mask": (QT_TRANSLATE_NOOP("actions", "Masked pixels, sky and telluric"), "M"),
        "template": (QT_TRANSLATE_NOOP("actions", "Template"), "T"),
        "measure": (QT_TRANSLATE_NOOP("actions", "Measure a line by hand"), "I"),
        "withdraw_measurement": (QT_TRANSLATE_NOOP("actions", "Remove the last measurement"),),
        "fit_gaussian": (QT_TRANSLATE_NOOP("actions", "Fit the last measurement with a Gaussian"),),
        "fit_voigt": (
            QT_TRANSLATE_NOOP("actions", "Fit the last measurement with a Voigt profile"),
        ),
        "rank_templates": (
            QT_TRANSLATE_NOOP("actions", "Order the templates by how well they fit"),
        ),
        "fit_velocity": (QT_TRANSLATE_NOOP("actions", "Fit the velocity to the template"),),
        "overlay_epochs": (QT_TRANSLATE_NOOP("actions", "Overlay the epochs of this source"),),
        "rest_axis": (QT_TRANSLATE_NOOP("actions", "Rest wavelengths"), "F"),
        "axis_air": (QT_TRANSLATE_NOOP("actions", "Air wavelengths"),),
        "axis_nm": (QT_TRANSLATE_NOOP("actions", "Wavelengths in nm"),),
        "velocity_axis": (QT_TRANSLATE_NOOP("actions", "Velocity about a line"),),
        "flux_zero": (QT_TRANSLATE_NOOP("actions", "Include zero in the flux axis"),),
        "flux_log": (QT_TRANSLATE_NOOP("actions", "Logarithmic flux axis"),),
        "flux_normalised": (QT_TRANSLATE_NOOP("actions", "Normalised flux"),),
        "flux_f_nu": (QT_TRANSLATE_NOOP("actions", "Flux per frequency, f_ν"),),
        "rv_up": (QT_TRANSLATE_NOOP("actions", "Increase velocity"), "Shift+Right"),
        "rv_down": (QT_TRANSLATE_NOOP("actions", "Decrease velocity"), "Shift+Left"),
        "rv_up_fine": (QT_TRANSLATE_NOOP("actions", "Increase velocity (fine)"), "Alt+Shift+Right"),
        "rv_down_fine": (
            QT_TRANSLATE_NOOP("actions", "Decrease velocity (fine)"),
            "Alt+Shift+Left",
        ),
    },
    WORDS: {
        "comment": (QT_TRANSLATE_NOOP("actions", "Comment"), "C"),
        "comment_previous": (
            QT_TRANSLATE_NOOP("actions", "Comment the previous object"),
            "Shift+C",
        ),
        "flags_previous": (QT_TRANSLATE_NOOP("actions", "Flags of the previous object"), "Shift+G"),
        "flags": (QT_TRANSLATE_NOOP("actions", "Open the flag menu"), "G"),
        "star": (QT_TRANSLATE_NOOP("actions", "Star"), "*"),
    },
    AGENT: {
        "run_agent": (QT_TRANSLATE_NOOP("actions", "Run the agent on this candidate"), "V"),
        "pause_agent": (QT_TRANSLATE_NOOP("actions", "Pause or resume the agent"), "P"),
        "step": (QT_TRANSLATE_NOOP("actions", "Step through the agent's evidence"), "Space"),
        "reveal": (QT_TRANSLATE_NOOP("actions", "Reveal the agent's verdict"), "Shift+V"),
        "run_queue": (QT_TRANSLATE_NOOP("actions", "Run the agent on the whole list"), "Ctrl+R"),
        "rate_0": (QT_TRANSLATE_NOOP("actions", "Rate the inspection 0"), "Alt+0"),
        "rate_1": (QT_TRANSLATE_NOOP("actions", "Rate the inspection 1"), "Alt+1"),
        "rate_2": (QT_TRANSLATE_NOOP("actions", "Rate the inspection 2"), "Alt+2"),
        "rate_3": (QT_TRANSLATE_NOOP("actions", "Rate the inspection 3"), "Alt+3"),
        "rate_4": (QT_TRANSLATE_NOOP("actions", "Rate the inspection 4"), "Alt+4"),
        "rate_5": (QT_TRANSLATE_NOOP("actions", "Rate the inspection 5"), "Alt+5"),
    },
    WINDOW: {
        "escape": (QT_TRANSLATE_NOOP("actions", "Return to the plot; stop the agent"), "Escape"),
        "help": (QT_TRANSLATE_NOOP("actions", "Guide"), "F1"),
        "keys": (QT_TRANSLATE_NOOP("actions", "Keyboard shortcuts"), "?"),
        "palette": (QT_TRANSLATE_NOOP("actions", "Find a command"), "Ctrl+K"),
        "full_screen": (QT_TRANSLATE_NOOP("actions", "Full screen"), "F11"),
        "panels": (QT_TRANSLATE_NOOP("actions", "Show or hide panels"), "H"),
        "reset_panels": (QT_TRANSLATE_NOOP("actions", "Reset the panels"),),
        "blind": (QT_TRANSLATE_NOOP("actions", "Turn blind mode on or off"),),
        "only_mine": (QT_TRANSLATE_NOOP("actions", "Only my own objects, or all"),),
        "tour": (QT_TRANSLATE_NOOP("actions", "Take the tour"),),
        "about": (QT_TRANSLATE_NOOP("actions", "About"),),
        "crash_reports": (QT_TRANSLATE_NOOP("actions", "Open the folder of crash reports"),),
        "show_guideline": (QT_TRANSLATE_NOOP("actions", "Show the guideline"),),
        "show_evidence": (QT_TRANSLATE_NOOP("actions", "Show the evidence"), "Ctrl+D"),
        "show_similar": (QT_TRANSLATE_NOOP("actions", "Show similar spectra"),),
        "services": (QT_TRANSLATE_NOOP("actions", "Choose services to ask"),),
        "settings": (QT_TRANSLATE_NOOP("actions", "Settings"), "Ctrl+,"),
    },
    FILES: {
        "open_list": (QT_TRANSLATE_NOOP("actions", "Open a list"), "Ctrl+N"),
        "open_folder": (QT_TRANSLATE_NOOP("actions", "Open a folder of spectra"),),
        "open_session": (QT_TRANSLATE_NOOP("actions", "Open a session"), "Ctrl+O"),
        "open_archive": (QT_TRANSLATE_NOOP("actions", "Open from an archive"),),
        "find_in_folder": (QT_TRANSLATE_NOOP("actions", "Find in a folder"),),
        "curation_room": (QT_TRANSLATE_NOOP("actions", "Open the curation room"),),
        "fetch_missing": (QT_TRANSLATE_NOOP("actions", "Fetch the missing file"),),
        "welcome": (QT_TRANSLATE_NOOP("actions", "Close the session"), "Ctrl+W"),
        "judging_page": (QT_TRANSLATE_NOOP("actions", "Judge"), "Ctrl+1"),
        "disagreement_page": (QT_TRANSLATE_NOOP("actions", "Disagreements"), "Ctrl+2"),
        "agreement_page": (QT_TRANSLATE_NOOP("actions", "Agreement and calibration"), "Ctrl+3"),
        "history_page": (QT_TRANSLATE_NOOP("actions", "History"), "Ctrl+4"),
        "fields": (QT_TRANSLATE_NOOP("actions", "Define fields of your own"),),
        "other_class": (
            QT_TRANSLATE_NOOP("actions", "Judge this list for a class, or for another one"),
        ),
        "overview_page": (QT_TRANSLATE_NOOP("actions", "Overview"), "Ctrl+5"),
        "agent_faults_page": (QT_TRANSLATE_NOOP("actions", "What the agent gets wrong"),),
        "rating_room": (QT_TRANSLATE_NOOP("actions", "Open the rating room"),),
        "export": (QT_TRANSLATE_NOOP("actions", "Export the catalogue"), "Ctrl+E"),
        "report": (QT_TRANSLATE_NOOP("actions", "Write a report"),),
        "pack": (QT_TRANSLATE_NOOP("actions", "Pack for a colleague"),),
        "share_out": (QT_TRANSLATE_NOOP("actions", "Share the list out"),),
        "merge": (QT_TRANSLATE_NOOP("actions", "Merge sessions of colleagues"),),
        "hide_known": (QT_TRANSLATE_NOOP("actions", "Hide known answers"),),
        "study": (QT_TRANSLATE_NOOP("actions", "Reader study"),),
        "snapshot": (QT_TRANSLATE_NOOP("actions", "Save a picture of the plot"), "Ctrl+S"),
        "save_spectrum": (QT_TRANSLATE_NOOP("actions", "Save the spectrum on screen"),),
        "copy_range": (QT_TRANSLATE_NOOP("actions", "Copy range and measurements"), "Ctrl+C"),
        "samp": (QT_TRANSLATE_NOOP("actions", "Connect to TOPCAT and others (SAMP)"),),
        "samp_list": (QT_TRANSLATE_NOOP("actions", "Send the list to other programs"),),
        "samp_row": (QT_TRANSLATE_NOOP("actions", "Highlight this candidate in other programs"),),
        "samp_selected": (
            QT_TRANSLATE_NOOP("actions", "Select the selected candidates in other programs"),
        ),
        "samp_position": (QT_TRANSLATE_NOOP("actions", "Point other programs at this position"),),
        "samp_spectrum": (QT_TRANSLATE_NOOP("actions", "Send this spectrum to other programs"),),
        "open_simbad": (QT_TRANSLATE_NOOP("actions", "Look up in SIMBAD"),),
        "open_aladin": (QT_TRANSLATE_NOOP("actions", "Show the field in Aladin"),),
        "open_lamost": (QT_TRANSLATE_NOOP("actions", "Open the LAMOST page"),),
        "open_sdss": (QT_TRANSLATE_NOOP("actions", "Open the SDSS page"),),
        "quit": (QT_TRANSLATE_NOOP("actions", "Quit"), "Ctrl+Q"),
    },
}
"""Text and default keys of each action."""

_REPEATED = frozenset(
    {"next", "previous", "step", "zoom_in", "zoom_out", "pan_left", "pan_right"}
    | {"smooth_more", "smooth_less", "rv_up", "rv_down", "rv_up_fine", "rv_down_fine"}
)
"""Actions that a held key repeats; never one that gives a verdict."""

ACTIONS = {
    name: Action(name, str(group), str(text), tuple(map(str, keys)), name in _REPEATED)
    for group, actions in _BY_GROUP.items()
    for name, (text, *keys) in actions.items()
}

ROOM_ACTIONS = frozenset({"curation_room", "rating_room"})
"""Offered only where the package `train` is installed, whose rooms they open."""
for _name in ROOM_ACTIONS - rooms().keys():
    del ACTIONS[_name]

VERDICTS = frozenset({"accept", "reject", "unsure", "accept_stay", "reject_stay", "unsure_stay"})
GRADED_VERDICTS = frozenset({"accept_4", "accept_3", "unsure_2", "unsure_1"})
"""Verdict and confidence in one key, used by some key profiles."""
COMMITTING = VERDICTS | GRADED_VERDICTS | {"take_proposal"}
"""Actions that record a verdict; holding the key runs them once."""
