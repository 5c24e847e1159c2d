"""An inspection in a wording, and what the template makes of the wording's files."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.protocol.rules import AS_PUBLISHED
from agent.protocol.wording_file import read_wording
from agent.rendering.render import AS_PUBLISHED as STYLE
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, Trajectory
from tests.agent.protocol.wordings import call
from tests.agent.scenes import star
from train.models.model_folder import CHAT_TEMPLATE

TURNS = (
    call('{"wavelength_range": [6500, 6600], "label": "the bump"}'),
    call("{}"),
    "<think>Plain.</think>\n<answer>\\boxed{NO} a dip</answer>",
)
TOLD = (
    "Generated spectral visualization focused on wavelength range (6500, 6600) Å for the bump.",
    "The entire tape is unrolled.",
)
PICTURE = "<|vision_start|><|image_pad|><|vision_end|>"


def inspect(engine: Any, folder: Path) -> Trajectory:
    """Inspect a CV by the published rules in the wording of a folder."""
    how = {"style": STYLE, "rules": AS_PUBLISHED, "wording": read_wording(folder)}
    inspector = ModelInspector(engine, ModelRef(name="published"), **how)
    trajectory = run(inspector.inspect(star(), find_task("CV")))
    assert trajectory.replies == TURNS, trajectory.stop_reason
    assert trajectory.verdict == "NO"
    return trajectory


def rendered(folder: Path) -> str:
    """What the template makes of the files, up to the model's last turn."""
    picture = {"type": "image"}
    question = (folder / "tasks" / "CV.txt").read_bytes().decode()
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": (folder / "system.txt").read_bytes().decode()},
        {"role": "user", "content": [picture, {"type": "text", "text": question}]},
    ]
    for said, told in zip(TURNS, TOLD, strict=False):
        messages.append({"role": "assistant", "content": said})
        messages.append({"role": "tool", "content": [picture, {"type": "text", "text": told}]})
    tools = [json.loads((folder / "tool.json").read_bytes())]
    return render(messages, tools)


def render(messages: Sequence[dict[str, Any]], tools: Sequence[Any] = ()) -> str:
    """Render as transformers does, whose `tojson` keeps letters and the order of keys."""
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    template = environment.from_string(CHAT_TEMPLATE)
    return template.render(messages=messages, tools=tools, add_generation_prompt=True)


def as_rolled_out(text: str) -> str:
    """Without the line end after each of the model's turns: tokens of a rollout are joined."""
    for said in TURNS:
        text = text.replace(f"{said}<|im_end|>\n", f"{said}<|im_end|>")
    return text


def one_mark_a_picture(text: str) -> str:
    return re.sub(r"(?:<\|image_pad\|>)+", "<|image_pad|>", text)
