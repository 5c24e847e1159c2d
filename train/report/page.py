"""The report as one HTML page that needs no network and runs nothing."""

import base64
import io
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from PIL import Image

NO_SCRIPTS = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


def page(title: str, sections: Iterable[str]) -> str:
    parts = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{NO_SCRIPTS}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>\n{STYLE}</style></head>",
        f"<body><main><h1>{escape(title)}</h1>",
        *sections,
        "</main></body></html>\n",
    )
    return "\n".join(parts)


def section(title: str, *parts: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def heading(text: str) -> str:
    return f"<h3>{escape(text)}</h3>"


def note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="scroll"><table><tr>{cells}</tr>{body}</table></div>'


def card(*parts: str) -> str:
    return f'<div class="card">{"".join(parts)}</div>'


def folded(summary: str, *parts: str) -> str:
    """Parts that are hidden until the reader opens them."""
    return f"<details><summary>{escape(summary)}</summary>{''.join(parts)}</details>"


def listed(lines: Iterable[tuple[str, bool]]) -> str:
    """A numbered list; lines marked True are shown as mistakes."""
    items = (
        f'<li class="wrong">{escape(text)}</li>' if wrong else f"<li>{escape(text)}</li>"
        for text, wrong in lines
    )
    return f"<ol>{''.join(items)}</ol>"


def pictures(captioned: Iterable[tuple[Image.Image, str]]) -> str:
    """Pictures side by side, each with its caption."""
    figures = (
        f"<figure>{_picture(image, caption)}<figcaption>{escape(caption)}</figcaption></figure>"
        for image, caption in captioned
    )
    return f'<div class="pictures">{"".join(figures)}</div>'


def _picture(image: Image.Image, what: str) -> str:
    out = io.BytesIO()
    image.convert("P", palette=Image.Palette.ADAPTIVE, colors=64).save(out, "PNG", optimize=True)
    data = base64.b64encode(out.getvalue()).decode()
    return f'<img alt="{escape(what)}" src="data:image/png;base64,{data}">'
