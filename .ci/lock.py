"""Write requirements.lock and environment.yml anew from pyproject.toml, both in one go, so they agree.

`make lock`; `make lock KEEP=--keep` adds what is new and moves no other version. Needs uv (`pip install uv`),
which asks the package index that your own settings name; no address is written.
Check the result with `make clean test` in a new environment before you commit it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK, ENVIRONMENT = ROOT / "requirements.lock", ROOT / "environment.yml"
EXTRAS = ("book", "logs", "pdf", "test")

LOCK_HEAD = """\
# Exact versions with hashes, for Python 3.11 and newer on any system. Made by `make lock`; do not edit.
# pip install --require-hashes -r requirements.lock && pip install --no-deps --no-build-isolation -e .
# PyTorch, which only the laboratory needs, is not in it: `make lab` installs it.
"""
ENVIRONMENT_HEAD = """\
# The conda way, same versions as requirements.lock. Made by `make lock`; do not edit.
# conda env create -f environment.yml && conda activate rlscale
# The packages come through pip: some are not packaged elsewhere, and so all ways have the same files.
name: rlscale
channels: [conda-forge]
dependencies:
  - python=3.11
  - make
  - pip
  - pip:
"""


def normalise(name: str) -> str:
    """Return a project name as the index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_direct(root: Path = ROOT) -> set[str]:
    """Return the projects that pyproject.toml asks for itself, with the extras that the lock covers."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names: set[str] = set()
    todo = [*project["dependencies"], *(f"rlscale[{extra}]" for extra in EXTRAS)]
    while todo:
        wish = todo.pop()
        match = re.match(r"([A-Za-z0-9._-]+)(?:\[([^\]]*)\])?", wish)
        assert match, wish
        if normalise(match[1]) == "rlscale":
            for extra in match[2].split(","):
                todo += project["optional-dependencies"][extra.strip()]
        else:
            names.add(normalise(match[1]))
    return names


def read_pins(text: str) -> dict[str, list[str]]:
    """Return project -> ``version`` or ``version ; marker``, one a fork, from the text of the lock."""
    pins: dict[str, list[str]] = {}
    for match in re.finditer(
        r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)(?:\s*;\s*([^\\\n]+?))?\s*\\?$", text, re.M
    ):
        pins.setdefault(normalise(match[1]), []).append(match[2] + (f" ; {match[3]}" if match[3] else ""))
    return pins


def render_environment(lock: str, direct: set[str]) -> str:
    """Return the text of environment.yml for this text of the lock."""
    pins = read_pins(lock)
    lines = [f'      - "{name}=={pin}"' for name in sorted(direct) for pin in pins[name]]
    return ENVIRONMENT_HEAD + "\n".join(lines) + "\n      - --editable .\n"


def _uv_environment() -> dict[str, str]:
    """Hand pip's index setting on to uv, which reads only its own."""
    env = dict(os.environ)
    if "UV_DEFAULT_INDEX" not in env:
        asked = subprocess.run(
            [sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True
        )
        index = env.get("PIP_INDEX_URL") or asked.stdout.strip()
        if index:
            env["UV_DEFAULT_INDEX"] = index
    return env


def main() -> int:
    """Write both files."""
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    if uv is None:
        print("error: uv is not installed: pip install uv", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "lock.txt")
        command = [
            uv,
            "pip",
            "compile",
            "--quiet",
            "--universal",
            "--fork-strategy",
            "fewest",
            "--python-version",
            "3.11",
        ]
        command += ["--generate-hashes", "--no-emit-index-url", "--no-header", "--no-annotate"]
        if sys.argv[1:] == ["--keep"]:
            shutil.copyfile(LOCK, target)  # uv prefers the versions that it finds in its output file
        else:
            command += ["--upgrade"]
        command += [option for extra in EXTRAS for option in ("--extra", extra)]
        done = subprocess.run(
            [*command, "pyproject.toml", "-o", str(target)], cwd=ROOT, env=_uv_environment()
        )
        if done.returncode:
            return done.returncode
        text = LOCK_HEAD + target.read_text(encoding="utf-8")
    if "://" in text:
        print("error: the lock would name an address; nothing written", file=sys.stderr)
        return 1
    LOCK.write_text(text, encoding="utf-8")
    ENVIRONMENT.write_text(render_environment(text, read_direct()), encoding="utf-8")
    print(f"{len(read_pins(text))} projects locked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
