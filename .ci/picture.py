"""Write the picture of README.md: the first figure of the executed introduction.

python .ci/picture.py      after the introduction was executed anew; a test compares the two
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "book" / "_static" / "forecast.png"


def first_figure() -> bytes:
    """Return the bytes of the first PNG in the introduction."""
    notebook = json.loads((ROOT / "book" / "intro.ipynb").read_text(encoding="utf-8"))
    outputs = (o for cell in notebook["cells"] for o in cell.get("outputs", []))
    return base64.b64decode(next(o["data"]["image/png"] for o in outputs if "image/png" in o.get("data", {})))


if __name__ == "__main__":
    PICTURE.write_bytes(first_figure())
    print(f"wrote {PICTURE.relative_to(ROOT)}")
