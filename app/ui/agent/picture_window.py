"""One of the model's pictures, as large as the model had it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPixmap
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

SCREEN = 0.9
"""Of the screen at most."""


class PictureWindow(QFrame):
    """Goes away with a click or any key."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.caption = QLabel()
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self.caption.setProperty("role", "dim")
        self.picture = QLabel()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(8)
        layout.addWidget(self.picture)
        layout.addWidget(self.caption)

    def show_picture(self, image: QImage, caption: str) -> None:
        self.caption.setText(caption)
        self.picture.setAccessibleName(caption)
        room = self.screen().availableGeometry().size() * SCREEN
        pixmap = QPixmap.fromImage(image)
        if pixmap.width() > room.width() or pixmap.height() > room.height():
            smooth = Qt.TransformationMode.SmoothTransformation
            pixmap = pixmap.scaled(room, Qt.AspectRatioMode.KeepAspectRatio, smooth)
        self.picture.setPixmap(pixmap)
        self.adjustSize()
        parent = self.parentWidget()
        window = parent.window().frameGeometry() if parent else self.screen().availableGeometry()
        self.move(window.center() - self.rect().center())
        self.show()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.close()
