"""The report as one HTML page that needs no network and runs nothing."""

import base64
import io
from collections.abc import Iterable, Sequence
from html import escape

from PIL import Image

NO_SCRIPTS = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1c2330; background: #fff; margin: 0; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p.note { color: #55606e; max-width: 46rem; }
table { border-collapse: collapse; margin: .75rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #dfe3e8; text-align: right;
         white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.scroll { overflow-x: auto; } svg { max-width: 100%; height: auto; }
.card { border: 1px solid #dfe3e8; border-radius: 8px; padding: .8rem 1rem; margin: 1rem 0; }
.card h3 { margin-top: 0; }
.pictures { display: flex; flex-wrap: wrap; gap: .5rem 1rem; }
figure { margin: 0; max-width: 24rem; } figure img { width: 100%; display: block; }
figcaption { color: #55606e; font-size: 13px; }
ol { padding-left: 1.4rem; margin: .6rem 0 0; } li { margin: .3rem 0; overflow-wrap: anywhere; }
.wrong { color: #9c2f00; }
details { margin: .5rem 0; } summary { cursor: pointer; }
"""


def page(title: str, sections: Iterable[str]) -> str:
    parts = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{NO_SCRIPTS}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>",
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
