"""A progress bar on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from app.cli.inspection_text import cleaned


def on_standard_error(*figures: ProgressColumn) -> Progress:
    """A bar with these figures beside it. Draws nothing if standard error is not a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),  # it may contain a file name
        BarColumn(),
        *figures,
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yields a function to report progress."""
    with on_standard_error(TaskProgressColumn()) as progress:
        bar = progress.add_task(cleaned(what), total=None)

        def show(done: int, total: int | None) -> None:
            progress.update(bar, completed=done, total=total)

        yield show
