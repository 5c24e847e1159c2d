"""Print how large the source is and how finely it is cut: `python packaging/source_figures.py`.

With `--one` it lists the modules that exactly one other imports, largest first.
"""

from __future__ import annotations

import ast
import statistics
import sys
import tokenize
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("agent", "app", "train")


def main() -> None:
    files = {module_name(path): path for path in source_files(PACKAGES)}
    lines = {name: line_count(path) for name, path in files.items()}
    imports = {name: imported(path, set(files)) for name, path in files.items()}
    importers = defaultdict(set)
    for name, found in imports.items():
        for each in found:
            importers[each].add(name)
    single = sorted((name for name in files if len(importers[name]) == 1), key=lines.get)[::-1]
    if "--one" in sys.argv[1:]:
        for name in single:
            print(f"{lines[name]:5} {name} <- {next(iter(importers[name]))}")
        return
    comments = sum(map(comment_count, files.values()))
    most = max(imports, key=lambda name: len(imports[name]))
    longest = max(lines, key=lambda name: lines[name])
    rooms = [each for each in (ROOT / "app/ui").iterdir() if is_room(each)]
    figures = {
        "source lines": sum(lines.values()),
        "source files": len(files),
        "folders": len({path.parent for path in files.values()}),
        "median file, lines": int(statistics.median(lines.values())),
        f"longest file, lines ({longest})": lines[longest],
        "modules with one importer": len(single),
        "lines in them": sum(lines[name] for name in single),
        "comment lines per 100": round(100 * comments / sum(lines.values()), 1),
        "test lines": sum(map(line_count, source_files(("tests",)))),
        "rooms and loose files on the first floor of app/ui": len(rooms),
        f"most of our modules that one file imports ({most})": len(imports[most]),
        "lines of CONTRIBUTING.md": line_count(ROOT / "CONTRIBUTING.md"),
    }
    for what, figure in figures.items():
        print(f"{figure:>9,} {what}")


def source_files(folders: tuple[str, ...]) -> list[Path]:
    """Without empty `__init__.py`."""
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))
    return [path for path in found if path.name != "__init__.py" or path.stat().st_size]


def module_name(path: Path) -> str:
    inside = path.relative_to(ROOT).with_suffix("")
    return ".".join(inside.parts).removesuffix(".__init__")


def line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def comment_count(path: Path) -> int:
    with path.open("rb") as file:
        return sum(token.type == tokenize.COMMENT for token in tokenize.tokenize(file.readline))


def imported(path: Path, known: set[str]) -> set[str]:
    """Modules of ours that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= parts & known or {node.module}
    return (found & known) - {module_name(path)}


def is_room(place: Path) -> bool:
    is_folder = place.is_dir() and any(place.rglob("*.py"))
    return is_folder or (place.suffix == ".py" and place.name != "__init__.py")


if __name__ == "__main__":
    main()
