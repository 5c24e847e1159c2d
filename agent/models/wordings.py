"""The wordings in the user's models folder, and which one a model is asked in."""

from pathlib import Path

from agent.checked_toml import shown
from agent.errors import ResourceError
from agent.models.card import NAME, Card
from agent.models.folders import wording_folder
from agent.protocol.wording import Wording
from agent.protocol.wording_file import has_wording, read_wording, write_wording

NOT_HERE = (
    "{model} is prompted in our words, not in those it was trained on: the accuracy of the "
    "published weights is not guaranteed (spec-o3 models wording {wording} --from ...)"
)


def wording_of(card: Card) -> Wording | None:
    """The wording that a model's card names, if it is here; raises ResourceError if damaged."""
    if not card.wording or card.style.brief:
        return None
    folder = wording_folder(card.wording)
    return read_wording(folder) if has_wording(folder) else None


def missing_wording(card: Card) -> str:
    """What to tell the user if a model's own wording is not here; empty if nothing is missing."""
    if not card.wording or wording_of(card) is not None:
        return ""
    return NOT_HERE.format(model=card.name, wording=card.wording)


def wording_at(name: str) -> Wording:
    """The wording of this name; raises ResourceError if it is not here."""
    folder = wording_folder(name)
    if not has_wording(folder):
        raise ResourceError(
            f"there is no wording {shown(name)} here: read one with `spec-o3 models wording "
            f"{name} --from FILE_OR_DATA_SET`"
        )
    return read_wording(folder)


def keep_wording(wording: Wording) -> Path:
    """Keep it in the user's folder, in the place of an earlier one."""
    return write_wording(wording, wording_folder(wording.name))


def checked_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ResourceError(f"{shown(name)} is no name of a wording")
    return name
