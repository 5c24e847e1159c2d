"""Long work in the terminal: its progress bar on standard error, and how Ctrl-C stops it."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from rich import progress as bars
from rich.console import Console
from rich.text import Text

from app.cli.inspection_text import cleaned

STOPPED = 130  # Exit status of a program ended by Ctrl-C; `vet && export` must not continue.


class Rate(bars.ProgressColumn):
    """How many are done per second, or per minute if slower."""

    def render(self, task: bars.Task) -> Text:
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        return Text(f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.1f}/min", style="dim")


def on_standard_error(*figures: bars.ProgressColumn) -> bars.Progress:
    """A bar with these figures beside it. Draws nothing if standard error is not a terminal."""
    console = Console(stderr=True)
    columns = (
        bars.TextColumn("{task.description}", markup=False),  # it may contain a file name
        bars.BarColumn(),
        *figures,
        bars.TimeRemainingColumn(elapsed_when_finished=True),
    )
    return bars.Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yields a function to report progress."""
    with on_standard_error(bars.TaskProgressColumn()) as progress:
        bar = progress.add_task(cleaned(what), total=None)

        def show(done: int, total: int | None) -> None:
            progress.update(bar, completed=done, total=total)

        yield show


@contextmanager
def stopped_by(
    *numbers: int, stop: Callable[[], None], is_stopped: Callable[[], bool]
) -> Iterator[None]:
    """The first of these signals stops the work and keeps what is done; the second ends all."""

    def hear(number: int, frame: FrameType | None) -> None:
        if is_stopped():
            raise KeyboardInterrupt
        stop()

    before = {number: signal.signal(number, hear) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
