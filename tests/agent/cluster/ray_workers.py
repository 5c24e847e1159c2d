"""Workers for actors in tests: they do what the call says."""

import os
import signal
import threading
from pathlib import Path

from agent.cluster.ray_actors import CannotWork, MustBeAlone
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


class Sociable(Obedient):
    """Works on several calls side by side, and says how many there were."""

    def __init__(self, sharing: int) -> None:
        super().__init__(sharing)
        self._at_once = self._most = 0
        self._changed = threading.Condition()

    def work(self, call: str) -> object:
        act, _, argument = call.partition(":")
        with self._changed:
            self._at_once += 1
            self._most = max(self._most, self._at_once)
            self._changed.notify_all()
            if act == "together":
                assert self._changed.wait_for(lambda: self._most >= int(argument), 60)
        try:
            if act == "alone" and self._at_once > 1:
                raise MustBeAlone("it may be to blame")
            said, _ = super().work(call)
            return said, self._most
        finally:
            with self._changed:
                self._at_once -= 1


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
