"""A connection to a Ray cluster, or a Ray of our own on this machine.

Ray is imported in this folder alone, and only once somebody asks for it.
"""

import logging
import math
import os
import socket

from agent.checked_toml import printable
from agent.cluster.options import HERE, RayPlace
from agent.errors import WorkbenchError

NEEDS_RAY = (
    "--ray needs Ray, which is not installed: "
    'pip install "spec-o3-workbench[cluster]", here and on every machine of the cluster'
)
STORE_BYTES = 200_000_000
"""Memory for objects under way on this machine: Ray would take a third of all there is."""
CONNECT_S = 10.0

_log = logging.getLogger(__name__)


class RayCluster:
    """The Ray of a place, connected until `close`; one already connected is used as it is."""

    def __init__(self, place: RayPlace) -> None:
        try:
            import ray
        except ImportError as error:
            raise WorkbenchError(NEEDS_RAY) from error
        self.ray = ray
        self.gpus_each = place.gpus_each
        self._is_ours = not self.ray.is_initialized()
        if self._is_ours:
            self._connect(place)
        try:
            has = self.ray.cluster_resources()
            self._check_gpus(has.get("GPU", 0.0), place)
            machines = sum(node["Alive"] for node in self.ray.nodes())
        except BaseException:
            self.close()
            raise
        there = has.get("GPU", 0.0) / place.gpus_each if place.gpus_each else has.get("CPU", 1.0)
        self.actors = place.actors or max(1, int(there))
        self.actors_each_machine = math.ceil(self.actors / max(1, machines))

    def close(self) -> None:
        if self._is_ours:
            self.ray.shutdown()

    def _connect(self, place: RayPlace) -> None:
        _check_address(place.address)
        # Ray would print what dies to our standard output; we report what matters ourselves.
        self.ray._private.worker.print_to_stdstream = lambda *words, **more: None
        try:
            if place.address == HERE:
                os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
                os.environ.setdefault("RAY_worker_niceness", "0")  # else 15, behind all others
                self.ray.init(
                    address="local",
                    num_cpus=max(place.actors or 1, os.cpu_count() or 1),
                    object_store_memory=STORE_BYTES,
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                )
            else:
                self.ray.init(
                    address=place.address, log_to_driver=False, logging_level=logging.ERROR
                )
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            needs_token = place.address not in (HERE, "auto") and "RAY_AUTH_MODE" not in os.environ
            hint = "; if it asks for a token: export RAY_AUTH_MODE=token" if needs_token else ""
            where = "on this machine" if place.address == HERE else f"at {place.address}"
            reason = printable(str(error).strip().partition("\n")[0], 300) or type(error).__name__
            raise WorkbenchError(f"Ray cannot be used {where}: {reason}{hint}") from error

    def _check_gpus(self, there: float, place: RayPlace) -> None:
        if place.gpus_each <= there:
            return
        message = f"each actor wants {place.gpus_each:g} GPU, and Ray knows of {there:g}"
        if place.address == HERE:
            raise WorkbenchError(f"{message}: leave out --gpus-each to work on the processors")
        _log.warning("%s: the work begins when a machine with one joins", message)


def _check_address(address: str) -> None:
    """Ray itself would knock at a wrong address for many minutes."""
    if address in (HERE, "auto"):
        return
    host, colon, port = address.rpartition(":")
    if "/" in address or not colon or not port.isdecimal():
        raise WorkbenchError(
            f"--ray {printable(address, 100)}: an address is HOST:PORT, as `ray start` says it, or "
            "`auto`; run the command on a machine of the cluster"
        )
    try:
        socket.create_connection((host, int(port)), CONNECT_S).close()
    except (OSError, OverflowError) as error:
        raise WorkbenchError(f"no Ray answers at {printable(address, 100)}: {error}") from error
