"""`python -m app.worker` serves the program that started it, over stdin and stdout."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

# The parent starts this file by path, so make sure that we import the same code as the parent.
sys.path.append(str(Path(__file__).resolve().parents[2]))

from agent.child_process.die_with_parent import GIVES_WAY, give_way
from app.worker import child

if TYPE_CHECKING:
    from agent.inspection.inspector import Inspector


def main() -> NoReturn:
    # OpenBLAS spins for ever where it gets no memory for its threads, and our matrices are small.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if GIVES_WAY in sys.argv[1:]:
        give_way()
    child.main(make)


def make(model: str | None, *, sampling: dict[str, Any] | None = None, **options: Any) -> Inspector:
    # Imports numpy and more, so not before the hello message.
    from agent.engines.base import SamplingSettings
    from agent.inspection.inspector_factory import make_inspector

    chosen = None if sampling is None else SamplingSettings(**sampling)
    return make_inspector(model, sampling=chosen, **options)


if __name__ == "__main__":
    main()
