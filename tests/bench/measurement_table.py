"""Bias and scatter of EW and FWHM against S/N: `python -m tests.bench.measurement_table`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agent.spectra.measure.line_measure import measure_line
from tests.agent.spectra.measure.known_lines import BROAD, NARROW, WIDE, KnownLine, observed

SNRS = (3, 5, 10, 20, 50, 100)
LINES = (NARROW, BROAD, WIDE)
N_DRAWS = 200


@dataclass(frozen=True)
class Row:
    """Relative bias and scatter, and the scatter of (measured - true) / quoted error."""

    line: str
    snr: int
    found: float
    ew_bias: float
    ew_scatter: float
    ew_pull: float
    fwhm_bias: float
    fwhm_scatter: float
    fwhm_pull: float
    centre_pull: float


def measure(line: KnownLine, snr: int, n_draws: int = N_DRAWS, seed: int = 7) -> Row:
    rng = np.random.default_rng([seed, snr])
    answers = []
    for _ in range(n_draws):
        got = measure_line(observed([line], snr, rng), line.line)
        if got.is_detected:
            row = (got.ew, got.ew_error, got.fwhm, got.fwhm_error, got.centroid, got.centroid_error)
            answers.append(row)
    found = len(answers) / n_draws
    if len(answers) < 2:
        return Row(line.name, snr, found, *(float("nan"),) * 7)
    ew, ew_error, fwhm, fwhm_error, centre, centre_error = np.array(answers, dtype=np.float64).T
    return Row(
        line.name, snr, found, float(ew.mean() / line.ew - 1.0), float(ew.std() / abs(line.ew)),
        float(((ew - line.ew) / ew_error).std()), float(fwhm.mean() / line.fwhm - 1.0),
        float(fwhm.std() / line.fwhm), float(((fwhm - line.fwhm) / fwhm_error).std()),
        float(((centre - line.centre) / centre_error).std())
    )  # fmt: skip


def rows() -> Iterator[Row]:
    for line in LINES:
        for snr in SNRS:
            yield measure(line, snr)


def main() -> None:
    print(
        "line                          S/N found | EW bias scatter  pull | FWHM bias scatter  pull"
    )
    for row in rows():
        print(
            f"{row.line:29s} {row.snr:3d} {100 * row.found:4.0f}% |"
            f" {100 * row.ew_bias:+6.1f}% {100 * row.ew_scatter:6.1f}% {row.ew_pull:5.2f} |"
            f"   {100 * row.fwhm_bias:+6.1f}% {100 * row.fwhm_scatter:6.1f}% {row.fwhm_pull:5.2f}"
        )


if __name__ == "__main__":
    main()
