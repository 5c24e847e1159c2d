"""The curve of a run as a picture: for reports, and for LOG.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

LINES = {"reward": "black", "accuracy": "tab:blue", "well_formed": "tab:green"}
SHARES = {"groups_alike": "tab:orange", "says_yes": "tab:purple"}
COUNTS = {"calls": "tab:red"}


def draw_curve(runs: Mapping[str, Sequence[Mapping[str, Any]]], path: Path) -> None:
    """Metrics of one or several runs by name, as `train.journal.read_metrics` gives them, to a
    PNG: reward and shares above, calls below, over the updates."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 5.0), layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    for number, (run, metrics) in enumerate(runs.items()):
        style = ("-", "--", ":", "-.")[number % 4]
        for axes, names in ((above, LINES | SHARES), (below, COUNTS)):
            for name, colour in names.items():
                points = [
                    (line["step"], line[name]) for line in metrics if line.get(name) is not None
                ]
                if points:
                    shown = f"{name.replace('_', ' ')}" + (f", {run}" if len(runs) > 1 else "")
                    axes.plot(*zip(*points, strict=True), style, color=colour, lw=1.2, label=shown)
    above.set_ylim(-0.25, 1.05)
    above.set_ylabel("mean over the rollouts")
    below.set_ylabel("calls")
    below.set_xlabel("updates")
    handles = [*above.lines, *below.lines]
    figure.legend(handles=handles, fontsize=7, ncols=3, loc="outside lower center")
    figure.savefig(path, dpi=120)
