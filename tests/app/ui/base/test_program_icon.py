"""The icon and the logo are readable at every size, on light and dark."""

from importlib import resources
from pathlib import Path

from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from app.ui.base.program_icon import program_icon
from app.ui.widgets.page_parts import Logo

ICONS = Path(str(resources.files("resources"))) / "icons"
LINE, GLASS, RIM = QColor("#ffb638"), QColor("#0b1c38"), QColor("#ffffff")


def near(one: QColor, other: QColor) -> bool:
    return all(abs(a - b) < 60 for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True))


def colours(image: QImage) -> list[QColor]:
    points = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return [image.pixelColor(x, y) for x, y in points]


def test_line_lens_and_rim_are_distinct_at_any_size(qtbot):
    for size in [16, 24, 32, 64, 256]:
        image = program_icon().pixmap(size, size).toImage()
        assert image.pixelColor(0, 0).alpha() == 0  # round corners
        seen = colours(image)
        for part in (LINE, GLASS, RIM):
            assert sum(near(each, part) for each in seen) >= 2, part.name()
    mark = Logo(72)
    qtbot.addWidget(mark)
    seen = colours(mark.grab().toImage())
    assert any(near(each, LINE) for each in seen)


def test_the_name_plate_is_readable_on_its_paper(qtbot):
    for theme, paper in [("light", "#ffffff"), ("dark", "#161b22")]:
        drawing = QSvgRenderer(str(ICONS / theme / "name_plate.svg"))
        assert drawing.isValid()
        image = QImage(drawing.defaultSize(), QImage.Format.Format_RGB32)
        image.fill(QColor(paper))
        painter = QPainter(image)
        drawing.render(painter)
        painter.end()
        letters = [image.pixelColor(x, y) for x in range(76, image.width()) for y in range(64)]
        apart = [abs(each.lightness() - QColor(paper).lightness()) for each in letters]
        assert max(apart) > 180 and sum(each > 100 for each in apart) > 300
    for path in (ICONS / "spec-o3.svg", *ICONS.glob("*/name_plate.svg")):
        text = path.read_text(encoding="utf-8")
        assert "<text" not in text and "<image" not in text and "href" not in text
