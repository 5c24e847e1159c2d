"""Export of a session as a catalogue."""

from app.core.exporting.export import FORMATS, ExportReport, export

__all__ = ["FORMATS", "ExportReport", "export"]
