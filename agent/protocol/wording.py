"""The words a model was trained on, where they are not ours: read from a folder, kept as they are.

A wording holds the system line, the tool's schema, one opening text for each class and what the
tool says. The published one comes with the user's own download; it is no part of this program.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

from agent.errors import ResourceError
from agent.hashing import text_hash
from agent.protocol import protocol
from agent.protocol.protocol import MAX_TOOL_TURNS, SYSTEM, TOOL_BLOCK, Turn, task_text
from agent.protocol.tool import TOOL_NAME
from agent.tasks.catalogue import bundled_task
from agent.tasks.task import Task, guideline_text

REPLIES = ("whole", "whole_for", "refused")
"""What the tool says: of the whole spectrum without and with a label, and of a faulty range."""
MAX_WORDS = 64 * 1024  # characters of one text
MAX_CLASSES = 64

CALLED = {
    "CV": ("cataclysmic variable star", "cataclysmic variable"),
    "CS": ("carbon star",),
    "SS": ("s-type star", "s star"),
    "MG": ("m-type giant star", "m-type giant", "m giant star", "m giant"),
    "WD": ("white dwarf star", "white dwarf"),
}
"""What texts call a class, longer names first."""
_NAME, _ID = "{class}", "{id}"


@dataclass(frozen=True, kw_only=True)
class Wording:
    """Texts are exact: what a model reads has every blank and line end of them."""

    name: str
    system: str = SYSTEM
    """The system line; if it describes the tools itself, the whole system turn."""
    tool: str  # the tool's schema, one line of JSON as the model reads it
    tasks: Mapping[str, str]  # By the id of a class: the first user turn after its picture.
    replies: Mapping[str, str] = field(default_factory=dict)
    """By one of `REPLIES`, with {label}, {low}, {high}, {start} and {end}; ours where missing."""
    source: str = ""
    licence: str = ""

    def __post_init__(self) -> None:
        if not self.tasks or len(self.tasks) > MAX_CLASSES:
            raise ResourceError(f"a wording has 1 to {MAX_CLASSES} classes, not {len(self.tasks)}")
        if unknown := set(self.replies) - set(REPLIES):
            raise ResourceError(f"a wording has no reply {min(unknown)}")
        if any(len(text) > MAX_WORDS for text in self.files.values()):
            raise ResourceError(f"a text of a wording has at most {MAX_WORDS} characters")
        if _tool_name(self.tool) != TOOL_NAME:
            raise ResourceError(f"a wording describes the tool {TOOL_NAME} in one line of JSON")

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The texts by their paths in the folder."""
        tasks = {f"tasks/{name}.txt": text for name, text in self.tasks.items()}
        replies = {f"replies/{name}.txt": text for name, text in self.replies.items()}
        return {"system.txt": self.system, "tool.json": self.tool, **tasks, **replies}

    @cached_property
    def sha256(self) -> str:
        """Hash of all that a model reads; name, source and licence do not count."""
        return text_hash("".join(f"{p}\0{text_hash(t)}\n" for p, t in sorted(self.files.items())))

    @property
    def system_text(self) -> str:
        """The system turn with the tool's schema."""
        if "<tools>" in self.system:
            return self.system
        return self.system + TOOL_BLOCK.format(schemas=self.tool)

    def task_text(self, task: Task) -> str:
        """The first user turn: as published, or our guideline phrased in the same form."""
        if self.has(task):
            return self.tasks[task.id]
        return phrased(task, self.tasks)

    def has(self, task: Task) -> bool:
        """Whether its own words are here; a task file of the user's own is not the published."""
        return task.id in self.tasks and task.path is None


def _tool_name(tool: str) -> object:
    try:
        schema = json.loads(tool)
        return None if "\n" in tool else schema["function"]["name"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None


def opening(
    task: Task,
    *,
    wording: Wording | None = None,
    brief: bool = False,
    overview_text: str = "",
    calls: int = MAX_TOOL_TURNS,
) -> tuple[Turn, Turn]:
    """System and first user turn, in a wording or in ours; picture 0 is the whole spectrum.

    A model of brief prompts has no wording.
    """
    if wording is None or brief:
        return protocol.opening(task, brief=brief, overview_text=overview_text, calls=calls)
    text = wording.task_text(task)
    if overview_text:
        text = f"{text}\n{overview_text}"
    return Turn("system", wording.system_text), Turn("user", text, picture=0)


def prompt_hash(
    task: Task, *, wording: Wording | None = None, brief: bool = False, calls: int = MAX_TOOL_TURNS
) -> str:
    """Hash of the opening turns, without the text about the spectrum."""
    turns = opening(task, wording=wording, brief=brief, calls=calls)
    return text_hash("".join(turn.text for turn in turns))


# Phrases a class that a wording lacks in the form of those it has.
def phrased(task: Task, texts: Mapping[str, str]) -> str:
    """The lines that all texts begin and end with, and between them our guideline.

    The name of a class counts as the same words in each text. Where the texts do not name their
    class in what they share, our question is asked; where there is one text only, all is ours.
    """
    forms = [_without_class(text, name) for name, text in texts.items()]
    if len(forms) < 2:
        return task_text(task)
    start = _shared(forms)
    end = _shared([form[len(start) :][::-1] for form in forms])[::-1]
    before, after = (_with_class("".join(lines), task) for lines in (start, end))
    asks = any(_NAME in line for line in (*start, *end))
    question = "" if asks else f"{task.question}\n\n"
    return f"{before}{question}{guideline_text(task)}\n{after}"


def names_of(task_id: str) -> tuple[str, ...]:
    """What a text may call a class, in lower case, longer names first."""
    task = bundled_task(task_id)
    own = () if task is None else (task.name.casefold(),)
    return tuple(dict.fromkeys((*CALLED.get(task_id, ()), *own)))


def _without_class(text: str, task_id: str) -> list[str]:
    """The lines, with their ends, without what only this class is called."""
    names = "|".join(map(re.escape, names_of(task_id)))
    if names:
        named = rf"\b(an?\s+)?(?:{names})(?=s?\b)"
        text = re.sub(named, lambda found: ("a " if found[1] else "") + _NAME, text, flags=re.I)
    text = re.sub(rf"\b{re.escape(task_id)}(?=s?\b)", _ID, text)
    return text.splitlines(keepends=True)


def _with_class(text: str, task: Task) -> str:
    article = "an" if re.match(r"[aeiou]|[fhlmnrsx]\b", task.name, re.I) else "a"
    text = text.replace(f"a {_NAME}", f"{article} {task.name}")
    return text.replace(_NAME, task.name).replace(_ID, task.id)


def _shared(forms: Sequence[Sequence[str]]) -> list[str]:
    """The first lines that are the same in all forms."""
    same = takewhile(lambda lines: len(set(lines)) == 1, zip(*forms, strict=False))
    return [lines[0] for lines in same]
