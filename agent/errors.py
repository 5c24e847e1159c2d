"""Errors a user can act on. Their text is what the window or the terminal shows."""


class WorkbenchError(Exception):
    """Base of every error we raise on purpose: what failed, on what, what to try."""


class SpectrumError(WorkbenchError):
    """The numbers given do not make a spectrum."""


class ReadError(WorkbenchError):
    """A file could not be read as a spectrum. `reasons` maps each reader tried to its refusal."""

    def __init__(self, message: str, reasons: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.reasons = dict(reasons or {})


class ToolError(WorkbenchError):
    """The visualization tool refuses a call; the model reads the text and goes on."""


class ResourceError(WorkbenchError):
    """A task, line list or other resource file is faulty."""


class ImageError(WorkbenchError):
    """A picture that no vision encoder could take."""


class EngineError(WorkbenchError):
    """An engine cannot go on: what failed and what to try."""


class ContextFullError(EngineError):
    """The conversation is longer than the model can read."""


class TrajectoryError(WorkbenchError):
    """A record of an inspection cannot be read, or does not belong to this spectrum."""
