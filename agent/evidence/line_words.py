"""What is said of one spectral line: its state, its equivalent width, its width."""

from dataclasses import dataclass

from agent.evidence.features import plain_zero
from agent.evidence.findings import Finding
from agent.evidence.measurements import SpectrumMeasurements, is_hot_line
from agent.evidence.said_numbers import Row, SaidNumbers, strength_state
from agent.spectra.lines import builtin_lines, label_of

BORDERLINE = "borderline"
KIND_OF_LINE = ("line", "width")


@dataclass(frozen=True)
class LineWords:
    """A sentence about a line, without its end; `remark` says what the numbers mean."""

    text: str
    remark: str = ""

    @property
    def full(self) -> str:
        return f"{self.text}: {self.remark}" if self.remark else self.text


def ew_text(ew: float, error: float | None) -> str:
    """An equivalent width with its error, as sentences and tables both write it."""
    digits = 1 if max(abs(ew), error or 0.0) >= 10.0 else 2
    text = plain_zero(f"{ew:.{digits}f}")
    return text if error is None else f"{text} ± {error:.{digits}f}"


def width_text(fwhm: float, error: float | None) -> str:
    """A FWHM in km/s with its error, as every table writes it."""
    return f"{fwhm:.0f}" if error is None else f"{fwhm:.0f} ± {error:.0f}"


def sigma_text(sigma: float) -> str:
    """How many σ, as a number with one decimal or none."""
    return f"{sigma:.{0 if sigma >= 10.0 else 1}f}"


def edge_text(row: Row) -> str:
    """A band head with its drop, as the terminal and the copied text write it."""
    return f"{label_of(row['name'])}: drop {100 * row['drop']:.0f} %, {sigma_text(row['sigma'])} σ"


HINT_SIGMA = 2.0


def line_text(name: str, row: Row, expected: str = "") -> str:
    """The state of a line with its numbers, as "Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s".

    `expected` is what is said to be missing if nothing stands out of the noise, and to be hinted at
    if something nearly does.
    """
    state = strength_state(row)
    label = label_of(name)
    if state:
        words = f"{label} {state}"
    else:
        words = f"{'hint of' if _is_hint(name, row, expected) else 'no'} {label} {expected}"
    text = f"{words}, EW {ew_text(row['ew'], row.get('ew_error'))} Å"
    width = row.get("fwhm_kms")
    is_clear = state in ("emission", "absorption")
    return f"{text}, FWHM {width:.0f} km/s" if width and is_clear else text


def _is_hint(name: str, row: Row, expected: str) -> bool:
    is_forbidden = is_line(name) and builtin_lines()[name].is_forbidden
    return _stands_out(row, expected) and not (is_forbidden and expected == "absorption")


def _stands_out(row: Row, side: str) -> bool:
    sign = -1.0 if side == "emission" else 1.0
    return bool(sign * row["ew"] > HINT_SIGMA * row.get("ew_error", 0.0))


def is_line(name: str) -> bool:
    """Whether this is a line of the line lists, and no band head."""
    return name in builtin_lines() and builtin_lines()[name].kind == "line"


def line_of(finding: Finding, numbers: SpectrumMeasurements) -> str:
    """The line that decides a claim; empty if the claim is about something else."""
    evidence = finding.evidence
    if evidence.combine in ("mean", "sum") and len(evidence.target) > 1:
        return ""
    if evidence.kind not in KIND_OF_LINE:
        # An index of the same name as a line measures that line.
        alone = len(evidence.target) == 1 and evidence.kind == "index"
        return evidence.target[0] if alone and is_line(evidence.target[0]) else ""
    measure = numbers.line_width if evidence.kind == "width" else numbers.line_strength
    deciding = (name for name in evidence.target if measure(name).value == finding.value)
    return next(deciding, "")


def line_words(finding: Finding, name: str, said: SaidNumbers, class_name: str) -> LineWords | None:
    """What is said of the line behind a claim; None if its numbers do not support a sentence."""
    row = said.line(name)
    if "ew" not in row:
        return None
    evidence = finding.evidence
    if evidence.kind == "width":
        if not row.get("fwhm_kms") or strength_state(row) != "emission":
            return None
        return LineWords(line_text(name, row, "emission"), _width_remark(finding, class_name))
    expected = "emission" if evidence.expect == "emission" else "absorption"
    state = strength_state(row)
    if _stands_out(row, "absorption") and is_hot_line(name) and said.numbers.has_deep_bands:
        return None
    text = line_text(name, row, expected)
    return LineWords(text, _strength_remark(finding, state, expected, class_name))


def _strength_remark(finding: Finding, state: str, expected: str, class_name: str) -> str:
    evidence = finding.evidence
    says_there = finding.is_found == (evidence.expect != "below")
    if finding.meaning and (state == expected or not says_there):
        return finding.meaning
    if finding.is_borderline and state == expected:
        return BORDERLINE
    if finding.is_found or state != expected or evidence.expect == "below":
        return ""
    return "weak" if evidence.rank == "contaminant" else f"weak for {class_name}"


def _width_remark(finding: Finding, class_name: str) -> str:
    evidence = finding.evidence
    if finding.is_found and finding.meaning:
        return finding.meaning
    if evidence.rank == "contaminant":
        return ""
    if finding.is_borderline:
        return BORDERLINE
    wide = (evidence.expect == "above") == finding.is_found
    size = "wide" if wide else "narrow"
    return f"{size} as in {class_name}" if finding.is_found else f"{size} for {class_name}"


def merged(parts: list[LineWords | str]) -> list[str]:
    """The texts in their order, those about one line in one."""
    remarks: dict[str, str] = {}
    for part in parts:
        text, remark = (part, "") if isinstance(part, str) else (part.text, part.remark)
        remarks[text] = remarks.get(text, "") or remark
    return [LineWords(text, remark).full for text, remark in remarks.items()]
