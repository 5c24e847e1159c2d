"""`python -m app.worker`: serves the program that started it, over stdin and stdout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

# Started by its path: the rest must come from where this file lies, as it does in the parent.
sys.path.append(str(Path(__file__).resolve().parents[2]))

from app.worker import child

if TYPE_CHECKING:
    from agent.inspection.interface import Inspector


def main() -> NoReturn:
    child.main(make)


def make(model: str | None, *, sampling: dict[str, Any] | None = None, **options: Any) -> Inspector:
    from agent.engines.base import (
        SamplingSettings,  # numpy and more: the hello does not wait for it
    )
    from agent.inspection.make_inspector import make_inspector

    chosen = None if sampling is None else SamplingSettings(**sampling)
    return make_inspector(model, sampling=chosen, **options)


if __name__ == "__main__":
    main()
