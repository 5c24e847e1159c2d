"""`spec-o3`: the command line. Each command is in the module of its name."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, NoReturn

from agent.checked_toml import printable
from agent.child_process.start_child import CHILD_OPTION
from agent.errors import WorkbenchError
from app.cli.window import is_for_window, open_window
from app.rooms import room_commands

if TYPE_CHECKING:
    import typer

CHILDREN = {
    "worker": "app.worker.__main__",
    "llama-server": "agent.engines.gguf.llama_server_child",
    "list-reader": "app.core.importing.child.child",
    "row-reader": "agent.child_process.rows_in_child",
    "finder": "app.core.finding.child",
    "samp-hub": "app.services.samp.hub_child",
    "window-probe": "app.selftest.window_probe",
}
"""Modules with a `main`, by the child name given to `agent.child_process.start_child`."""


def run_child(arguments: Sequence[str]) -> NoReturn:
    """Run a child process; `arguments` are its name, then its own arguments."""
    name = arguments[0] if arguments else ""
    if name not in CHILDREN:
        sys.stderr.write(f"spec-o3: unknown child process {name!a}\n")
        sys.exit(2)
    sys.argv = list(arguments)
    sys.exit(import_module(CHILDREN[name]).main())


COMMANDS = {
    **dict.fromkeys(("demo", "find", "info", "render", "inspect"), "app.cli"),
    **dict.fromkeys(("new", "plan", "vet", "export", "stats", "log", "merge", "pack"), "app.cli"),
    **dict.fromkeys(("assign", "known", "study"), "app.cli.team"),
    **dict.fromkeys(("enrich", "fetch", "services", "mcp"), "app.cli.services"),
    **dict.fromkeys(("models", "selftest"), "app.cli"),
}
"""The package that has the module of each command; the help lists them in this order."""
# Of addresses, of which a library reserves more than it uses. With fewer, native code ends the
# program without a word, or spins for ever, instead of reporting it.
LEAST_BYTES = 1_500_000_000
NO_MEMORY = "there is not enough memory: close other programs, or raise the limit with `ulimit -v`"
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
TOO_MANY_FILES = (errno.EMFILE, errno.ENFILE)
NO_THREAD = "can't start new thread"  # Python's words
MAX_MESSAGE = 4000


def workbench(names: Iterable[str] = ()) -> typer.Typer:
    """The program with these commands, or all; the modules of others are not imported."""
    import typer  # child processes start here too and do not need it

    from agent.cluster.options import RayCommand
    from app.cli.version import commands

    app = typer.Typer(
        name="spec-o3",
        help="Vet candidates of rare stars from survey spectra.\n\n"
        "Without a command, opens the window with the given session, list or spectrum.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(commands)
    for name in names or (*COMMANDS, *room_commands()):
        if name in COMMANDS:
            command = getattr(import_module(f"{COMMANDS[name]}.{name}"), name)
        else:
            command = room_commands()[name].load()
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(cls=RayCommand)(command)
    return app


def main() -> None:
    """Exit status: 0 success, 1 an error with a message, 2 a usage error."""
    if sys.argv[1:2] == [CHILD_OPTION]:
        run_child(sys.argv[2:])
    # OpenBLAS spins for ever where it gets no memory for its threads, and our matrices are small.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # of what cannot be printed, in place of an error
    command = [word for word in sys.argv[1:2] if word in COMMANDS or word in room_commands()]
    try:
        refuse_little_memory()
        if not command and is_for_window(sys.argv[1:]):
            sys.exit(open_window(*sys.argv[1:]))
        workbench(command)()
    except WorkbenchError as error:
        _exit_with(str(error))
    except OSError as error:
        if error.errno in TOO_MANY_FILES:
            _exit_with("too many files are open: raise the limit with `ulimit -n 1024`")
        if error.errno not in DISK_FULL:
            raise
        reason = error.strerror if error.errno == errno.EFBIG else "the disk is full"
        _exit_with(f"the output could not be written: {reason}")
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and str(error) != NO_THREAD:
            raise
        _exit_with(NO_MEMORY)


def _exit_with(message: str) -> NoReturn:
    """Print the message as one line and exit with status 1."""
    line = printable(" ".join(message.splitlines()), MAX_MESSAGE)
    sys.stderr.write(f"spec-o3: {line}\n")
    sys.exit(1)


def refuse_little_memory() -> None:
    """Raise WorkbenchError if the shell's limit is too low; Windows has none."""
    if sys.platform == "win32":
        return
    import resource

    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if resource.RLIM_INFINITY != allowed < LEAST_BYTES:
        raise WorkbenchError(
            f"programs may use only {allowed / 1e6:.0f} MB of memory here, and this one needs "
            f"{LEAST_BYTES / 1e6:.0f} MB: raise the limit with `ulimit -v unlimited`"
        )


if __name__ == "__main__":
    main()
