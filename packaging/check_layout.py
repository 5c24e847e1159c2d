"""Check that no public class name stands for two things, as part of `make check`.

Class names are looked at within each package (agent, app, train); circles and layers are
checked by import-linter, whose contracts are in pyproject.toml.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("agent", "app", "train")


def main() -> None:
    twice = [each for package in PACKAGES for each in defined_twice(package)]
    print(f"public class names used twice in one package: {len(twice)}")
    print(*(f"  {each}" for each in twice), sep="\n", end="\n" if twice else "")
    sys.exit(1 if twice else 0)


def defined_twice(package: str) -> list[str]:
    """The public classes of a package that are defined in more than one place, with the places."""
    homes = defaultdict(list)
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path.relative_to(ROOT).as_posix())
    return [
        f"{package}: {name} in {', '.join(places)}"
        for name, places in sorted(homes.items())
        if len(places) > 1
    ]


if __name__ == "__main__":
    main()
