"""No text becomes markup, whatever is in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.report.markup import Markup, join, page, quoted, tag
from tests.app.core.report.reading import Page

ANY = st.text(max_size=60)


def whole(text):
    """As the page holds it: replaced control characters, no break before a %."""
    kept = "".join(
        "�"
        if (each < " " and each not in "\n\t")
        or "\x7f" <= each < "\xa0"
        or "\ud800" <= each < "\ue000"
        else each
        for each in text
    )
    return kept.replace(" %", "\u00a0%")


@given(ANY, ANY)
def test_text_and_attributes_come_back_as_text(text, value):
    parsed = Page(tag("p", text, title=value))
    assert parsed.tags == ["p"]
    assert parsed.text() == whole(text)
    assert parsed.attributes == [("p", "title", whole(value))]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</bdi></p></style><script>",
        "&lt;b&gt; &amp; &#x3c;",
        "<!-- --!> ]]> <svg onload=1>",
        "' onmouseover='x",
    ],
)
def test_what_would_be_markup_is_text(text):
    parsed = Page(tag("div", quoted(text), tag("title", text), x=text, class_=text))
    assert parsed.tags == ["div", "bdi", "title"]
    assert parsed.text_of("bdi") == [text]
    assert [name for _, name, _ in parsed.attributes] == ["x", "class"]


def test_markup_is_kept_as_it_is():
    inner = tag("b", "x < y")
    assert tag("p", inner, " & ", None) == "<p><b>x &lt; y</b> &amp; </p>"
    assert join([inner, "<"], " · ") == "<b>x &lt; y</b> · &lt;"
    assert not isinstance("a" + inner, Markup)
    assert tag("p", "a" + inner) == "<p>a&lt;b&gt;x &amp;lt; y&lt;/b&gt;</p>"


def test_attributes():
    assert tag("br") == "<br/>"
    assert tag("line", x1=1.23456, y1=-0.001, stroke_width=2.0, class_="a", title=None) == (
        '<line x1="1.23" y1="0" stroke-width="2" class="a"/>'
    )
    assert tag("circle", cx=float("nan"), r=1e300) == '<circle cx="0" r="0"/>'


def test_long_words_are_cut():
    assert quoted("x" * 100, 10) == "<bdi>xxxxxxxxxx …</bdi>"
    assert quoted("x" * 10, 10) == "<bdi>xxxxxxxxxx</bdi>"


def test_a_page():
    parsed = Page(page("en", tag("head"), tag("body", "hello")))
    assert parsed.tags == ["html", "head", "body"]
    assert parsed.attributes == [("html", "lang", "en")]
