"""Check how the source is laid out, as part of `make check`: `python packaging/check_layout.py`.

It prints one line for each rule and fails where one is broken:

- no public class name stands for two things in one package (agent, app, train);
- no folder holds more than 22 files, and the roots hold no more than a few;
- no file has more than 400 lines, and few have fewer than 30;
- four of five source files over 60 lines have their namesake test: app/core/queue/filters.py is
  tested by tests/app/core/queue/test_filters.py.

`__init__.py` files do not count. With `--missing` it lists the files without a namesake test.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("agent", "app", "train")
MOST_FILES = 22
MOST_AT_ROOT = {"agent": 6, "app/core": 4, "app/ui": 13}
MOST_LINES = 400
SHORT_LINES, MOST_SHORT = 30, 18
LINES_WORTH_A_TEST, LEAST_TESTED = 60, 0.80


def main() -> None:
    files = {package: sorted((ROOT / package).rglob("*.py")) for package in PACKAGES}
    every = [path for paths in files.values() for path in paths if path.name != "__init__.py"]
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in every}
    results = [
        class_names(files),
        folder_sizes(every),
        long_files(lines),
        short_files(lines),
        namesake_tests(lines, "--missing" in sys.argv[1:]),
    ]
    sys.exit(0 if all(results) else 1)


def class_names(files: dict[str, list[Path]]) -> bool:
    """Whether each public class name of a package is defined once."""
    twice = []
    for package, paths in files.items():
        homes = defaultdict(list)
        for path in paths:
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes[node.name].append(str(path.relative_to(ROOT)))
        twice += [
            f"{package}: {name} in {', '.join(where)}"
            for name, where in sorted(homes.items())
            if len(where) > 1
        ]
    return report("public class names used twice in one package", len(twice), 0, twice)


def folder_sizes(every: list[Path]) -> bool:
    counts = Counter(path.parent.relative_to(ROOT).as_posix() for path in every)
    too_many = [
        f"{folder}: {count} files, at most {most}"
        for folder, count in sorted(counts.items())
        if count > (most := MOST_AT_ROOT.get(folder, MOST_FILES))
    ]
    largest, count = counts.most_common(1)[0]
    return report(f"folders too full (the fullest: {largest}, {count})", len(too_many), 0, too_many)


def long_files(lines: dict[Path, int]) -> bool:
    long = [f"{name(path)}: {count}" for path, count in lines.items() if count > MOST_LINES]
    return report(f"files over {MOST_LINES} lines", len(long), 0, long)


def short_files(lines: dict[Path, int]) -> bool:
    short = [f"{name(path)}: {count}" for path, count in lines.items() if count < SHORT_LINES]
    return report(f"files under {SHORT_LINES} lines", len(short), MOST_SHORT, short)


def namesake_tests(lines: dict[Path, int], with_list: bool) -> bool:
    worth = [path for path, count in lines.items() if count > LINES_WORTH_A_TEST]
    missing = [name(path) for path in worth if not namesake(path).exists()]
    share = 1 - len(missing) / len(worth)
    print(
        f"source files over {LINES_WORTH_A_TEST} lines with their namesake test: "
        f"{len(worth) - len(missing)} of {len(worth)}, {share:.1%} (at least {LEAST_TESTED:.0%})"
    )
    if with_list:
        print(*(f"  {each}" for each in missing), sep="\n")
    return share >= LEAST_TESTED


def namesake(path: Path) -> Path:
    inside = path.relative_to(ROOT)
    return ROOT / "tests" / inside.parent / f"test_{inside.name}"


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def report(what: str, count: int, most: int, details: list[str]) -> bool:
    is_fine = count <= most
    print(f"{what}: {count} (at most {most})")
    if not is_fine:
        print(*(f"  {each}" for each in details), sep="\n")
    return is_fine


if __name__ == "__main__":
    main()
