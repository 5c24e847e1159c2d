"""What a program takes: memory while it runs, room on the disk."""

from __future__ import annotations

from pathlib import Path

MEGABYTE = 10**6


def share_mb(pid: int) -> float:
    """Megabytes that are its own or its share."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("Pss:"))
    return int(kilobytes) * 1024 / MEGABYTE


def size_mb(folder: Path) -> float:
    """Megabytes of its files; links do not count."""
    files = (path for path in folder.rglob("*") if not path.is_symlink())
    return sum(path.lstat().st_size for path in files) / MEGABYTE
