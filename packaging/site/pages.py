"""What MkDocs reads: the guide as it is, and three pages of the checkout beside it."""

from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    **{name: f"resources/help/{name}" for name in ("en", "zh", "images", "pictures")},
    **{f"{name}/README.md": f"resources/{name}/README.md" for name in ("tasks", "models")},
    "changelog.md": "CHANGELOG.md",
    "spec-o3.svg": "resources/icons/spec-o3.svg",
}


def on_config(config: Any) -> None:
    for name, source in PAGES.items():
        page = Path(config.docs_dir) / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.unlink(missing_ok=True)
        page.symlink_to(ROOT / source)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links between these pages are those of the checkout: here `resources` is not between them."""
    return markdown.replace("](../../", "](../").replace("](resources/help/", "](")
