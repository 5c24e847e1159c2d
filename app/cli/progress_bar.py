"""A bar on standard error for what takes a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from app.cli.inspection_text import cleaned
from app.core.progress import Progress as OnProgress


@contextmanager
def progress_bar(what: str) -> Iterator[OnProgress]:
    """To be called with how much is done, of how much. Nothing is written where nobody watches."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),  # it may hold the name of a file
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        bar = progress.add_task(cleaned(what), total=None)

        def show(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        yield show
