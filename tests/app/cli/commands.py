"""Run commands in tests."""

import csv
from pathlib import Path

from typer.testing import CliRunner, Result

from app.cli.main import workbench

SAMPLE = Path(__file__).parents[3] / "resources" / "sample"
FEW = 4
MEASURED = ("--model", "measured")
"""What a command that inspects is given where another model would take longer for the same."""


def invoke(*words: object, catch_exceptions: bool = True) -> Result:
    """As the program does, which makes no parsers of other commands."""
    said = list(map(str, words))
    return CliRunner().invoke(workbench(said[:1]), said, catch_exceptions=catch_exceptions)


def run(*words: object) -> str:
    result = invoke(*words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def both_said(*words: object) -> str:
    """On standard output, then on standard error."""
    result = invoke(*words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout + result.stderr


def fails(*words: object) -> str:
    result = invoke(*words)
    assert result.exit_code == 1
    return str(result.exception)


def sample_rows(folder: Path, count: int) -> list[dict[str, str]]:
    """The first rows of the sample whose files hold one spectrum, copied into the folder."""
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["row"] == "0"][:count]
    for row in rows:
        source = SAMPLE / row["file"]
        row["file"] = source.name
        (folder / source.name).write_bytes(source.read_bytes())
    return rows


def write_list(folder: Path, rows: list[dict[str, str]], name: str = "few.csv") -> Path:
    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path
