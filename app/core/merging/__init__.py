"""Several people's sessions in one."""

from app.core.merging.merge import merge
from app.core.merging.report import Conflict, MergeReport

__all__ = ["Conflict", "MergeReport", "merge"]
