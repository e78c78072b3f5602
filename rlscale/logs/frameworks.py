"""What each training framework calls its counters, and what it means by them.

The container (CSV, TensorBoard, JSONL …) says nothing about the framework; the keys do. Names and meanings
were read in the frameworks' own sources in 2026; the appendix "Log formats" of the book lists them with
versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Counter:
    """A key that measures compute.

    Attributes
    ----------
    key : str
        Regular expression that the whole key must match.
    unit : str
        Unit of compute, or ``"seconds"``.
    how : str
        ``"position"``: a step number; ``"total"``: a running total; ``"each"``: spent in this row's step;
        ``"clock"``: a time of day.
    note : str
        What must be said when it is used.
    """

    key: str
    unit: str
    how: str
    note: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The key as a compiled pattern."""
        return re.compile(self.key)


@dataclass(frozen=True)
class Framework:
    """One framework: the keys by which it is known, and its counters in order of preference.

    Attributes
    ----------
    name : str
        As its authors write it.
    signs : str
        Regular expression; a log in which some key matches it was written by this framework.
    steps : tuple of Counter
        Positions: the first that a log holds orders its rows.
    spent : tuple of Counter
        Tokens, completions and time.
    """

    name: str
    signs: str
    steps: tuple[Counter, ...]
    spent: tuple[Counter, ...] = ()


def _step(key: str, unit: str = "rollout_steps", note: str = "") -> Counter:
    return Counter(key, unit, "position", note)


_VERL = Framework(
    "verl",
    r"(val-core|val-aux)/.+|critic/(score|rewards)/mean|actor/pg_loss|timing_s/(gen|step)|perf/total_num_tokens",
    (
        _step(r"step"),
        _step(r"training/global_step"),
        _step(r"(?i)(step|_step|global_step)"),
        _step("trainer/global_step"),
    ),
    (
        Counter(r"perf/total_num_tokens", "trained_tokens", "each", "prompt and response tokens"),
        Counter(r"perf/time_per_step|timing_s/step", "seconds", "each"),
    ),
)
_TINKER = Framework(
    "tinker-cookbook",
    r"progress/(batch|done_frac)|env/all/.+|optim/kl_sample_train_v1",
    (_step(r"step"), _step(r"progress/(batch|step)"), _step(r"(?i)(_step|step)")),
    (
        Counter(r"env/all/total_ac_tokens", "generated_tokens", "each"),
        Counter(r"env/all/total_episodes", "completions", "each"),
        Counter(r"time/total", "seconds", "each"),
        Counter(r"timestamp", "seconds", "clock"),
    ),
)
_TRL = Framework(
    "TRL",
    r"(eval_)?(frac_reward_zero_std|completions/mean_length|completion_length|rewards/[^/]+(/mean)?|clip_ratio/region_mean)",
    (
        _step(r"step", "updates"),
        _step(r"train/global_step", "updates"),
        _step(r"(?i)(global_step|step|_step)", "updates"),
    ),
    (
        Counter(
            r"(train/)?num_tokens", "trained_tokens", "total", "prompt and completion tokens, training only"
        ),
        Counter(r"(train/)?step_time", "seconds", "each", "evaluation time is not in it"),
    ),
)
_PRIME = Framework(
    "prime-rl",
    r"mismatch_kl/.+|train/agg/.+|progress/total_tokens|off_policy/.+",
    (_step(r"step"), _step(r"progress/step")),
    (
        Counter(r"progress/total_tokens", "trained_tokens", "total", "logged before this step is added"),
        Counter(r"progress/tokens", "trained_tokens", "each"),
        Counter(r"progress/output_tokens", "generated_tokens", "each"),
        Counter(r"time", "seconds", "clock"),
    ),
)
_NEMO = Framework(
    "NeMo-RL",
    r"validation/(accuracy|pass_k|avg_length)|train/(gen_kl_error|token_mult_prob_error|filtered_reward|global_valid_toks)",
    (_step(r"(?i)(step|_step|train/step)"),),
    (
        Counter(r"train/(total_num_tokens|global_valid_toks)", "trained_tokens", "each"),
        Counter(r"timing/train/total_step_time", "seconds", "each"),
    ),
)
_OPENRLHF = Framework(
    "OpenRLHF",
    r"(train/)?(dynamic_filtering_pass_rate|group_reward_std|rollout/reward_mean|timing/make_experience|vllm_kl)|eval/eval_.+_pass\d+",
    (_step(r"(train|eval)/global_step"), _step(r"(?i)(global_step|step)")),
    (Counter(r"train/timing/step_total", "seconds", "each"),),
)
_SKYRL = Framework(
    "SkyRL",
    r"reward/(avg_raw_reward|avg_pass_at_\d+|num_zero_variance_filtered)|eval/.+/avg_score|loss/avg_final_rewards",
    (_step(r"trainer/global_step"), _step(r"(?i)(step|_step)")),
    (Counter(r"timing/step", "seconds", "each"),),
)
_OPEN_INSTRUCT = Framework(
    "open-instruct",
    r"val/(num_total_tokens|num_step_tokens|sequence_lengths|solve_rate_hist|ratio)|real_batch_size_ratio"
    r"|unsolved_batch_size_ratio|debug/vllm_vs_local_logprob_diff_.+",
    (_step(r"training_step"),),
    (
        Counter(r"val/num_total_tokens", "trained_tokens", "total"),
        Counter(r"val/num_step_tokens", "trained_tokens", "each"),
        Counter(
            r"episode|global_step", "completions", "total", "this framework's global_step counts samples"
        ),
        Counter(r"time/total", "seconds", "each"),
    ),
)
_SLIME = Framework(
    "slime",
    r"rollout/(raw_reward|response_len/.+|zero_std/.+|truncated_ratio)|perf/(rollout_time|step_time)"
    r"|train/train_rollout_logprob_abs_diff",
    (
        _step(r"(rollout|eval)/step"),
        _step(r"(?i)(step|_step)"),
        _step(r"train/step", "updates"),
    ),
    (Counter(r"perf/step_time", "seconds", "each", "sleep, wake-up and weight update are not in it"),),
)
_FORGE = Framework(
    "torchforge",
    r"reward/evaluate_response/.+|buffer/sample/.+|generator/generate/.+|main_perf/.+",
    (_step(r"(?i)(step|_step|global_step)"),),
    (Counter(r"generator/generate/sum_tokens_generated", "generated_tokens", "each"),),
)
_RLLM = Framework(
    "rllm",
    r"episode/correct|batch/.+/fractions/.+|val/.+/pass@\d+|episode/response_tokens",
    (_step(r"step"), _step(r"training/global_step"), _step(r"(?i)(step|_step|global_step)")),
    (
        Counter(r"perf/total_num_tokens", "trained_tokens", "each"),
        Counter(r"time/step", "seconds", "each"),
    ),
)

