"""Inspections in the words of models that read told numbers, as pools of version 0.2 hold them."""

from agent.evidence.words import KIND_NAMES, kind_name
from agent.examples.examples import Example
from agent.rendering.style import Style
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from tests.train.draft.spectra import drafted
from train.draft.settings import DraftSettings
from train.record import record_trajectory

TOLD = Style(name="told", width=252, height=168, brief=True, numbers=True)
LOOKS = DraftSettings(words="short", outside=0.0, wide=0.0, guess=0.0, fewest_zooms=3)
AT_MOST = 3
"""Numbers repeated of a window."""


def quoted(example: Example) -> Trajectory | None:
    """The looks of a draft, with the numbers that the tool told in each as its words."""
    draft = drafted(example, LOOKS).trajectory
    if draft is None:
        return None
    calls = [reply[reply.index("<tool_call>") :] for reply in draft.replies[:-1]]
    asked = _recorded(["Look."] * len(calls), calls, draft.replies[-1], draft, example)
    told = [look.text.split("; ")[1 : 1 + AT_MOST] for look in asked.looks]
    after = [f"{'; '.join(one)}. Unclear." if one else "Nothing clear." for one in told]
    reasons = "; ".join([quote for one in told for quote in one][:AT_MOST])
    if example.answer == "NO" and example.label in KIND_NAMES:
        reasons = f"More like {kind_name(example.label)}: {reasons}"
    answer = (
        f"<think>{after[-1]} Enough seen.</think>\n"
        f"<answer>\\boxed{{{example.answer}}} {reasons}.</answer>"
    )
    return _recorded(["A first look.", *after[:-1]], calls, answer, draft, example)


def _recorded(
    thoughts: list[str], calls: list[str], answer: str, draft: Trajectory, example: Example
) -> Trajectory:
    turns = [f"<think>{one}</think>\n{call}" for one, call in zip(thoughts, calls, strict=True)]
    return record_trajectory(
        (*turns, answer), example.spectrum, find_task(draft.task), draft.model, TOLD, draft.sizing
    )
