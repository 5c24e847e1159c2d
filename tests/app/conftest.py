"""Children of the program that start quickly."""

from tests.app.nursery import nurseries, quick_children

__all__ = ["nurseries", "quick_children"]
