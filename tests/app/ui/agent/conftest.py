from tests.app.ui.scripted_agent import measured_first, scripted

__all__ = ["measured_first", "scripted"]
