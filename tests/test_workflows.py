"""The jobs that run elsewhere name targets, modules and files that exist here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rlscale.prices import STALE_DAYS

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(path: Path) -> dict[Any, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def commands(workflow: dict[Any, Any]) -> str:
    return "\n".join(step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_workflow_calls_what_exists(path: Path) -> None:
    workflow = read(path)
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    text = commands(workflow)
    for line in re.findall(r"\bmake ([a-z][a-z ]*)", text):
        assert set(line.split()) <= targets, line
    for module in re.findall(r"-m (rlscale[\w.]*)", text):
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module
    for script in re.findall(r"\bbash (\S+)", text):
        assert (ROOT / script).is_file()
    for name, job in workflow["jobs"].items():
        assert set(job.get("needs", []) if isinstance(job.get("needs"), list) else [job.get("needs")]) - {
            None
        } <= set(workflow["jobs"])
        if "actions/deploy-pages" not in str(job["steps"]):
            assert job["timeout-minutes"] <= 60, name


def test_weekly_job_checks_links_pins_and_prices_and_tells() -> None:
    workflow = read(ROOT / ".github" / "workflows" / "weekly.yml")
    # YAML 1.1 reads the key `on` as true
    assert workflow[True]["schedule"] and set(workflow["jobs"]) == {"links", "pins", "prices", "tell"}
    (check,) = [
        line
        for line in commands({"jobs": {"links": workflow["jobs"]["links"]}}).splitlines()
        if "linkcheck" in line
    ]
    # jupyter-book looks for a relative table of contents inside book/, and ends before it has seen a link
    for file in ("_config.yml", "_toc.yml"):
        assert f'"$PWD/{file}"' in check and (ROOT / file).is_file()
    pins = workflow["jobs"]["pins"]["strategy"]["matrix"]["include"]
    assert {pin["resolution"] for pin in pins} == {"lowest-direct", "highest"}
    (price,) = [step for step in workflow["jobs"]["prices"]["steps"] if "price_age" in step.get("run", "")]
    assert str(STALE_DAYS) in price["name"]
    tell = workflow["jobs"]["tell"]
    assert set(tell["needs"]) == set(workflow["jobs"]) - {"tell"} and tell["if"] == "failure()"
    assert tell["permissions"] == {"issues": "write"} and "gh issue create" in commands(
        {"jobs": {"tell": tell}}
    )


def test_ci_builds_what_the_pages_link() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    built = [line for line in text.splitlines() if line.startswith("make ")]
    place = {target: i for i, line in enumerate(built) for target in line.split()[1:]}
    assert place["book"] < place["teachers"] <= place["pdf"] <= place["students"] <= place["test"]
    assert place["pdf"] < place["test"], "tests look at the files"
