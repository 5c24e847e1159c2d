"""What `python -m tests.bench` says, and the programs that its benches hold as text.

No type checker sees the names in those.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.bench.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
OURS = ("agent", "app", "tests", "train")


def test_an_unknown_bench_is_told_with_the_names_of_all():
    told = main(["nonesuch"])
    assert told is not None and "nonesuch" in told and "window_start" in told


def test_the_programs_import_what_is_there():
    found = list(imported())
    assert len(found) > 5
    assert [each for each in found if not is_there(*each[1:])] == []


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


def is_there(module: str, name: str) -> bool:
    base = ROOT / module.replace(".", "/")
    path = base.with_suffix(".py") if base.with_suffix(".py").exists() else base / "__init__.py"
    named = {
        each for node in ast.parse(path.read_text(encoding="utf-8")).body for each in names(node)
    }
    return name in named or (base / f"{name}.py").exists()


def names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.ImportFrom | ast.Import):
        return [each.asname or each.name for each in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [each.id for each in targets if isinstance(each, ast.Name)]
