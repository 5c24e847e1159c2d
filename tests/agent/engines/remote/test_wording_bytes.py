"""What a server is sent in a wording renders to what the template makes of its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent.protocol.wording_file import write_wording
from tests.agent.engines.remote.fake_server import spoken
from tests.agent.engines.remote.remote_scenes import talking
from tests.agent.engines.wording_scenes import TURNS, inspect, render, rendered
from tests.agent.protocol.wordings import wording


def test_the_server_is_sent_what_the_template_renders(tmp_path: Path) -> None:
    folder = write_wording(wording(), tmp_path / "clerk")
    with talking(*map(spoken, TURNS), tool_calls="text") as (server, engine):
        inspect(engine, folder)
    assert len(server.bodies) == 3
    body = server.bodies[-1]
    assert "tools" not in body
    assert render([_as_template_input(message) for message in body["messages"]]) == rendered(folder)


def _as_template_input(message: dict[str, Any]) -> dict[str, Any]:
    """The message as a server hands it to its template, where a picture is one part."""
    content = message["content"]
    if isinstance(content, str):
        return message
    parts = [{"type": "image"} if part["type"] == "image_url" else part for part in content]
    return {"role": message["role"], "content": parts}
