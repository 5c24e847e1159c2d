"""Makes resources/diagrams/hr_background.txt of the relations beside it.

`python packaging/hr_background.py`
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app.services.hr_diagram.place import BACKGROUND, background_text, sequences

if __name__ == "__main__":
    BACKGROUND.write_text(background_text(sequences()), encoding="utf-8")
    print(f"{BACKGROUND}: made of {len(sequences())} relations")
