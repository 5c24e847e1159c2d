"""Where models are kept: the user's folder, wordings beside them, the hub's cache."""

import os
from pathlib import Path

from platformdirs import user_data_path

WORDINGS = "wordings"  # the folder of wordings, beside those of models


def models_folder() -> Path:
    """Return the folder of the user's models, which may not exist."""
    chosen = os.environ.get("SPEC_O3_MODELS")
    if chosen:
        return Path(chosen).expanduser()
    return user_data_path("spec-o3-workbench", appauthor=False) / "models"


def wording_folder(name: str) -> Path:
    """Return the folder of a wording, which may not exist."""
    return models_folder() / WORDINGS / name


def hub_cache() -> Path:
    """Return the folder in which other programs keep what they download from the hub."""
    if chosen := os.environ.get("HF_HUB_CACHE"):
        return Path(chosen).expanduser()
    home = os.environ.get("HF_HOME")
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home or f"{base}/huggingface").expanduser() / "hub"
