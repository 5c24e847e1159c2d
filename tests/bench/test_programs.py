"""What `python -m tests.bench` says, and the programs that its benches hold as text.

No type checker sees the names in those.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tests.bench.__main__ import main

OURS = ("agent", "app", "tests", "train")


def test_an_unknown_bench_is_told_with_the_names_of_all():
    told = main(["nonesuch"])
    assert told is not None and "nonesuch" in told and "window_start" in told


def test_the_programs_import_what_is_there():
    found = list(imported())
    assert len(found) > 5
    assert [each for each in found if not hasattr(import_module(each[1]), each[2])] == []


def imported() -> Iterator[tuple[str, str, str]]:
    """Bench, module and name of each import from ours in a program of several lines."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        for program in programs(path):
            for node in ast.walk(program):
                if isinstance(node, ast.ImportFrom) and str(node.module).startswith(OURS):
                    yield from ((path.name, str(node.module), each.name) for each in node.names)


def programs(path: Path) -> Iterator[ast.Module]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value:
            try:
                yield ast.parse(node.value)
            except SyntaxError:
                continue  # a sentence
