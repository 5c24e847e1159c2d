"""The wording that a model is trained and judged in, where it is not ours.

It is told by its name among the installed ones, by its folder (as `bench --published` writes one),
or by the card of the model that training continues from.
"""

from pathlib import Path

from agent.errors import WorkbenchError
from agent.models.card import Card
from agent.models.folders import wording_folder
from agent.models.wordings import missing_wording, wording_of
from agent.protocol.wording import Wording
from agent.protocol.wording_file import NAME, has_wording, read_wording, write_wording

OURS = "ours"
FOLDER = "wording"  # the folder of the wording beside the sets that `bench --published` makes
PUBLISHED_NAME = "spec-o3"  # the name by which the cards of the published models call theirs


def find_wording(told: str) -> Wording:
    """The wording in a folder, or the installed one of this name."""
    if has_wording(Path(told)):
        return read_wording(Path(told))
    folder = wording_folder(told) if NAME.fullmatch(told) else None
    if folder is None or not has_wording(folder):
        raise WorkbenchError(
            f"there is no wording {told[:120]!r}: give its folder, or read it first with "
            f"spec-o3 models wording NAME --from ..."
        )
    return read_wording(folder)


def wording_to_train(told: str, card: Card | None) -> Wording | None:
    """What `--wording` names, else that of the starting model; None for ours."""
    if told == OURS:
        return None
    if told:
        return find_wording(told)
    if card is not None and (why := missing_wording(card)):
        raise WorkbenchError(f"{why}; or train it in our words: --wording {OURS}")
    return None if card is None else wording_of(card)


def install(wording: Wording) -> None:
    """Keep a wording where a model whose card names it will look for it."""
    folder = wording_folder(wording.name)
    if not has_wording(folder):
        write_wording(wording, folder)
    elif read_wording(folder).sha256 != wording.sha256:
        raise WorkbenchError(
            f"another wording is installed as {wording.name} ({folder}): a model tuned in this one "
            "would be asked in that one; remove that folder, or rename this one in its wording.toml"
        )


def told_of(wording: Wording | None) -> str:
    """What the card of a tuned model says of its wording."""
    return "" if wording is None else f", in the wording {wording.name} ({wording.sha256})"
