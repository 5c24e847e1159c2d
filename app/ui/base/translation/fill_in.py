"""Puts names and numbers into a translated text."""

from numbers import Integral


def fill_in(text: str, /, **values: object) -> str:
    """The text with a value in each place, such as {name}; a whole number has its commas."""
    for name, value in values.items():
        shown = f"{value:,}" if isinstance(value, Integral) else str(value)
        text = text.replace("{" + name + "}", shown)
    return text
