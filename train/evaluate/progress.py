"""The progress bar of commands that judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def judging_progress(console: Console, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar; call what it gives with the number of inspections just done."""
    with Progress(
        TextColumn("judging"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as progress:
        bar = progress.add_task("judging", total=total)
        yield lambda count: progress.advance(bar, count)
