"""``rlscale steps``: convert between step units and print the arithmetic."""

from __future__ import annotations

import argparse
import json

from ..steps import STEP_UNITS, Batch, Conversion, MissingStepError, StepError, convert_steps, trl_batch

HELP = (
    "convert between rollout steps, updates, prompts, completions, epochs, tokens and hours, with the "
    "arithmetic"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("amount", type=float, metavar="N", help="how many")
    parser.add_argument("--from", dest="from_unit", default="rollout_steps", metavar="UNIT", help="unit of N")
    parser.add_argument(
        "--to", dest="to_unit", metavar="UNIT", help=f"one of: {', '.join(STEP_UNITS)}; default: all"
    )
    parser.add_argument("--prompts", type=float, help="prompts in one rollout step")
    parser.add_argument("--group-size", type=float, default=1, help="completions a prompt")
    parser.add_argument("--mini-batch", type=float, help="completions in one update")
    parser.add_argument(
        "--mini-batch-prompts", type=float, help="prompts in one update (verl: ppo_mini_batch_size)"
    )
    parser.add_argument("--passes", type=float, default=1, help="times each completion is trained on")
    parser.add_argument("--data", type=float, help="prompts in the data set")
    parser.add_argument("--tokens", type=float, help="mean generated tokens a completion")
    parser.add_argument("--seconds", type=float, help="seconds a rollout step")
    parser.add_argument("--gpus", type=float, help="all GPUs, of every pool")
    parser.add_argument(
        "--effective-batch", type=float, help="TRL: completions in one update; gives the prompts"
    )
    parser.add_argument(
        "--steps-per-generation", type=float, default=1, help="TRL: updates' worth generated at once"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    batch = _batch_of(args)
    if args.to_unit is not None:
        found = [convert_steps(args.amount, args.from_unit, args.to_unit, batch)]
    else:
        found = _convert_all(args.amount, args.from_unit, batch)
    if args.json:
        results = [{"value": c.value, "unit": c.unit, "arithmetic": list(c.lines)} for c in found]
        print(json.dumps({"amount": args.amount, "unit": args.from_unit, "results": results}))
        return 0
    printed: dict[str, None] = {}
    for conversion in found:
        printed.update(dict.fromkeys(conversion.lines))
    print("\n".join(printed))
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
    if args.prompts is None:
        raise StepError("give --prompts (prompts in one rollout step), or --effective-batch for TRL")
    mini = args.mini_batch
    if args.mini_batch_prompts is not None:
        if mini is not None:
            raise StepError("give --mini-batch or --mini-batch-prompts, not both")
        mini = args.mini_batch_prompts * args.group_size
    return Batch(
        args.prompts, args.group_size, mini, args.passes, args.data, args.tokens, args.seconds, args.gpus
    )


def _convert_all(amount: float, from_unit: str, batch: Batch) -> list[Conversion]:
    """Convert to every unit that the batch allows."""
    convert_steps(amount, from_unit, "completions", batch)  # raises when the amount or its unit is wrong
    found = []
    for unit in STEP_UNITS:
        if unit == from_unit:
            continue
        try:
            found.append(convert_steps(amount, from_unit, unit, batch))
        except MissingStepError:
            continue  # a number that this unit needs was not given
    return found
