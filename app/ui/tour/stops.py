"""The five places of the tour: what each shows, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.ui.keys.keymap import Keymap
from app.ui.session_view import SessionView

translate = QCoreApplication.translate
KeyOf = Callable[[str], str]
MOST_KEYS = 9
"""Windows that have an action of their own."""


@dataclass(frozen=True, eq=False)
class Stop:
    target: QWidget
    """Of the real window."""
    title: str
    text: str


def stops_of(view: SessionView, keymap: Keymap) -> tuple[Stop, ...]:
    """In the order in which a person works; keys as they are now."""
    judging, key, task = view.judging, keymap.label, view.session.task
    return (
        Stop(judging.queue, translate("tour", "The list"), _list(key)),
        Stop(judging.plot, translate("tour", "The spectrum"), _spectrum(key, len(task.windows))),
        Stop(judging.verdicts, translate("tour", "Your verdict"), _verdict(key)),
        Stop(judging.agent, translate("tour", "The agent"), _agent(key)),
        Stop(view.top.export, translate("tour", "The catalogue"), _catalogue(key)),
    )


def _list(key: KeyOf) -> str:
    text = translate(
        "tour",
        "All your candidates. {next} and {previous} go from one to the other, a click goes "
        "anywhere. Above it you choose whom to see, and in which order: the best scores first, "
        "or where two agents differ.",
    )
    return _with_keys(text, next=key("next"), previous=key("previous"))


def _spectrum(key: KeyOf, count: int) -> str:
    """`count`: of the diagnostic windows."""
    text = translate(
        "tour",
        "The wheel zooms, dragging pans, {whole} shows all of it. {first} to {last} go to the "
        "windows that decide this class; the strip below tells where you are.",
    )
    last = f"window_{min(count, MOST_KEYS)}"
    return _with_keys(text, whole=key("whole"), first=key("window_1"), last=key(last))


def _verdict(key: KeyOf) -> str:
    text = translate(
        "tour",
        "{accept} accepts, {reject} rejects, {unsure} is for unsure, and the next one comes. Each "
        "press is on the disk at once, and {undo} takes it back, as far as you like. The keys "
        "work now, too: try them.",
    )
    return _with_keys(
        text,
        accept=key("accept"),
        reject=key("reject"),
        unsure=key("unsure"),
        undo=key("undo"),
    )


def _agent(key: KeyOf) -> str:
    text = translate(
        "tour",
        "{run} lets it inspect this spectrum: its looks move the plot, and what we measure stands "
        "beside what it says. It proposes, you decide. What its models learnt from, and what they "
        "are not, is under Window, About.",
    )
    return _with_keys(text, run=key("run_agent"))


def _catalogue(key: KeyOf) -> str:
    text = translate(
        "tour",
        "{export} writes your verdicts, the agent's beside them, for other programs. {keys} shows "
        "all keys, {palette} finds a command by its name, {help} opens the guide. This tour is "
        "under Window.",
    )
    return _with_keys(
        text,
        export=key("export"),
        keys=key("keys"),
        palette=key("palette"),
        help=key("help"),
    )


def _with_keys(text: str, **keys: str) -> str:
    for place, key in keys.items():
        text = text.replace("{" + place + "}", key or "–")
    return text
