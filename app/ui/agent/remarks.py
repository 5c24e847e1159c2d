"""Says which models can read a person's remarks."""

from __future__ import annotations

from agent.errors import ResourceError
from agent.inspection.inspector_factory import looking_card


def reads_remarks(model: str) -> bool:
    """Whether a remark means anything to this model; `model` is a name, a path or an address.

    It reads the model's card from the disk, so do not call it on the GUI thread.
    """
    try:
        card = looking_card(model)
    except ResourceError:
        return True  # the model says itself what is wrong with it
    return card is not None and card.reads_remarks
