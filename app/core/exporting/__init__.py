"""Export of a session as a catalogue."""

from app.core.exporting.export import FORMATS, ExportReport, all_formats, export

__all__ = ["FORMATS", "ExportReport", "all_formats", "export"]
