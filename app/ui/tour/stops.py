"""The five stops of the tour: the widget shown at each, and its text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.ui.docks.dock_table import AGENT
from app.ui.keys.keymap import Keymap
from app.ui.session_view import SessionView

translate = QCoreApplication.translate
KeyOf = Callable[[str], str]
MAX_WINDOW_KEYS = 9
"""Number of diagnostic windows with an action of their own."""


@dataclass(frozen=True, eq=False)
class Stop:
    target: QWidget
    title: str
    text: str


def tour_stops(view: SessionView, keymap: Keymap) -> tuple[Stop, ...]:
    """The stops in working order, with the current keys in their texts."""
    judging, key, task = view.judging, keymap.label, view.session.task
    docks = judging.dock_area
    return (
        Stop(docks.queue_place, translate("tour", "The list"), _list(key, docks.has_rail)),
        Stop(judging.plot, translate("tour", "The spectrum"), _spectrum(key, len(task.windows))),
        Stop(judging.verdicts, translate("tour", "Your verdict"), _verdict(key)),
        Stop(docks.docks[AGENT.name].part, translate("tour", "The agent"), _agent(key)),
        Stop(view.top.export, translate("tour", "The catalogue"), _catalogue(key)),
    )


def _list(key: KeyOf, is_rail: bool) -> str:
    if is_rail:
        text = translate(
            "tour",
            "All your candidates: {queue} or a click here shows the list, and {queue} hides it. "
            "{next} and {previous} move through it; above it, choose which candidates to see "
            "and in which order, for example best scores first, or where two agents differ.",
        )
        return _with_keys(text, queue=key("queue"), next=key("next"), previous=key("previous"))
    text = translate(
        "tour",
        "All your candidates. {next} and {previous} move through the list; click a row "
        "to go to it. Above the list, choose which candidates to see and in which "
        "order, for example best scores first, or where two agents differ.",
    )
    return _with_keys(text, next=key("next"), previous=key("previous"))


def _spectrum(key: KeyOf, count: int) -> str:
    """`count` is the number of diagnostic windows."""
    text = translate(
        "tour",
        "The mouse wheel zooms, dragging pans, and {whole} shows the whole spectrum. {first} to "
        "{last} go to the diagnostic windows of this class; the strip below shows where you are.",
    )
    last = f"window_{min(count, MAX_WINDOW_KEYS)}"
    return _with_keys(text, whole=key("whole"), first=key("window_1"), last=key(last))


def _verdict(key: KeyOf) -> str:
    text = translate(
        "tour",
        "{accept} accepts, {reject} rejects, {unsure} marks as unsure, and the next "
        "candidate appears. Every verdict is saved at once, and {undo} undoes any "
        "number of them. The keys work during the tour: try them.",
    )
    return _with_keys(
        text, accept=key("accept"), reject=key("reject"), unsure=key("unsure"), undo=key("undo")
    )


def _agent(key: KeyOf) -> str:
    text = translate(
        "tour",
        "{run} starts an inspection of this spectrum: the plot follows the agent's "
        "looks, and measurements are shown beside its statements. The agent proposes, "
        "you decide. Help, About describes the models' training data and limits.",
    )
    return _with_keys(text, run=key("run_agent"))


def _catalogue(key: KeyOf) -> str:
    text = translate(
        "tour",
        "{export} exports your verdicts and the agent's for use in other programs. "
        "{keys} shows all keys, {palette} finds a command by name, and {help} opens the "
        "guide. You can restart this tour from the Help menu.",
    )
    return _with_keys(
        text, export=key("export"), keys=key("keys"), palette=key("palette"), help=key("help")
    )


def _with_keys(text: str, **keys: str) -> str:
    for name, key in keys.items():
        text = text.replace("{" + name + "}", key or "–")
    return text
