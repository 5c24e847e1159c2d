"""The form of a whole turn of our own small model: a thought, then an offered look or an answer.

An engine that keeps to it cannot write anything else, whatever the pictures show.
"""

from dataclasses import dataclass

from agent.protocol.reply import VERDICTS

THINK, ANSWER = "<think>", "</think>\n<answer>\\boxed{"
LOOK = "Look at "
LOOK_END, ANSWER_END = "</tool_call>", "</answer>"
MOST_BYTES = 600
"""Of a thought and of the reasons: three times the longest that were seen."""


@dataclass(frozen=True)
class TurnForm:
    """`looks` are the ends of turns that look, from `LOOK` on; without any the turn answers."""

    looks: tuple[str, ...]

    @property
    def stop(self) -> tuple[str, str]:
        """What ends the turn: it occurs nowhere else."""
        return LOOK_END, ANSWER_END

    @property
    def most_tokens(self) -> int:
        """As many as the longest turn has bytes."""
        longest = max((len(look.encode()) for look in self.looks), default=0)
        answer = len(f"{ANSWER}YES}}{ANSWER_END}") + MOST_BYTES
        return len(THINK) + MOST_BYTES + max(longest, answer)

    def allows(self, said: bytes) -> bool:
        """Whether a turn can begin with `said`."""
        if not said.startswith(THINK.encode()):
            return THINK.encode().startswith(said)
        thought, look, rest = said[len(THINK) :].partition(LOOK.encode())
        if look:
            fits = any(each.encode().startswith(look + rest) for each in self.looks)
            return len(thought) <= MOST_BYTES and b"<" not in thought and fits
        thought, mark, rest = thought.partition(b"<")
        begins = (f"{ANSWER}{verdict}}}".encode() for verdict in VERDICTS)
        return len(thought) <= MOST_BYTES and (
            not mark or any(_is_answer(mark + rest, begin) for begin in begins)
        )

    @property
    def grammar(self) -> str:
        """The same for llama.cpp, which counts characters, of which some have two bytes."""
        most = MOST_BYTES // 2
        looks = " | ".join(map(_quoted, self.looks))
        verdicts = " | ".join(map(_quoted, VERDICTS))
        return f"""\
root ::= {_quoted(THINK)} text{{0,{most}}} ({looks and "look | "}answer)
{looks and "look ::= " + looks}
answer ::= {_quoted(ANSWER)} ({verdicts}) "}}" [^<]{{0,{most}}} "{ANSWER_END}"
text ::= [^<{LOOK[0]}] | "{LOOK[0]}" [^<{LOOK[1]}]
"""


def _is_answer(said: bytes, begin: bytes) -> bool:
    """Whether the answer with this beginning can begin with `said`."""
    reasons, mark, rest = said[len(begin) :].partition(b"<")
    is_begun = said.startswith(begin) and len(reasons) <= MOST_BYTES
    return begin.startswith(said) or (is_begun and ANSWER_END.encode().startswith(mark + rest))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
