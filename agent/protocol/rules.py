"""How a conversation goes: as our models are taught, or as the published ones were trained."""

from dataclasses import dataclass
from typing import Literal, get_args

from agent.protocol.protocol import END_OF_REPLY, MAX_TOOL_TURNS

RulesName = Literal["ours", "published"]
RULES_NAMES: tuple[RulesName, ...] = get_args(RulesName)


@dataclass(frozen=True, kw_only=True)
class Rules:
    name: RulesName
    calls: int  # calls that can be made before an answer
    turns: int
    """The agent's turns in all, answer and mistakes included; 0 for no limit but that of calls."""
    stop: tuple[str, ...]  # what ends a turn besides its end mark
    reply_end: str  # what stands between the agent's turn and the next

    @property
    def is_published(self) -> bool:
        """Whether a turn without a call ends the conversation, the first of several calls is run,
        a call without a range shows the whole spectrum, and answers are read leniently."""
        return self.name == "published"


# Only we write this tag. A model that writes it has begun to invent the tool's replies.
OURS = Rules(
    name="ours", calls=MAX_TOOL_TURNS, turns=0, stop=("<tool_response>",), reply_end=END_OF_REPLY
)
# The last of eight turns cannot call, and the tokens of a rollout were joined without a line end.
AS_PUBLISHED = Rules(name="published", calls=7, turns=8, stop=(), reply_end="<|im_end|>")
RULES: dict[RulesName, Rules] = {"ours": OURS, "published": AS_PUBLISHED}
