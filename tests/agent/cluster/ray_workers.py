"""Workers for actors in tests: they do what the call says."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from agent.cluster.ray_actors import CannotWork
from agent.errors import WorkbenchError


class Obedient:
    def __init__(self, sharing: int) -> None:
        self.sharing = sharing

    def begin(self) -> object:
        return f"{self.sharing} share"

    def work(self, call: str) -> object:
        act, _, argument = call.partition(":")
        if act == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if act == "die-unless-there" and not Path(argument).exists():
            Path(argument).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if act == "wait":
            signal.pause()
        if act == "useless-unless-there" and not Path(argument).exists():
            Path(argument).touch()
            raise CannotWork("the server is gone")
        if act == "useless":
            raise CannotWork("the server is gone")
        if act == "refuse":
            raise WorkbenchError("the disk is full")
        return call.upper(), os.getpid()


class Unable(Obedient):
    def begin(self) -> object:
        raise WorkbenchError("there is no model of that name")


class Doomed(Obedient):
    def begin(self) -> object:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class Broken(Obedient):
    def __init__(self, sharing: int) -> None:
        raise ModuleNotFoundError("No module named 'agent'")


class Different(Obedient):
    """Each says something else."""

    def begin(self) -> object:
        return os.getpid()
