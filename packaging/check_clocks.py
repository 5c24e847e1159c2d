"""Check that no test asserts seconds, as part of `make check`: `python packaging/check_clocks.py`.

A slow or busy machine misses any limit in seconds, so a test bounds work by counting, or by a ratio
to work of the same moment, and figures in seconds are printed by `make bench`. Outside tests/bench
this finds each function that reads a clock, and each assertion in which something named after
seconds is compared by order, but for those in ALLOWED, each with its reason.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULE = "module"
TESTS, BENCHES = ROOT / "tests", ROOT / "tests" / "bench"
CLOCKS = re.compile(
    r"(monotonic|perf_counter|process_time|thread_time|clock_gettime)(_ns)?"
    r"|ru_utime|ru_stime|QElapsedTimer|timeit|default_timer"
)
SECONDS = re.compile(r".*_(s|ms)|.*seconds|elapsed\w*|took")
ALLOWED: dict[str, str] = {
    "tests/processes.py wait_until": "a wait for what must come, with an end",
    "tests/attacks/sandbox.py _collect": "ends what hangs; that it was ended is asserted",
    "tests/attacks/spectra.py _seconds": "a ratio of two sizes, far from its limit",
    "tests/attacks/test_kills.py killed_in_an_act": "chooses the moment of a kill",
    "tests/attacks/window/walk.py Walk.timed": "a step's share of the whole walk",
    "tests/app/core/session/recorder.py Nursery._listen": "listens for a chosen while, then kills",
}
"""File and function, and why it may read a clock or compare seconds."""


def main() -> int:
    found = dict(each for path in sorted(TESTS.rglob("*.py")) for each in clocks(path))
    bad = [f"{place}: {what}" for place, what in found.items() if place not in ALLOWED]
    stale = [place for place in ALLOWED if place not in found]
    print(f"clocks in tests: {len(found)}, of which not allowed: {len(bad)} (at most 0)")
    for line in (*bad, *(f"{place}: no clock there any more" for place in stale)):
        print(f"  {line}")
    return 1 if bad or stale else 0


def clocks(path: Path) -> Iterator[tuple[str, str]]:
    """File and function of each clock, and what was found there."""
    if path.is_relative_to(BENCHES):
        return
    for function, node in in_functions(ast.parse(path.read_text(encoding="utf-8")), MODULE):
        if what := clock(node):
            yield f"{path.relative_to(ROOT).as_posix()} {function}", what


def in_functions(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST]]:
    """Every node below, with the names of the classes and functions it stands in."""
    for child in ast.iter_child_nodes(node):
        yield function, child
        inside = function
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = child.name if function == MODULE else f"{function}.{child.name}"
        yield from in_functions(child, inside)


def clock(node: ast.AST) -> str:
    """What is wrong with it, if anything is."""
    match node:
        case ast.Attribute(value=ast.Name("time"), attr="time"):
            return "reads time.time"
        case ast.Attribute(attr=name) | ast.Name(name) | ast.alias(name) if CLOCKS.fullmatch(name):
            return f"reads {name}"
        case ast.Assert(test=test):
            compared = [each for each in ast.walk(test) if isinstance(each, ast.Compare)]
            return next(filter(None, map(limited, compared)), "")
    return ""


def limited(compare: ast.Compare) -> str:
    """The name of the seconds that it says are at most something."""
    left = compare.left
    for operator, right in zip(compare.ops, compare.comparators, strict=True):
        small = {ast.Lt: left, ast.LtE: left, ast.Gt: right, ast.GtE: right}.get(type(operator))
        if small is not None and SECONDS.fullmatch(name := last_name(small)):
            return f"asserts a limit of {name}"
        left = right
    return ""


def last_name(node: ast.expr) -> str:
    match node:
        case (
            ast.Name(name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(str(name)))
        ):
            return name
        case ast.Call(func=function):
            return last_name(function)
    return ""


if __name__ == "__main__":
    sys.exit(main())
