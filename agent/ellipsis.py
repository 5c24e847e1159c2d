"""A text cut short, with a mark where something is missing."""


def shortened(text: str, longest: int, mark: str = "…") -> str:
    """The text in at most `longest` characters, the mark included."""
    return text if len(text) <= longest else text[: longest - len(mark)] + mark
