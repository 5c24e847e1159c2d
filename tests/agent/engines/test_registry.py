"""What is special about an engine stands in its entry: no other file compares its name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import agent
from agent.engines.registry import ENGINES, PluginEngine, engine_kind
from agent.inspection.built_in import INSPECTORS

ROOT = Path(agent.__file__).parents[1]
SOURCES = [
    path for part in ("agent", "app", "train") for path in sorted((ROOT / part).rglob("*.py"))
]
NAMES = {each.name for each in (*ENGINES, *INSPECTORS)}


def texts(node: ast.expr) -> Iterator[str]:
    """The engines' names among the texts of an expression, those of a tuple or set included."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    for part in parts:
        if isinstance(part, ast.Constant) and part.value in NAMES:
            yield part.value


def compared(source: str) -> list[str]:
    """Each place of a source where what is done depends on the name of an engine."""
    found: list[str] = []
    if ".engine" not in source and not any(f'"{name}"' in source for name in NAMES):
        return found  # without the second that parsing them all takes
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Compare(left=left, comparators=others):
                sides = [left, *others]
                named = [name for side in sides for name in texts(side)]
                of_engine = any(isinstance(s, ast.Attribute) and s.attr == "engine" for s in sides)
                by_name = any(isinstance(side, ast.Constant | ast.Name) for side in sides)
                if named or (of_engine and by_name):
                    found.append(ast.unparse(node))
            case ast.MatchValue(value=value) if any(texts(value)):
                found.append(f"case {ast.unparse(value)}")
            case ast.Dict(keys=keys):
                # One key alone may be a field of a record that has the name of an engine.
                if sum(any(texts(key)) for key in keys if key is not None) > 1:
                    found.append(ast.unparse(node))
            case ast.Call(func=ast.Attribute(attr="startswith" | "endswith"), args=[first, *_]):
                if any(texts(first)):
                    found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize("source", [
    'if card.engine == "gguf": pass', 'x = engine in ("transformers", "gguf")',
    "if card.engine != NAME: pass", 'match engine:\n    case "remote": pass',
    'x = {"transformers": "torch", "gguf": "llama.cpp"}[engine]',
    'if so_far.model.engine == "measured": pass',
])  # fmt: skip
def test_a_comparison_is_found(source: str) -> None:
    assert compared(source)


def test_no_source_compares_the_name_of_an_engine() -> None:
    found = {
        str(path.relative_to(ROOT)): places
        for path in SOURCES
        if (places := compared(path.read_text(encoding="utf-8")))
    }
    assert len(SOURCES) > 100
    assert found == {}


def test_an_engine_is_found_by_its_name() -> None:
    assert [engine_kind(each.name) for each in ENGINES] == ENGINES
    other = engine_kind("of another package")
    assert isinstance(other, PluginEngine)
    assert (other.name, other.program, other.obstacle()) == (*[other.name] * 2, "")
