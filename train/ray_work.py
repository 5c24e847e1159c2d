"""Jobs of training commands on a Ray cluster."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Any

from agent.cluster.options import RayPlace
from agent.cluster.ray_actors import RayActors
from agent.cluster.ray_cluster import RayCluster
from agent.errors import WorkbenchError

Work = Callable[[Any], Any]
OpenWork = Callable[[], AbstractContextManager[Work]]
"""Opens what does the jobs, such as a model; called once in each actor, where it may take long."""


class Jobs:
    """What an actor holds: the opened work, and the command's folder, as paths may be relative."""

    def __init__(self, open_work: OpenWork, folder: str, sharing: int) -> None:
        self._open, self._folder = open_work, folder
        self._opened: AbstractContextManager[Work] | None = None

    def begin(self) -> None:
        try:
            os.chdir(self._folder)
        except OSError as error:
            lacks = f"a machine of the cluster has no folder {self._folder}"
            raise WorkbenchError(lacks) from error
        if self._opened is None:
            self._opened = self._open()
            # It is never left: the cluster ends the actor's process with all that it holds.
            self._work = self._opened.__enter__()

    def work(self, job: Any) -> Any:
        return self._work(job)


def ray_results(
    open_work: OpenWork, jobs: Iterable[Any], place: RayPlace
) -> Iterator[tuple[int, Any]]:
    """The number and result of each job, as they come."""
    make = partial(Jobs, open_work, str(Path.cwd()))
    with (
        closing(RayCluster(place)) as cluster,
        closing(RayActors[int](cluster, make)) as actors,
        closing(actors.run(enumerate(jobs))) as answers,
    ):
        for answer in answers:
            if answer.lost:
                raise WorkbenchError(
                    f"two actors died at the same work (out of memory?): {answer.lost}; repeat "
                    "the command to continue"
                )
            yield answer.key, answer.value


def ray_in_order(open_work: OpenWork, jobs: Iterable[Any], place: RayPlace) -> Iterator[Any]:
    """The result of each job, in the order of the jobs."""
    early: dict[int, Any] = {}  # results that wait for one of an earlier job
    following = 0
    for number, result in ray_results(open_work, jobs, place):
        early[number] = result
        while following in early:
            yield early.pop(following)
            following += 1
