"""A HATS catalogue whose lists of properties and partitions were damaged or edited."""

import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from app.core.errors import ImportFailed
from app.core.evidence.hats import PARTITIONS, PROPERTIES
from app.core.evidence.local_catalogue import near_rows
from app.core.importing.sky import unit_vectors
from tests.agent.spectra.readers.hostile_files import MUTATIONS
from tests.app.core.evidence.hats_folders import write_hats

WORDS = (
    *(b"\n", b"=", b",", b"../..", b"/etc", b".parquet", b"/", b"-1", b"29", b"9" * 400, b"nan"),
    *(b"\xff\xfe", b"\0", b'"', b"Norder,Npix\n", b"hats_col_ra=", b"hats_npix_suffix=/", b"1e308"),
)


def make(folder: Path) -> None:
    draw = np.random.default_rng(8)
    sky = {"ra": draw.uniform(0.0, 360.0, 40), "dec": draw.uniform(-80.0, 80.0, 40)}
    write_hats(folder, sky, 1, split=[5])


def attack(seed: int, made: str, home: str) -> dict[str, Any]:
    chance = random.Random(seed)
    folder = Path(shutil.copytree(made, home))
    names = [name for name in (*PROPERTIES, PARTITIONS) if (folder / name).exists()]
    place = folder / chance.choice(names)
    data = bytearray(place.read_bytes())
    for _ in range(chance.choice([1, 1, 3])):
        if chance.random() < 0.5:
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.choice([0, 1, 8])] = chance.choice(WORDS)
        elif data:
            chance.choice(MUTATIONS)(data, chance)
    place.write_bytes(data[:2_000_000])
    sky = unit_vectors(np.array([10.0, 200.0]), np.array([-20.0, 70.0])).tolist()
    try:
        rows = list(near_rows(folder, 3600.0 * 20.0, sky))
    except ImportFailed as error:
        text = str(error)
        assert text and text.isprintable() and len(text) < 2000, text[:3000]
        return {"told": [text]}
    return {"told": [""], "rows": len(rows)}
