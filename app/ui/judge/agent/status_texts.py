"""Texts on how an inspection ended, its p(YES), and what the agent is doing now."""

from PySide6.QtCore import QCoreApplication

from agent.confidence.calibration import Calibration
from agent.trajectory.p_yes import combined_p, probability_text
from agent.trajectory.trajectory import Trajectory
from app.core.database.locations import shown_location
from app.ui.base.translation.data_texts import labelled_line
from app.ui.base.translation.message_texts import translate_message
from app.ui.session.inspection.list_run import ListRunState
from app.ui.session.inspection.records import Records
from app.ui.session.inspection.shown_trajectory import RunningState
from app.ui.session.inspection.worker_model import WorkerModel

translate = QCoreApplication.translate
MAX_NAME = 60  # characters of an object name in a status text


def outcome_text(trajectory: Trajectory) -> str:
    texts = {
        "answer": translate("agent", "answered"),
        "turn_limit": translate("agent", "no answer within the turn limit"),
        "length": translate("agent", "reached the length limit"),
        "cancelled": translate("agent", "stopped"),
        "error": translate("agent", "failed"),
    }
    text = texts.get(trajectory.stopped_by, trajectory.stopped_by)
    # The other reasons only repeat the text above.
    has_reason = trajectory.stopped_by == "error" and trajectory.stop_reason
    return labelled_line(text, translate_message(trajectory.stop_reason)) if has_reason else text


def verdict_text(trajectory: Trajectory) -> str:
    return trajectory.verdict or translate("agent", "no verdict")


def p_yes_text(trajectory: Trajectory, records: Records) -> str:
    if trajectory.p_yes is None:
        return translate("agent", "no p(YES)")
    raw = translate("agent", "p(YES) {p}").replace("{p}", probability_text(trajectory.p_yes))
    if len(trajectory.p_yes_runs) > 1:
        runs = translate("agent", "mean of {n} runs")
        raw += f" ({runs.replace('{n}', str(len(trajectory.p_yes_runs)))})"
    calibrated = records.calibrated(trajectory)
    if calibrated is None:
        return f"{raw} · " + translate("agent", "not calibrated")
    text = translate("agent", "calibrated {p}").replace("{p}", probability_text(calibrated))
    return f"{raw} · {text}"


def combined_text(trajectory: Trajectory, log_odds: float | None) -> str:
    """Return the p(YES) that catalogues make of the spectrum's; empty: there is none."""
    combined = None if log_odds is None else combined_p(trajectory.p_yes, log_odds)
    if combined is None or log_odds is None:
        return ""
    text = translate("agent", "with catalogues {p} ({odds})")
    signed = f"{log_odds:+.1f}".replace("-", "\N{MINUS SIGN}")
    return text.replace("{p}", probability_text(combined)).replace("{odds}", signed)


def combined_hint() -> str:
    return translate(
        "agent",
        "p(YES) of the spectrum, moved by what catalogues say: in brackets their weight, natural "
        "log-odds that are a judgement made beforehand. It is not calibrated. The panel Evidence "
        "tells each claim.",
    )


def calibration_hint(rule: Calibration | None) -> str:
    """Say on what the calibration is based, or that there is none."""
    if rule is None:
        return translate(
            "agent",
            "Not calibrated: p(YES) ranks candidates but is not a probability. "
            "Calibrate it with your own verdicts on the page Agreement and calibration.",
        )
    text = translate("agent", "Calibrated on {n} of your verdicts, {k} of them ACCEPT")
    return text.replace("{n}", f"{rule.n:,}").replace("{k}", f"{rule.positives:,}")


def run_text(run: RunningState, *, is_here: bool) -> str:
    if run.is_stopping:
        text = translate("agent", "stopping")
    elif run.is_paused:
        text = translate("agent", "paused")
    elif not run.is_started:
        text = translate("agent", "loading or waiting")
    elif run.partial_text:
        text = translate("agent", "writing, turn {n}").replace("{n}", str(run.turn + 1))
    else:
        text = translate("agent", "reading, turn {n}").replace("{n}", str(run.turn + 1))
    if is_here:
        return text
    text = translate("agent", "{what}, on {object}").replace("{what}", text)
    return text.replace("{object}", run.object_id[:MAX_NAME])


def waiting_text(run: RunningState | None, model: WorkerModel) -> str:
    """What a run that has not begun waits for; empty: nothing."""
    if run is None or run.is_started:
        return ""
    if model.is_loading or model.model is None:
        name = shown_location(model.name)[-MAX_NAME:]
        return translate("agent", "Loading {model}…").replace("{model}", name)
    return translate("agent", "The agent is about to begin…")


def list_run_text(state: ListRunState) -> str:
    texts = translate("agent", "List: {n} done"), translate("agent", "Selected: {n} done")
    if state.is_running and state.is_stopping:
        texts = translate("agent", "List: stopping"), translate("agent", "Selected: stopping")
    elif state.is_running and not state.model:
        selected = translate("agent", "Selected: loading the model")
        texts = translate("agent", "List: loading the model"), selected
    text = texts[state.is_of_selected].replace("{n}", f"{state.done:,}")
    if state.faults:
        text += ", " + translate("agent", "{n} unreadable").replace("{n}", f"{state.faults:,}")
    if not (state.is_running and state.model) or state.is_stopping:
        return text
    if state.left is not None:
        text += " · " + translate("agent", "{n} left").replace("{n}", f"{state.left:,}")
    if state.rate is not None and state.rate >= 1.0:
        text += " · " + translate("agent", "{n}/s").replace("{n}", f"{state.rate:.1f}")
    elif state.rate is not None:
        text += " · " + translate("agent", "{n}/min").replace("{n}", f"{60.0 * state.rate:.1f}")
    if state.rate and state.left:
        text += " · " + duration_text(state.left / state.rate)
    return text


def duration_text(seconds: float) -> str:
    if seconds < 90:
        return translate("agent", "{n} s").replace("{n}", f"{seconds:.0f}")
    if seconds < 90 * 60:
        return translate("agent", "{n} min").replace("{n}", f"{seconds / 60:.0f}")
    return translate("agent", "{n} h").replace("{n}", f"{seconds / 3600:.1f}")
