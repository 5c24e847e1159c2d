"""Exceptions with a traceback, as the hooks get them."""

from pathlib import Path

from app.ui.base.crash_report import make_report, write_report


def raised(error: BaseException):
    try:
        raise error
    except BaseException as caught:
        return type(caught), caught, caught.__traceback__


class Silent(Exception):
    def __str__(self):
        raise ValueError("this error has no text")


class Endless(Exception):
    def __str__(self):
        return str(self)


class Large(Exception):
    def __str__(self):
        return "x" * 200_000_000


class Empty(Exception):
    """Is false, as a container without content."""

    def __len__(self):
        return 0


def deep(count):
    return deep(count + 1) + deep(count + 2)


def recursive():
    try:
        deep(0)
    except RecursionError as error:
        return error
    raise AssertionError


def chained(length):
    """A chain of causes, and a circle of contexts at its end."""
    error = first = ValueError("the first")
    for number in range(length):
        later = RuntimeError(f"number {number}")
        later.__cause__, error = error, later
    first.__context__ = error
    return error


ATTACKS = {
    "silent": Silent, "endless": Endless, "large": Large,
    "large argument": lambda: ValueError("x" * 200_000_000), "empty": lambda: Empty("but told"),
    "recursive": recursive, "chained": lambda: chained(100_000),
    "chained silent": lambda: _raised_from(Silent()),
    "surrogates": lambda: OSError("\udcff\ud800 \0 \x1b[31m\u202e"),
    "name": lambda: type("N" * 1_000_000, (Exception,), {})("told"),
    "system": lambda: SystemExit(3),
}  # fmt: skip


def _raised_from(cause):
    error = RuntimeError("after that")
    error.__cause__ = cause
    return error


def report_of(attack, folder):
    """In a process of its own: what the report of such an error says, and whether it is written."""
    report = write_report(make_report(*raised(ATTACKS[attack]())), Path(folder))
    return [report.summary, report.text, report.path is not None]
