"""Proposals of assistants, which are kept as inspections of a model `mcp: NAME`."""

from sqlalchemy import Column, ColumnElement

ASSISTANT = "mcp: "
"""How the names of assistants begin among those of models."""


def is_assistant(model: str) -> bool:
    return model.startswith(ASSISTANT)


def by_assistant(model: Column[str]) -> ColumnElement[bool]:
    """The same of a column of model names."""
    return model.startswith(ASSISTANT, autoescape=True)