_ASSUMED = "the log does not say whether this counts rollout steps or updates; rollout steps are taken"

#: Used when no framework is known by its keys.
GENERIC = Framework(
    "",
    "",
    (
        _step(r"(?i)rollout[_ /]?steps?"),
        _step(r"(?i)(num_)?(optim(izer)?_steps?|gradient_steps?|updates?|num_updates)", "updates"),
        _step(r"(?i)step", note=_ASSUMED),
        _step(r"(?i)(training|train|trainer)[_/ ]?(global_)?step", note=_ASSUMED),
        _step(
            r"(?i)(global_?step|global_steps|steps|iterations?|iter|_step|batch_idx|num_steps)", note=_ASSUMED
        ),
    ),
    (
        Counter(r"(?i)(generated|output|completion|action)_tokens(_total|_cum)?", "generated_tokens", "auto"),
        Counter(
            r"(?i)(total_|num_)?tokens(_seen|_total|_cum)?|num_input_tokens_seen", "trained_tokens", "auto"
        ),
        Counter(
            r"(?i)(completions|episodes|samples)(_total|_seen)|total_(completions|episodes|samples)",
            "completions",
            "auto",
        ),
        Counter(r"(?i)gpu_hours", "gpu_hours", "auto"),
        Counter(
            r"(?i)(wall|elapsed|relative)[_ ]?(clock|time)?[_ ]?(s|sec|secs|seconds)?|_runtime|relative "
            r"time.*",
            "seconds",
            "auto",
        ),
        Counter(r"(?i)(wall[_ ]?(clock)?[_ ]?|elapsed[_ ]?)hours", "wall_hours", "auto"),
        Counter(r"(?i)(step|iter|iteration)_time(_s|_sec|_seconds)?|time/total", "seconds", "each"),
        Counter(r"(?i)_?timestamp|wall[_ ]time|time", "seconds", "clock"),
    ),
)

# the more particular keys first: several frameworks borrow verl's or TRL's names
FRAMEWORKS: tuple[Framework, ...] = (
    _OPEN_INSTRUCT, _PRIME, _TINKER, _NEMO, _SKYRL, _SLIME, _FORGE, _OPENRLHF, _RLLM, _VERL, _TRL,
)  # fmt: skip


def find_framework(keys: Iterable[str], name: str = "") -> Framework:
    """Return the framework of that name, else the one that wrote these keys, else :data:`GENERIC`.

    Examples
    --------
    >>> find_framework(["step", "val-core/gsm8k/acc/mean@4"]).name
    'verl'
    >>> find_framework(["step", "accuracy"]).name
    ''
    """
    names = list(keys)
    for framework in FRAMEWORKS:
        if name == framework.name:
            return framework
    for framework in FRAMEWORKS:
        sign = re.compile(framework.signs)
        if any(sign.fullmatch(name) for name in names):
            return framework
    return GENERIC


def find_counters(keys: list[str], framework: Framework) -> list[tuple[str, Counter]]:
    """Return the keys that measure compute, with what they count, in order of preference."""
    found: list[tuple[str, Counter]] = []
    taken: set[str] = set()
    for counters in (framework.steps, framework.spent, GENERIC.steps, GENERIC.spent):
        for counter in counters:
            for key in keys:
                if key not in taken and counter.pattern.fullmatch(key):
                    found.append((key, counter))
                    taken.add(key)
    return found
