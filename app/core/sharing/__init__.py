"""Merges the sessions of several people into one."""

from app.core.sharing.merge import Conflict, MergeReport, merge

__all__ = ["Conflict", "MergeReport", "merge"]
