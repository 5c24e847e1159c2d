"""What tests ask the server, in the SDK's own client."""

import os
import sys
from pathlib import Path

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from app.core.session.session import open_session
from app.mcp.inspecting import Inspections
from app.mcp.proposals import Proposals, assistant
from app.mcp.server import call_queues, make_server
from app.mcp.sources import Sources

ROOT = Path(__file__).parents[3]
COMMAND = (sys.executable, "-m", "app.cli.main", "mcp")
TOKEN = "a-token-for-tests-only"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "SPEC_O3_MCP_TOKEN": TOKEN}


def ask(talk, place=None, *, folders=(), proposing=False, model="measured"):
    """Run `talk(client)` with a server in this process."""
    session = None if place is None else open_session(place, "Ada", read_only=True)
    sources = Sources(folders, session)
    inspections = Inspections(session, model)
    calls = call_queues()
    add = None
    if proposing:
        add = Proposals(place, "Ada", sources, assistant("Tester")).add
    server = make_server(sources, inspections, *calls, add)

    async def meet():
        async with Client(server) as client:
            return await talk(client)

    try:
        return anyio.run(meet)
    finally:
        inspections.close()
        for each in calls:
            each.close()
        if session is not None:
            session.close()


def started(*words):
    """How the SDK's client starts the program."""
    command, *arguments = (*COMMAND, *map(str, words))
    return StdioServerParameters(command=command, args=arguments, env=ENVIRONMENT, cwd=ROOT)


def said(result):
    """The text of an answer or a refusal."""
    return " ".join(each.text for each in result.content if each.type == "text")


def refused(result):
    """The text of a refusal, which tells nothing of our code."""
    text = said(result)
    assert result.is_error, text
    assert len(text) < 600 and "\n" not in text
    assert "Traceback" not in text and ".py" not in text
    return text
