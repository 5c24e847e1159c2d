"""`spec-o3 mcp`: serve spectra and a session to AI clients by the Model Context Protocol."""

from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from secrets import token_urlsafe
from typing import Annotated, Any

import typer

from agent.errors import WorkbenchError
from app.cli.session_options import TrustPathsOption, reviewer_name
from app.core.session.spectra_folders import open_with_spectra
from app.core.sharing.study_plan import readings_left, study_of

NO_SDK = (
    "the MCP server needs the package mcp, which is not part of the plain installation: "
    'pip install "spec-o3-workbench[mcp]"; '
    "the downloadable program has no MCP server"
)


def mcp(
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="[SESSION]",
            help="A .speco3 file, or the URL of a PostgreSQL database.",
            show_default=False,
        ),
    ] = None,
    spectra: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder whose spectra may be read, with all below it; may be repeated.",
            show_default=False,
        ),
    ] = None,
    http: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            metavar="PORT",
            help="Serve over HTTP to programs of this machine instead of standard input and "
            "output. The token is SPEC_O3_MCP_TOKEN, or made and printed.",
        ),
    ] = None,
    allow_proposals: Annotated[
        bool,
        typer.Option(
            "--allow-proposals",
            help="Let the client propose verdicts. A proposal is never a verdict.",
        ),
    ] = False,
    name: Annotated[
        str, typer.Option(help="What proposals are kept under, as `mcp: NAME`.")
    ] = "assistant",
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH|URL",
            help="Model for inspections, as for `spec-o3 inspect`.",
            show_default="the best bundled model",
        ),
    ] = None,
    trust_paths: TrustPathsOption = False,
) -> None:
    """Serve spectra and a session to AI clients (MCP). Read-only, unless proposals are allowed."""
    if find_spec("mcp") is None:
        raise WorkbenchError(NO_SDK)
    if session is None and not spectra:
        raise WorkbenchError("nothing to serve: name a session, or a folder with --spectra")
    if allow_proposals and session is None:
        raise WorkbenchError("proposals need a session: name one")
    from app.mcp.inspecting import Inspections
    from app.mcp.proposals import Proposals, assistant
    from app.mcp.server import call_queues, make_server
    from app.mcp.sources import Sources

    with ExitStack() as open_:
        opened = None
        if session is not None:
            opened = open_with_spectra(
                session, reviewer_name(None), read_only=True, trust_paths=trust_paths
            )
            open_.callback(opened.close)
            plan = study_of(opened)
            if plan is not None and any(left for left, _ in readings_left(opened, plan).values()):
                raise WorkbenchError(
                    "people judge this session for a study: what an assistant says of it would be "
                    "known to them. Serve it once the study is done"
                )
        sources = Sources(spectra or [], opened)
        inspections = Inspections(opened, model)
        open_.callback(inspections.close)
        calls = call_queues()
        for each in calls:
            open_.callback(each.close)
        add = None
        if allow_proposals and session is not None:
            add = Proposals(session, reviewer_name(None), sources, assistant(name)).add
        server = make_server(sources, inspections, *calls, add)
        _serve(server, http)


def _serve(server: Any, port: int | None) -> None:
    if port is None:
        from app.mcp.server import serve_stdio

        serve_stdio(server)
        return
    from app.mcp import http

    chosen = http.token_from_environment()
    token = chosen or token_urlsafe(32)
    with http.loopback_socket(port) as listener:
        typer.echo(
            f"serving on http://{http.LOOPBACK}:{listener.getsockname()[1]}{http.PATH}", err=True
        )
        if chosen is None:
            typer.echo(f"token: {token}", err=True)
        http.serve_http(server, listener, token)
