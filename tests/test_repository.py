"""The files around the package: lock, environment, licences, build, and what must never be committed."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import rlscale

ROOT = Path(__file__).resolve().parent.parent
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LARGEST_FILE = 2_000_000


def _load_lock_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lock_script", ROOT / ".ci" / "lock.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _locked() -> dict[str, Requirement]:
    """Read the lock without the script that wrote it: logical lines, options dropped."""
    lines = LOCK.replace("\\\n", " ").splitlines()
    texts = [line.split(" --hash=")[0].strip() for line in lines if line.strip() and not line.startswith("#")]
    found = [Requirement(text) for text in texts]
    assert len({canonicalize_name(r.name) for r in found}) == len(found), "a project is locked twice"
    return {canonicalize_name(r.name): r for r in found}


def _direct() -> list[Requirement]:
    """All requirements of the package and of the extras that the lock covers."""
    extras = PROJECT["optional-dependencies"]
    texts = list(PROJECT["dependencies"])
    for extra in ("report", "tensorboard", "wandb", "parquet", "logs", "book", "pdf", "test"):
        texts += extras[extra]
    return [r for r in map(Requirement, texts) if r.name != "rlscale"]


def _tracked() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


# The lock and the environment


def test_each_locked_version_is_exact_and_has_hashes() -> None:
    entries = re.split(r"\n(?=[A-Za-z0-9])", re.sub(r"^#.*\n", "", LOCK, flags=re.M).strip())
    assert len(entries) > 100
    for entry in entries:
        assert re.match(r"^[A-Za-z0-9._-]+==[^\s;]+", entry), entry.splitlines()[0]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry.splitlines()[0]


def test_lock_names_no_address_and_no_pytorch() -> None:
    assert "://" not in LOCK
    assert not re.search(r"^--?(index|extra|find|trusted|i |f )", LOCK, re.M)
    assert not {"torch", "triton", "rlscale"} & set(_locked())
    assert not [name for name in _locked() if name.startswith("nvidia")]


def test_lock_satisfies_what_the_project_asks_for() -> None:
    locked = _locked()
    for wish in _direct():
        pin = locked[canonicalize_name(wish.name)]
        (version,) = [specifier.version for specifier in pin.specifier]
        assert wish.specifier.contains(version, prereleases=True), f"{wish} against {pin}"


def test_environment_has_the_versions_of_the_lock() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    (pip,) = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    pins = {canonicalize_name(r.name): r for r in map(Requirement, pip[:-1])}
    locked = _locked()
    assert set(pins) == {canonicalize_name(r.name) for r in _direct()}
    assert {name: str(r.specifier) for name, r in pins.items()} == {n: str(locked[n].specifier) for n in pins}
    assert pip[-1] == "--editable ."
    assert "python=3.11" in environment["dependencies"]


def test_environment_is_what_the_lock_script_writes() -> None:
    script = _load_lock_script()
    assert script.render_environment(LOCK, script.read_direct()) == (ROOT / "environment.yml").read_text()
    assert script.read_pins("a-b==1.0 ; os_name == 'nt' \\\n    --hash=x\nA.c[x]==2 \\\n    --hash=y\n") == {
        "a-b": ["1.0 ; os_name == 'nt'"],
        "a-c": ["2"],
    }


# What surrounds the package


def test_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert changelog is not None
    assert {PROJECT["version"], rlscale.__version__, str(citation["version"]), changelog[1]} == {
        PROJECT["version"]
    }


def test_citation_has_the_fields_that_its_format_asks_for() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    assert all("name" in a or {"family-names", "given-names"} <= set(a) for a in citation["authors"])


def test_licences() -> None:
    code, text = ((ROOT / name).read_text(encoding="utf-8") for name in ("LICENSE", "LICENSE-text"))
    assert code.startswith("BSD 3-Clause License") and "AS IS" in code
    assert "CC BY 4.0" in text and "https://creativecommons.org/licenses/by/4.0/" in text
    assert PROJECT["license"] == "BSD-3-Clause" and PROJECT["license-files"] == ["LICENSE", "LICENSE-text"]


def test_plain_make_lists_every_target() -> None:
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = set(re.findall(r"^make ([a-z]+)", done.stdout, re.M))
    assert {"book", "test", "serve", "lint", "bench", "data", "clean", "lock", "lab", "chapter"} <= listed
    named = re.search(r"^\.PHONY:(.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert named is not None
    assert set(named[1].split()) - listed <= {"torch"}


def test_make_asks_which_chapter() -> None:
    done = subprocess.run(
        ["make", "chapter", f"PY={sys.executable}"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode != 0 and "error: which chapter?" in done.stderr


def test_make_refuses_an_old_python(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    pretend = "import sys; sys.version_info = (3, 10, 0); exec(sys.argv[1])"
    old.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{pretend}" "$2"\n')
    old.chmod(0o755)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    command = ["make", "env", f"PYTHON={old}", f"VENV={tmp_path / 'venv'}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode != 0 and "rlscale needs 3.11 or newer" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_workflow_tests_before_it_publishes() -> None:
    text = (ROOT / ".github" / "workflows" / "book.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert any(step.get("run") == "bash .ci/run" for step in jobs["test"]["steps"])
    assert jobs["publish"]["needs"] == "test"
    actions = re.findall(r"uses: (\S+)", text)
    assert actions and all(re.fullmatch(r"actions/[a-z-]+@v\d+", action) for action in actions)


def test_ci_script_can_be_run() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=False).returncode == 0


# What must never be committed


def test_no_built_or_heavy_file_is_tracked() -> None:
    for path in _tracked():
        name = path.relative_to(ROOT).as_posix()
        assert not re.search(r"(^|/)(_build|\.venv|__pycache__|node_modules|\.ipynb_checkpoints)/", name), (
            name
        )
        assert "mathjax" not in name.lower(), "MathJax comes from its package"
        assert path.stat().st_size <= LARGEST_FILE, name


def test_no_tracked_file_names_this_machine_or_a_registry() -> None:
    # written in pieces, so that this file passes too
    places = [f"/{folder}/" for folder in ("work", "opt", "root", "home", "Users")]
    hosts = ["pypi" + ".org", "pythonhosted" + ".org", "npmjs" + ".org", "anaconda" + ".org"]
    pattern = re.compile(
        r"(?<![\w./*~-])(" + "|".join(map(re.escape, places)) + r")\w|" + "|".join(map(re.escape, hosts))
    )
    for path in _tracked():
        if path.suffix in {".png", ".parquet", ".npz"}:
            continue
        found = pattern.search(path.read_text(encoding="utf-8", errors="replace"))
        assert found is None, f"{path.relative_to(ROOT)}: {found and found[0]!r}"


def test_no_unfinished_mark_is_tracked() -> None:
    marks = re.compile(
        "|".join(("TO" + "DO", "FIX" + "ME", "Not" + "Implemented" + "Error", r"mark\.(skip|xfail)\b"))
    )
    for path in _tracked():
        if path.suffix in {".py", ".js", ".md", ".css", ".yml"}:
            found = marks.search(path.read_text(encoding="utf-8"))
            assert found is None, f"{path.relative_to(ROOT)}: {found and found[0]!r}"


# The package as a reader installs it


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the built wheel, and sees the other packages of this one."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    environment = folder / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    (wheel,) = folder.glob("rlscale-*.whl")
    subprocess.run(
        [*pip, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)], check=True
    )
    (site,) = environment.glob("lib/python3*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment


def _run(installed: Path, *command: str) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COV"))}
    done = subprocess.run(
        [str(installed / "bin" / command[0]), *command[1:]],
        cwd=installed,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_installed_command_runs_from_any_folder(installed: Path) -> None:
    assert _run(installed, "rlscale", "--version") == f"rlscale {PROJECT['version']}"


def test_installed_package_finds_its_tables(installed: Path) -> None:
    code = (
        "import os, rlscale; from rlscale.tables import data_path, load_table; "
        "print(os.path.dirname(rlscale.__file__)); print(data_path('published_fits.csv')); "
        "print(len(load_table('published_fits')))"
    )
    package, table, rows = _run(installed, "python", "-c", code).splitlines()
    assert Path(package).is_relative_to(installed)
    assert Path(table).is_relative_to(package)
    assert int(rows) > 5


def test_wheel_carries_what_the_commands_need(installed: Path) -> None:
    (package,) = installed.glob("lib/python3*/site-packages/rlscale")
    carried = {path.relative_to(package / "_data").as_posix() for path in (package / "_data").rglob("*.*")}
    assert carried >= {path.relative_to(ROOT / "data").as_posix() for path in (ROOT / "data").rglob("*.*")}
    assert "notebooks/11-your-run.py" in carried
    assert (package / "book.mplstyle").is_file() and (package / "py.typed").is_file()
    licences = list(package.parent.glob("rlscale-*.dist-info/licenses/LICENSE*"))
    assert {path.name for path in licences} == {"LICENSE", "LICENSE-text"}


def test_import_is_quick_and_lazy(installed: Path) -> None:
    code = (
        "import sys, time; heavy = {'numpy', 'scipy', 'pandas', 'matplotlib', 'torch'}; "
        "start = time.process_time(); import rlscale; took = time.process_time() - start; "
        "print(heavy & set(sys.modules), took < 0.5)"
    )
    assert _run(installed, "python", "-c", code) == "set() True"


def test_picture_of_the_readme_is_the_figure_of_the_introduction() -> None:
    spec = importlib.util.spec_from_file_location("picture_script", ROOT / ".ci" / "picture.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PICTURE.read_bytes() == script.first_figure(), "run: python .ci/picture.py"
    assert script.PICTURE.relative_to(ROOT).as_posix() in (ROOT / "README.md").read_text(encoding="utf-8")
