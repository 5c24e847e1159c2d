"""The program as one of its own children: how a frozen one starts them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

CHILDREN = {
    "worker": "app.worker.__main__",
    "llama-server": "agent.backends.llama_server_child",
    "list-reader": "app.core.importing.reading_child",
    "glimpse": "app.ui.glimpse",
}
"""By the name that `agent.child_command` is given; each module has a `main`."""


def be_child(arguments: Sequence[str]) -> NoReturn:
    """`arguments`: the child's name, then what it is told."""
    name = arguments[0] if arguments else ""
    if name not in CHILDREN:
        sys.stderr.write(f"spec-o3: there is no child {name!a}\n")
        sys.exit(2)
    sys.argv = list(arguments)
    sys.exit(import_module(CHILDREN[name]).main())
