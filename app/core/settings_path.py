"""Path of the settings file, and the reviewer name saved in it, which commands use too."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from platformdirs import user_config_path

from app.core.session.verdict_log import MAX_NAME

MAX_BYTES = 256 * 1024


def settings_path() -> Path:
    """The settings file of this user, which may not exist. SPEC_O3_CONFIG overrides the folder."""
    folder = os.environ.get("SPEC_O3_CONFIG")
    if folder:
        return Path(folder).expanduser() / "settings.toml"
    return user_config_path("spec-o3-workbench", appauthor=False, roaming=True) / "settings.toml"


def saved_reviewer_name() -> str:
    """The reviewer name chosen in the window; empty if none is set or the file is invalid."""
    try:
        with settings_path().open("rb") as stream:
            values = tomllib.loads(stream.read(MAX_BYTES).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return ""
    name = values.get("reviewer", "")
    is_valid = isinstance(name, str) and name.isprintable() and len(name) <= MAX_NAME
    return name.strip() if is_valid else ""
