"""A page read back as a browser would, by Python's own parser."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = frozenset({"br", "meta", "hr", "img", "input", "link"})


class Page(HTMLParser):
    """Elements, attributes and text; a tag that is left open or closed twice is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._met(tag, attrs)
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._met(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def text(self) -> str:
        return "".join(data for tag, data in self.texts if tag not in ("style", "title"))

    def text_of(self, tag: str) -> list[str]:
        return [data for where, data in self.texts if where == tag]

    def _met(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
