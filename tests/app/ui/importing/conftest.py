from tests.app.ui.tools import one_spectrum, sample_list, tools

__all__ = ["one_spectrum", "sample_list", "tools"]
