"""The wordings in the user's models folder, and which one a model is asked in."""

from __future__ import annotations

from agent.models.card import Card
from agent.models.folders import wording_folder
from agent.protocol.wording import Wording
from agent.protocol.wording_file import WORDING_NAME, read_wording

NOT_HERE = (
    "{model} is prompted in our words, not in those it was trained on: the accuracy of the "
    "published weights is not guaranteed (spec-o3 models wording {wording} --from ...)"
)


def wording_of(card: Card) -> Wording | None:
    """The wording that a model's card names, if it is here; raises ResourceError if damaged."""
    if not card.wording or card.style.brief:
        return None
    folder = wording_folder(card.wording)
    return read_wording(folder) if (folder / WORDING_NAME).is_file() else None


def missing_wording(card: Card) -> str:
    """The sentence to show if a model has to be asked in other words than its own, else ""."""
    if not card.wording or wording_of(card) is not None:
        return ""
    return NOT_HERE.format(model=card.name, wording=card.wording)
