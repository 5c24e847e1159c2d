"""The environment of a rollout, in the form that TRL expects: a spectrum, a question, a tool."""

from __future__ import annotations

from typing import Any

from agent.errors import ToolError
from agent.examples.examples import ExampleStore
from agent.inspection.episode import NO_CALLS_LEFT
from agent.protocol.protocol import MAX_TOOL_TURNS
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from train.grpo.pictures import CachedPictureMaker, PictureCache


class SpectrumEnvironment:
    """Shows one spectrum. TRL makes one for each rollout and resets it before each question.

    TRL takes its public methods except `reset` as tools, and their docstrings as descriptions.
    """

    picture_maker: CachedPictureMaker
    task: Task

    def __init__(self, pictures: PictureCache, store: ExampleStore) -> None:
        self._pictures = pictures
        self._store = store
        self._calls = 0

    def reset(self, *, sha256: str, task: str, **row: Any) -> list[dict[str, Any]]:
        """Start a question and return its user turn: the overview picture, then the task."""
        self._calls = 0
        self.task = find_task(task)
        self.picture_maker = self._pictures.maker(self._store[sha256])
        return [
            {"type": "image", "image": self.picture_maker.overview()},
            {"type": "text", "text": self.picture_maker.opening(self.task)[1].text},
        ]

    def spectral_visualization_tool(
        self, wavelength_range: list[float], label: str = ""
    ) -> list[dict[str, Any]]:
        """Draw the spectrum again, enlarged on one wavelength range.

        Args:
            wavelength_range: Start and end of the range in angstrom.
            label: What the range is inspected for.

        Returns:
            The picture and a line of text, or a line that says what is wrong with the call.
        """
        self._calls += 1
        if self._calls > MAX_TOOL_TURNS:
            return [{"type": "text", "text": NO_CALLS_LEFT}]
        try:
            arguments = {"wavelength_range": wavelength_range, "label": label}
            picture, result = self.picture_maker.look(arguments)
        except ToolError as error:
            return [{"type": "text", "text": str(error)}]
        return [{"type": "image", "image": picture}, {"type": "text", "text": result.text}]
