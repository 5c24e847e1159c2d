"""Format an inspection for the terminal, and as the JSON that scripts rely on."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from agent.checked_toml import unprintable
from agent.claims.against_table import conflicts
from agent.ellipsis import shortened
from agent.evidence.line_words import edge_text, ew_text, sigma_text, width_text
from agent.evidence.said_numbers import CLEAR_SIGMA, strength_state
from agent.spectra.lines import label_of
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from agent.trajectory.trajectory import ModelRef, Step, Trajectory, tables_of_thoughts
from agent.trajectory.trajectory_file import to_json
from app.core.errors import counted_text
from app.core.statistics.number_format import chance

MAX_CHARACTERS = 4000  # Shown of one step; a runaway model may write much more.
MAX_NAMED = 4  # spectral lines, and band heads, shown for one look
INDENT = "    "


def heading(spectrum: Spectrum, task: Task, model: ModelRef) -> Text:
    name = cleaned(spectrum.object_id or spectrum.path) or "the spectrum"
    simulated = " (SIMULATED)" if spectrum.simulated else ""
    return Text(f"{name}{simulated}: {task.question}  [{model.name}]", style="bold")


def step_lines(step: Step) -> list[Text]:
    """The lines for one step: a thought, a look with its measurements, the answer or an error."""
    who = "you: " if step.by == "person" else ""
    if step.kind == "zoom":
        return _zoom_lines(step, who)
    if step.kind == "answer":
        return _with_marker("→ ", step.plain_text, "") + _error_lines(step)
    if step.kind == "think":
        return _with_marker("· ", step.text, "dim")
    lines = _with_marker("  " + who, step.text, "") if step.text else []
    return lines + _error_lines(step)


def verdict_lines(trajectory: Trajectory) -> list[Text]:
    """The verdict, after the thoughts that contradict the tables of their looks."""
    lines = [Text(f"! {cleaned(each)}", style="yellow") for each in _against_tables(trajectory)]
    probability = "" if trajectory.p_yes is None else f"   p(YES) {chance(trajectory.p_yes)}"
    if len(trajectory.p_yes_runs) > 1:
        probability += f" over {counted_text(len(trajectory.p_yes_runs), 'inspection')}"
    looks = len(trajectory.looks)
    spent = f"   {counted_text(looks, 'look')}, {trajectory.seconds:.2f} s"
    if trajectory.verdict is None:
        why = f": {trajectory.stop_reason}" if trajectory.stop_reason else ""
        words = cleaned(f"no verdict ({trajectory.stopped_by}{why})")
        return [*lines, Text(words + spent, style="yellow")]
    style = "bold green" if trajectory.verdict == "YES" else "bold red"
    return [*lines, Text.assemble((trajectory.verdict, style), probability, (spent, "dim"))]


def _against_tables(trajectory: Trajectory) -> Iterator[str]:
    for index, table in tables_of_thoughts(trajectory.steps).items():
        for sentence, line in conflicts(trajectory.steps[index].text[:MAX_CHARACTERS], table):
            yield f"“{sentence.rstrip('.')}” Measured otherwise: {_line_words(line._asdict())}"


def inspection_json(trajectory: Trajectory) -> dict[str, Any]:
    """What `inspect --json` prints. Every step has all keys, for simple scripts."""
    model = trajectory.model
    named = {"model": model.name, "model_sha256": model.sha256, "engine": model.engine}
    steps = [_step_json(step) for step in trajectory.steps]
    return {**to_json(trajectory), **named, "steps": steps}


def cleaned(text: str) -> str:
    """The text without line breaks and terminal control characters."""
    return "".join("?" if unprintable(character) else character for character in text)


def _step_json(step: Step) -> dict[str, Any]:
    names = ("kind", "by", "turn", "text", "range", "label", "error", "verdict", "measured")
    record = {name: getattr(step, name) for name in names}
    wavelengths = None if step.range is None else list(step.range)
    return {**record, "range": wavelengths, "measured": dict(step.measured)}


def _zoom_lines(step: Step, who: str) -> list[Text]:
    if step.range is None:
        return _error_lines(step)
    low, high = step.range
    label = f"  {cleaned(step.label)}" if step.label else ""
    lines = [Text.assemble(("▣ ", "cyan"), who, (f"{low:g} to {high:g} Å", "cyan"), label)]
    if step.error:
        return lines + _error_lines(step)
    if who and step.text:
        lines += _with_marker(INDENT, step.text, "")
    return lines + [Text(INDENT + words, style="dim") for words in _measured_lines(step.measured)]


def _measured_lines(measured: Any) -> list[str]:
    lines = []
    if "snr" in measured:
        lines.append(f"S/N {measured['snr']:g} per pixel")
    lines += [_line_words(found) for found in _most_significant(measured.get("lines", ()))]
    return lines + [edge_text(edge) for edge in _most_significant(measured.get("edges", ()))]


def _most_significant(found: Sequence[Any]) -> list[Any]:
    """The MAX_NAMED most significant ones, in their original order (by wavelength)."""
    best = sorted(found, key=lambda each: each.get("sigma", 0.0), reverse=True)[:MAX_NAMED]
    return [each for each in found if each in best]


def _line_words(found: Any) -> str:
    """The line as the sentences state it, with the numbers as every table writes them."""
    name, state = label_of(found["name"]), strength_state(found)
    ew = f", EW {ew_text(found['ew'], found.get('ew_error'))} Å" if "ew" in found else ""
    sigma = found.get("sigma", 0.0)
    if not state and sigma < CLEAR_SIGMA:
        return f"{name} in the noise{ew}"
    words = f"{name} in {state}" if state in ("emission", "absorption") else f"{name} unclear"
    width = ""
    if "fwhm_kms" in found:
        width = f", FWHM {width_text(found['fwhm_kms'], found.get('fwhm_error'))} km/s"
    return words + ew + width + (f", {sigma_text(sigma)} σ" if sigma else "")


def _error_lines(step: Step) -> list[Text]:
    return _with_marker(INDENT + "! ", step.error, "yellow") if step.error else []


def _with_marker(marker: str, text: str, style: str) -> list[Text]:
    """The text after a marker, with further lines indented. Never interpreted as markup."""
    shown = shortened(text, MAX_CHARACTERS, " ...")
    lines = [cleaned(line) for line in shown.strip().split("\n")]
    markers = [marker, *[" " * len(marker)] * (len(lines) - 1)]
    return [Text(each + line, style=style) for each, line in zip(markers, lines, strict=True)]
