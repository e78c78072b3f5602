"""``rlscale steps``: convert between step units and print the arithmetic."""

from __future__ import annotations

import argparse
import json
import sys

from ..batch import NEEDS
from ..named_inputs import name_option
from ..number_option import read_number
from ..steps import STEP_UNITS, Batch, Conversion, MissingStepError, StepError, convert_steps, trl_batch

HELP = (
    "convert between rollout steps, updates, prompts, completions, epochs, tokens and hours, with the "
    "arithmetic"
)

EXAMPLES = """examples:
  DAPO: 320 rollout steps of 512 prompts × 16 completions, updates on 512 completions at a time
    rlscale steps 320 --prompts 512 --group-size 16 --mini-batch 512 --to updates
  TRL: 2 epochs over 8,000 prompts, 6 completions each, 24 completions an update
    rlscale steps 2 --from epochs --to updates --effective-batch 24 --group-size 6 --dataset-size 8000
  384 rollout steps of 15 minutes on 32 GPUs (no prompts are needed for hours)
    rlscale steps 384 --to gpu_hours --seconds 900 --gpus 32"""

#: Numbers of a batch that are not called after their option.
_OPTIONS = {
    **{name: name_option(name) for name in NEEDS},
    "data": "--dataset-size",
    "effective_batch": "--effective-batch",
    "num_iterations": "--passes",
    "steps_per_generation": "--steps-per-generation",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.epilog, parser.formatter_class = EXAMPLES, argparse.RawDescriptionHelpFormatter
    units = ", ".join(STEP_UNITS)
    parser.add_argument(
        "amount", type=read_number, metavar="N", help="how many of the unit that --from names"
    )
    parser.add_argument(
        "--from",
        dest="from_unit",
        default="rollout_steps",
        metavar="UNIT",
        help=f"unit of N, one of: {units} (default: rollout_steps)",
    )
    parser.add_argument(
        "--to",
        dest="to_unit",
        metavar="UNIT",
        help="unit asked for, one of the same (default: all that the other options allow)",
    )
    parser.add_argument("--prompts", type=read_number, metavar="COUNT", help=NEEDS["prompts"])
    parser.add_argument(
        "--group-size",
        type=read_number,
        default=1,
        metavar="COUNT",
        help=f"{NEEDS['group_size']} (default 1)",
    )
    parser.add_argument("--mini-batch", type=read_number, metavar="COUNT", help=NEEDS["mini_batch"])
    parser.add_argument(
        "--mini-batch-prompts",
        type=read_number,
        metavar="COUNT",
        help="prompts in one update (verl: ppo_mini_batch_size)",
    )
    parser.add_argument(
        "--passes", type=read_number, default=1, metavar="COUNT", help=f"{NEEDS['passes']} (default 1)"
    )
    parser.add_argument(
        "--dataset-size",
        "--data",
        dest="data",
        type=read_number,
        metavar="COUNT",
        help=f"{NEEDS['data']}: a number",
    )
    parser.add_argument("--tokens", type=read_number, metavar="COUNT", help=NEEDS["tokens"])
    parser.add_argument("--seconds", type=read_number, metavar="S", help=NEEDS["seconds"])
    parser.add_argument("--gpus", type=read_number, metavar="COUNT", help=NEEDS["gpus"])
    parser.add_argument(
        "--effective-batch",
        type=read_number,
        metavar="COUNT",
        help="TRL: completions in one update; gives --prompts and --mini-batch",
    )
    parser.add_argument(
        "--steps-per-generation",
        type=read_number,
        default=1,
        metavar="COUNT",
        help="TRL: updates' worth generated at once (default 1)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    try:
        return _run(args)
    except StepError as error:
        raise StepError(error.with_options(_OPTIONS)) from None


def _run(args: argparse.Namespace) -> int:
    for unit in (args.from_unit, args.to_unit or "rollout_steps"):
        convert_steps(args.amount, unit, unit, Batch(1, 1, 1, 1, 1, 1, 1, 1))  # a unit, an amount
    batch = _batch_of(args)
    left_out: dict[str, str] = {}
    if args.to_unit is not None:
        found = [convert_steps(args.amount, args.from_unit, args.to_unit, batch)]
    else:
        found, left_out = _convert_all(args.amount, args.from_unit, batch)
    warnings = list(dict.fromkeys(w for c in found for w in c.warnings))
    if args.json:
        results = [{"value": c.value, "unit": c.unit, "arithmetic": list(c.lines)} for c in found]
        answer = {"amount": args.amount, "unit": args.from_unit, "results": results, "warnings": warnings}
        print(json.dumps(answer))
        return 0
    printed: dict[str, None] = {}
    for conversion in found:
        printed.update(dict.fromkeys(conversion.lines))
    lines = list(printed) or [f"{args.amount:g} {STEP_UNITS[args.from_unit]}"]
    if left_out:
        by_option: dict[str, list[str]] = {}
        for unit, option in left_out.items():
            by_option.setdefault(option, []).append(STEP_UNITS[unit])
        needs = "; ".join(f"{', '.join(units)} need {option}" for option, units in by_option.items())
        lines.append(f"left out: {needs}")
    print("\n".join(lines))
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return 0


def _batch_of(args: argparse.Namespace) -> Batch:
    if args.effective_batch is not None:
        if args.prompts is not None or args.mini_batch is not None or args.mini_batch_prompts is not None:
            raise StepError("--effective-batch gives prompts and mini-batch; leave those out")
        trl = trl_batch(
            args.effective_batch,
            args.group_size,
            num_iterations=args.passes,
            steps_per_generation=args.steps_per_generation,
            data=args.data,
        )
        return Batch(**{**trl.__dict__, "tokens": args.tokens, "seconds": args.seconds, "gpus": args.gpus})
    if args.prompts is None and args.seconds is None and args.gpus is None:
        raise StepError(
            "give --prompts (prompts in one rollout step), --effective-batch for TRL, or --seconds of a "
            "rollout step to convert to hours"
        )
    mini = args.mini_batch
    if args.mini_batch_prompts is not None:
        if mini is not None:
            raise StepError("give --mini-batch or --mini-batch-prompts, not both")
        mini = args.mini_batch_prompts * args.group_size
    return Batch(
        args.prompts, args.group_size, mini, args.passes, args.data, args.tokens, args.seconds, args.gpus
    )


def _convert_all(amount: float, from_unit: str, batch: Batch) -> tuple[list[Conversion], dict[str, str]]:
    """Convert to every unit that the batch allows; return also what each other unit needs."""
    found: list[Conversion] = []
    left_out: dict[str, str] = {}
    refusal: MissingStepError | None = None
    for unit in STEP_UNITS:
        if unit == from_unit:
            continue
        try:
            found.append(convert_steps(amount, from_unit, unit, batch))
        except MissingStepError as error:
            refusal = refusal or error
            left_out[unit] = _OPTIONS[error.name]
    if not found and refusal is not None:
        raise refusal
    return found, left_out
