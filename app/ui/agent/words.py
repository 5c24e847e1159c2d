"""What the agent panel says in words: how an inspection ended, how sure it is, what it does now."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from agent.confidence.calibration import Calibration
from agent.trajectory.trajectory import Trajectory
from app.ui.inspection.list_run import ListRunState
from app.ui.inspection.records import Records
from app.ui.inspection.running import RunningState

translate = QCoreApplication.translate
MOST_PLACES = 60
"""Characters of a name in a line of the panel."""


def ended_words(trajectory: Trajectory) -> str:
    """Why an inspection stopped."""
    words = {
        "answer": translate("agent", "answered"),
        "turn_limit": translate("agent", "came to no answer within its turns"),
        "length": translate("agent", "ran out of room for words"),
        "cancelled": translate("agent", "was stopped"),
        "error": translate("agent", "broke off"),
    }
    said = words.get(trajectory.stopped_by, trajectory.stopped_by)
    # All others say it themselves; an error comes from anywhere.
    is_told = trajectory.stopped_by == "error" and trajectory.stop_reason
    return f"{said}: {trajectory.stop_reason}" if is_told else said


def verdict_words(trajectory: Trajectory) -> str:
    return trajectory.verdict or translate("agent", "no verdict")


def chance(p: float) -> str:
    """A probability: never 0 or 1, which nobody knows."""
    if p < 0.005:
        return "< 0.01"
    return "> 0.99" if p > 0.995 else f"{p:.2f}"


def sureness(trajectory: Trajectory, records: Records) -> str:
    """p(YES) as the model gives it, and what it is worth here."""
    if trajectory.p_yes is None:
        return translate("agent", "gives no p(YES)")
    raw = translate("agent", "p(YES) {p}").replace("{p}", chance(trajectory.p_yes))
    if len(trajectory.p_yes_runs) > 1:
        runs = translate("agent", "mean of {n} runs")
        raw += f" ({runs.replace('{n}', str(len(trajectory.p_yes_runs)))})"
    calibrated = records.calibrated(trajectory)
    if calibrated is None:
        return f"{raw} · " + translate("agent", "not calibrated")
    told = translate("agent", "calibrated {p}").replace("{p}", chance(calibrated))
    return f"{raw} · {told}"


def sureness_hint(rule: Calibration | None) -> str:
    """What the calibration rests on, or why there is none."""
    if rule is None:
        return translate(
            "agent",
            "Not calibrated: p(YES) orders candidates, but is no probability. "
            "The page Agreement and calibration fits it to your own verdicts.",
        )
    text = translate("agent", "Calibrated on {n} of your verdicts, {k} of them ACCEPT")
    return text.replace("{n}", f"{rule.n:,}").replace("{k}", f"{rule.positives:,}")


def run_words(run: RunningState, *, is_here: bool) -> str:
    if run.is_stopping:
        said = translate("agent", "stopping")
    elif run.is_held:
        said = translate("agent", "held")
    elif not run.is_started:
        said = translate("agent", "loading, or waiting its turn")
    elif run.said:
        said = translate("agent", "speaking, turn {n}").replace("{n}", str(run.turn + 1))
    else:
        said = translate("agent", "reading, turn {n}").replace("{n}", str(run.turn + 1))
    if is_here:
        return said
    return (
        translate("agent", "{what}, on {object}")
        .replace("{what}", said)
        .replace("{object}", run.object_id[:MOST_PLACES])
    )


def batch_words(state: ListRunState) -> str:
    if not state.is_running:
        said = translate("agent", "List: {n} inspected").replace("{n}", f"{state.done:,}")
    elif state.is_stopping:
        said = translate("agent", "List: stopping")
    elif not state.model:
        said = translate("agent", "List: loading the model")
    else:
        said = translate("agent", "List: {n} done").replace("{n}", f"{state.done:,}")
        if state.left is not None:
            said += " · " + translate("agent", "{n} left").replace("{n}", f"{state.left:,}")
        if state.rate is not None:
            said += " · " + rate_words(state.rate)
        if state.rate and state.left:
            said += " · " + duration_words(state.left / state.rate)
    if state.faults:
        said += " · " + translate("agent", "{n} without a record").replace(
            "{n}", f"{state.faults:,}"
        )
    return said


def rate_words(rate: float) -> str:
    if rate >= 1.0:
        return translate("agent", "{n}/s").replace("{n}", f"{rate:.1f}")
    return translate("agent", "{n}/min").replace("{n}", f"{60.0 * rate:.1f}")


def duration_words(seconds: float) -> str:
    if seconds < 90:
        return translate("agent", "{n} s").replace("{n}", f"{seconds:.0f}")
    if seconds < 90 * 60:
        return translate("agent", "{n} min").replace("{n}", f"{seconds / 60:.0f}")
    return translate("agent", "{n} h").replace("{n}", f"{seconds / 3600:.1f}")
