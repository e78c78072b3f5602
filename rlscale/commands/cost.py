"""``rlscale cost``: tokens, Tinker dollars, self-hosted dollars, sandbox dollars, each with a range."""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import Field, fields
from datetime import date
from typing import TYPE_CHECKING, Any

from ..amounts import number, span
from ..errors import CostError
from ..named_inputs import InputError, name_option
from ..number_option import read_whole
from ..presets import list_presets, load_scenario, scenario_from
from ..scenario import Scenario

if TYPE_CHECKING:
    from ..cost import Cost

HELP = "estimate what a run costs: tokens, Tinker, own or rented GPUs, sandboxes, and where they cross"


#: Inputs that are options.
_INPUTS = {f.name: f for f in fields(Scenario) if f.name != "note"}

EXAMPLES = """examples:
  rlscale cost starting-page-corrected                a preset, as it stands
  rlscale cost starting-page-corrected --steps 500    the same with another number of steps
  rlscale cost --steps 200 --prompts 64 --group-size 16 --mean-length 400:800:1600 --tinker-model Qwen3-8B
  rlscale cost --gpu-hours 800:1000:1500 --gpu 'H100 SXM'
  rlscale cost --steps 200 --prompts 64 --group-size 16 --mean-length 800 \\
      --gpu 'H100 SXM' --gpus 8 --model Qwen3-8B"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command: one for each input of a scenario."""
    parser.epilog, parser.formatter_class = EXAMPLES, argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "scenario",
        nargs="?",
        metavar="SCENARIO",
        help="a preset (see --list) or a TOML file; options go on top",
    )
    parser.add_argument("--list", action="store_true", help="list the presets and end")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument(
        "--draws", type=read_whole, default=2000, help="draws of the uncertain inputs (default 2000)"
    )
    parser.add_argument("--seed", type=read_whole, default=0, help="seed of the draws (default 0)")
    group = parser.add_argument_group(
        "inputs", "a number, or low:central:high for a 90 % interval; none empties an input"
    )
    for name, f in _INPUTS.items():
        group.add_argument(name_option(name), dest=f"in_{name}", **_option(f))


def _option(f: Field[Any]) -> dict[str, Any]:
    meta = f.metadata
    text = meta["help"] + (f", in {meta['unit']}" if meta["unit"] else "")
    text = text.replace("%", "%%")
    if meta["kind"] == "flag":
        return {"action": argparse.BooleanOptionalAction, "default": None, "help": text}
    if meta["kind"] == "choice":
        return {"metavar": "WORD", "help": f"{text}: {', '.join(meta['choices'])}"}
    return {"metavar": meta["kind"].split()[-1].upper(), "help": text}


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    try:
        return _run(args)
    except InputError as error:
        raise CostError(
            error.with_options({name: name_option(name) for name in (*_INPUTS, "draws", "seed")})
        ) from None


def _run(args: argparse.Namespace) -> int:
    from ..cost import estimate_cost

    if args.list:
        rows = [(name, load_scenario(name).name) for name in list_presets()]
        if args.json:
            print(json.dumps({"presets": [{"name": name, "title": title} for name, title in rows]}))
        else:
            print("\n".join(f"{name:24}{title}" for name, title in rows))
        return 0
    given = {name: getattr(args, f"in_{name}") for name in _INPUTS}
    given = {name: value for name, value in given.items() if value is not None}
    if args.scenario is None and not given:
        raise CostError(
            f"no scenario is given; name a preset ({', '.join(list_presets())}), a TOML file, or the inputs: "
            "rlscale cost --steps 200 --prompts 64 --group-size 16 --mean-length 800 --tinker-model Qwen3-8B"
        )
    if args.scenario is None:
        scenario = scenario_from(given, where="")
    else:
        scenario = load_scenario(args.scenario, **given)
    cost = estimate_cost(scenario, draws=args.draws, seed=args.seed, today=date.today())
    print(json.dumps(cost.to_dict(), allow_nan=False) if args.json else format_cost(cost))
    return 0


def format_cost(cost: Cost) -> str:
    """Return the estimate for a reader: results, parts, what moves them, prices with dates, assumptions."""
    s = cost.scenario
    lines = [s.name + (f": {s.note}" if s.note else ""), ""]
    if cost.tokens:
        shown = ", ".join(f"{number(v)} {k}" for k, v in cost.tokens.items())
        lines.append(f"tokens                {shown}")
    if cost.gpu_hours:
        lines.append(f"GPU-hours             {span(cost.gpu_hours)}")
    if cost.wall_hours:
        lines.append(f"hours on the clock    {span(cost.wall_hours)}")
    titles = {"tinker": "Tinker", "self_hosted": "self-hosted", "sandbox": "sandbox"}
    for branch, title in titles.items():
        value = cost.usd[branch]
        lines.append(f"{title:22}{'does not apply' if value is None else span(value, '$')}")
    for branch in ("tinker", "self_hosted"):
        total, bare = cost.usd[f"total_{branch}"], cost.usd[branch]
        if total is not None and total != bare:
            lines.append(f"{titles[branch] + ', in all':22}{span(total, '$')}")
    lines += _compare(cost)
    if cost.parts:
        lines += ["", f"{'parts (mean)':44}{'USD':>12}"]
        lines += [f"  {name:42}{usd:>12,.0f}" for name, usd in cost.parts.items() if usd > 0]
    lines += _list_swings(cost)
    if cost.prices:
        lines += ["", "prices"]
        lines += [f"  {p.what}: {p.value:g} {p.unit}, listed {p.as_of} ({p.source})" for p in cost.prices]
    lines += ["", "assumptions"] + [f"  {_with_options(a)}" for a in cost.assumptions]
    from ..cost import warn_unused

    unused = warn_unused(s)
    warnings = (*warn_unused(s, name_option), *(w for w in cost.warnings if w not in unused))
    if warnings:
        lines += ["", "warnings"] + [f"  {_with_options(w)}" for w in warnings]
    return "\n".join(lines)


def _with_options(text: str) -> str:
    """Return a sentence with inputs of several words, such as ``project_share``, as options."""
    return re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda m: name_option(m[0]) if m[0] in _INPUTS else m[0], text)


def _compare(cost: Cost) -> list[str]:
    lines = []
    if cost.break_even is not None:
        reached = f"; estimated {span(cost.throughput)}" if cost.throughput else ""
        lines.append(f"break-even            {number(cost.break_even)} generated tokens/s/GPU{reached}")
    if cost.cheaper is not None and cost.p_self_hosted_cheaper is not None:
        words = {"tinker": "Tinker", "self_hosted": "self-hosted", "undecided": "undecided"}[cost.cheaper]
        share = f"{100 * cost.p_self_hosted_cheaper:.0f} %"
        lines.append(f"cheaper               {words} (self-hosted in {share} of the draws)")
    return lines


def _list_swings(cost: Cost, most: int = 4) -> list[str]:
    lines = []
    for branch in ("total_tinker", "total_self_hosted", "sandbox"):
        swings = [w for w in cost.swings if w.branch == branch][:most]
        if swings:
            title = branch.removeprefix("total_").replace("_", "-")
            lines += ["", f"what moves {title} most (low end to high end of one input, others central)"]
            lines += [
                f"  {w.input:22}{number(w.usd_at_lo, '$'):>10} to {number(w.usd_at_hi, '$')}" for w in swings
            ]
    return lines
