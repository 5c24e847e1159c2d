"""Merges the sessions of several people into one."""

from app.core.sharing.merge import merge
from app.core.sharing.merge_report import Conflict, MergeReport

__all__ = ["Conflict", "MergeReport", "merge"]
