"""Where the window's settings lie, and the one of them that commands go by, too."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from platformdirs import user_config_path

from app.core.session.verdict_log import MAX_NAME

MAX_BYTES = 256 * 1024


def settings_path() -> Path:
    """Of this user; it need not exist. SPEC_O3_CONFIG names another folder."""
    chosen = os.environ.get("SPEC_O3_CONFIG")
    if chosen:
        return Path(chosen).expanduser() / "settings.toml"
    return user_config_path("spec-o3-workbench", appauthor=False, roaming=True) / "settings.toml"


def chosen_name() -> str:
    """Under which name the window keeps verdicts; nothing where none was chosen or the file is
    unfit. Never raises."""
    try:
        with settings_path().open("rb") as stream:
            values = tomllib.loads(stream.read(MAX_BYTES).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return ""
    name = values.get("reviewer", "")
    is_fit = isinstance(name, str) and name.isprintable() and len(name) <= MAX_NAME
    return name.strip() if is_fit else ""
