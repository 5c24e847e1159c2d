"""The environment of a rollout, in the form TRL asks for: one spectrum, one question, one tool."""

from __future__ import annotations

from typing import Any

from agent.errors import ToolError
from agent.inspection.episode import NO_CALLS_LEFT
from agent.protocol.protocol import MAX_TOOL_TURNS
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from train.examples import ExampleStore
from train.grpo.pictures import CachedPictureMaker, Pictures


class SpectrumEnvironment:
    """Shows one spectrum. TRL makes one for each rollout and resets it before each question.

    Its methods are tools to TRL, `reset` excepted, and their docstrings are what it tells of them.
    """

    viewer: CachedPictureMaker
    task: Task

    def __init__(self, pictures: Pictures, store: ExampleStore) -> None:
        self._pictures = pictures
        self._store = store
        self._calls = 0

    def reset(self, *, sha256: str, task: str, **row: Any) -> list[dict[str, Any]]:
        """Take a row of the questions; what the user's turn shows: the spectrum, then the task."""
        self._calls = 0
        self.task = find_task(task)
        self.viewer = self._pictures.viewer(self._store[sha256])
        return [
            {"type": "image", "image": self.viewer.overview()},
            {"type": "text", "text": self.viewer.opening(self.task)[1].text},
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
            picture, result = self.viewer.look(
                {"wavelength_range": wavelength_range, "label": label}
            )
        except ToolError as error:
            return [{"type": "text", "text": str(error)}]
        return [{"type": "image", "image": picture}, {"type": "text", "text": result.text}]
