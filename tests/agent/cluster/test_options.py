"""The options of a command that can work on a Ray cluster."""

from __future__ import annotations

import typer
from typer.testing import CliRunner

from agent.cluster.options import ActorsOption, GpusEachOption, RayCommand, RayOption, ray_place

app = typer.Typer()


@app.command(cls=RayCommand)
def work(ray: RayOption = None, actors: ActorsOption = None, gpus_each: GpusEachOption = 0.0):
    typer.echo(repr(ray_place(ray, actors, gpus_each, workers=1)))


@app.command(cls=RayCommand)
def share(workers: int, ray: RayOption = None):
    ray_place(ray, None, 0.0, workers)


def said(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    return result.stdout if result.exit_code == 0 else result.stderr


def test_the_place_is_what_the_options_say():
    assert said("work") == "None\n"
    assert said("work", "--ray") == "RayPlace(address='', actors=None, gpus_each=0.0)\n"
    assert said("work", "--gpus-each", "0.5", "--ray", "auto", "--actors", "3") == (
        "RayPlace(address='auto', actors=3, gpus_each=0.5)\n"
    )


def test_options_that_do_not_go_together():
    assert "need --ray" in said("work", "--actors", "3")
    assert "give --actors instead" in said("share", "2", "--ray")
