"""Rooms and commands that the package `train` adds to the program where it is installed.

They are entry points of this distribution, so that nothing here imports `train`.
"""

from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from importlib.util import find_spec

from agent.program_version import DISTRIBUTION


def rooms() -> dict[str, EntryPoint]:
    """Windows of their own: by the action that opens it, a function that takes the main window."""
    return _entries("spec_o3.rooms")


def room_commands() -> dict[str, EntryPoint]:
    """Functions that are commands of `spec-o3`, by their name."""
    return _entries("spec_o3.commands")


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    try:
        # Not those of all packages: looking through them takes longer than a frame.
        every = distribution(DISTRIBUTION).entry_points
    except PackageNotFoundError:  # a source tree that nobody has installed
        return {}
    mine = (each for each in every if each.group == group)
    # Of packages that are there; nothing of them is imported.
    return {each.name: each for each in mine if find_spec(each.module.partition(".")[0])}
