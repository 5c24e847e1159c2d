"""The name under which verdicts are saved: from the settings, the environment or the system.

Commands and the window use the same one, so the path of the settings file is known here.
"""

import getpass
import os
import tomllib
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

MAX_BYTES = 256 * 1024
MAX_NAME = 80
REVIEWER_VARIABLE = "SPEC_O3_REVIEWER"


def settings_path() -> Path:
    """The settings file of this user, which may not exist. SPEC_O3_CONFIG overrides the folder."""
    folder = os.environ.get("SPEC_O3_CONFIG")
    if folder:
        return Path(folder).expanduser() / "settings.toml"
    return user_config_path("spec-o3-workbench", appauthor=False, roaming=True) / "settings.toml"


def saved_settings(path: Path | None = None) -> dict[str, Any]:
    """The values in the settings file; none if it is invalid."""
    try:
        with (path or settings_path()).open("rb") as stream:
            return tomllib.loads(stream.read(MAX_BYTES).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}


def saved_reviewer_name() -> str:
    """The reviewer name chosen in the window; empty if none is set or the file is invalid."""
    name = saved_settings().get("reviewer", "")
    is_valid = isinstance(name, str) and name.isprintable() and len(name) <= MAX_NAME
    return name.strip() if is_valid else ""


def system_user_name(fallback: str) -> str:
    """The login name, or `fallback` where there is none, as in some containers."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return fallback


def name_from_environment() -> str:
    """The reviewer name set in SPEC_O3_REVIEWER, empty if unset."""
    return os.environ.get(REVIEWER_VARIABLE, "").strip()


def is_reviewer_name(name: str) -> bool:
    """Whether verdicts can be saved under it."""
    return 0 < len(name) <= MAX_NAME and name.isprintable()
