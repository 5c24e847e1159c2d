"""Runs first in the bundled program."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile


def give_back(name: str) -> None:
    """The bundle's libraries are for the bundle: a browser or a file manager that is started from
    here would meet them and fail. Our own children are started as the program is from outside, and
    set this for themselves: one that takes itself for a part of this process does not, and then
    runs only where the system has the libraries, too."""
    before = os.environ.pop(f"{name}_ORIG", None)
    if before is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = before


def keep_fonts_list() -> None:
    """matplotlib looks through all fonts once, not at each start; a pip-installed one keeps its
    own list, with other paths in it."""
    from platformdirs import user_cache_path

    place = user_cache_path("spec-o3-workbench", appauthor=False) / "matplotlib"
    try:
        place.mkdir(parents=True, exist_ok=True)
        is_ours = os.access(place, os.W_OK)
    except OSError:
        is_ours = False
    os.environ["MPLCONFIGDIR"] = str(place) if is_ours else _passing_folder()


def _passing_folder() -> str:
    """For a home that nothing can be written to: matplotlib would have much to say of it."""
    folder = tempfile.mkdtemp(prefix="spec-o3-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


if sys.platform.startswith("linux"):
    give_back("LD_LIBRARY_PATH")
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
if "MPLCONFIGDIR" not in os.environ:  # our children have ours
    keep_fonts_list()
