"""`spec-o3-train`: the commands that train models from labels and simulations."""

import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console

from agent.cluster.options import RayCommand
from agent.errors import WorkbenchError
from agent.program_version import program_version
from train.baselines.command import baselines
from train.bench.command import bench
from train.draft.command import draft
from train.evaluate.command import app as evaluate
from train.export.command import export, reopen
from train.grpo.command import grpo
from train.models.command import average, card
from train.pipeline.command import chain
from train.questions.command import questions
from train.report.command import report
from train.report.public import public
from train.review.train_commands import audit, curate, judge, lessons
from train.sft.command import sft
from train.simulate.command import simulate
from train.simulate.realism.realism_command import realism
from train.simulate.realism.transfer import transfer
from train.stars.command import stars
from train.vision.command import app as eye
from train.vision.words_command import evaluate_words
from train.weights.command import measured, weights
from train.weights.quick import quick_weights

app = typer.Typer(
    name="spec-o3-train",
    help="Train inspectors from labels and simulations.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"spec-o3-train {program_version()}")
        raise typer.Exit


ShowVersion = Annotated[
    bool,
    typer.Option(
        "--version", help="Show the version and exit.", is_eager=True, callback=_show_version
    ),
]


@app.callback()
def commands(version: ShowVersion = False) -> None:
    """Train inspectors from labels and simulations."""


_COMMANDS: tuple[Callable[..., None], ...] = (
    simulate, realism, transfer, weights, quick_weights, measured, stars, questions, bench,
    baselines, draft, judge, lessons, sft, grpo, average, export, reopen, card, audit, report,
    chain,
)  # fmt: skip
for _command in _COMMANDS:
    # The two that can work on a Ray cluster: their --ray may stand with or without an address.
    app.command(cls=RayCommand if _command in (bench, draft) else None)(_command)
# Beside the others, though they need the words of the eye, and the pages of the report.
evaluate.command("words")(evaluate_words)
evaluate.command("public")(public)
for _name, _commands in (("curate", curate), ("eye", eye), ("evaluate", evaluate)):
    app.add_typer(_commands, name=_name)


def main() -> None:
    """Exit with status 0 for success, 1 after a message for the user, 2 for a usage error."""
    # torch reads this on import. Threads that busy-wait for one whose core another program took
    # make small models up to forty times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        app()
    except WorkbenchError as error:
        Console(stderr=True, soft_wrap=True).print(f"spec-o3-train: {error}", markup=False)
        sys.exit(1)


if __name__ == "__main__":  # `accelerate launch -m train.cli sft ...`
    main()
