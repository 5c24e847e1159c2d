"""A progress bar on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import progress as bars
from rich.console import Console
from rich.text import Text

from app.cli.inspection_text import cleaned


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
