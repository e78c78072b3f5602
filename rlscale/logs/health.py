"""Checks of the training that a log describes: signal, truncation, collapse, rewards, mismatch."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..amounts import full_number
from ..curve import Floats, LogWarning
from .collapse import describe_collapse, find_collapse

if TYPE_CHECKING:
    from .run import Run

#: Keys whose sum, or whose complement, is the share of groups without variance.
_DEAD = (
    r"(train/|eval_)?frac_reward_zero_std",
    r"(?i)(train/)?(frac_zero_std|zero_(std|variance)_(frac|fraction|rate|ratio)|zvf|degenerate_frac|zero_variance)",
)
_DEAD_SUMS = (
    (r"env/all/by_group/frac_all_good", r"env/all/by_group/frac_all_bad"),
    (r"train/agg/all/.*solved_none", r"train/agg/all/.*solved_all"),
    (r"batch/[^/]+/fractions/too_easy", r"batch/[^/]+/fractions/too_hard"),
)
_DEAD_COMPLEMENTS = (
    r"(val/)?real_batch_size_ratio",
    r"env/all/by_group/frac_mixed",
    r"batch/[^/]+/fractions/effective",
)
_TRUNCATED = (
    r"(train/)?completions/clipped_ratio",
    r"response_length/clip_ratio",
    r"(train/)?rollout/truncated_(rate|ratio)",
    r"(?i)(.*/)?(truncat(ed|ion)_?(rate|ratio|frac|fraction)|frac_truncated|clipped_ratio)",
)
_MISMATCH_MEANS = (
    r"sampling/sampling_logp_difference/mean|(training/)?rollout_probs_diff_mean"
    r"|debug/vllm_vs_local_logprob_diff_mean|train/train_rollout_logprob_abs_diff"
)
_MISMATCH_MAXIMA = (
    r"sampling/sampling_logp_difference/max|(training/)?rollout_probs_diff_max"
    r"|debug/vllm_vs_local_logprob_diff_max"
)


def _find(run: Run, patterns: tuple[str, ...]) -> tuple[str, Floats] | None:
    keys = [str(k) for k in run.table.columns]
    for pattern in patterns:
        for key in keys:
            if re.fullmatch(pattern, key):
                return key, run.column(key)
    return None


def dead_group_share(run: Run) -> Floats | None:
    """Return the share of groups without variance in each row; None if not logged.

    Examples
    --------
    TRL logs it as ``frac_reward_zero_std``, tinker-cookbook as two shares, open-instruct as the share that is
    left.
    """
    found = _find(run, _DEAD)
    if found is not None:
        return found[1]
    for parts in _DEAD_SUMS:
        pieces = [_find(run, (part,)) for part in parts]
        if all(p is not None for p in pieces):
            return np.sum([p[1] for p in pieces if p is not None], axis=0)
    found = _find(run, _DEAD_COMPLEMENTS)
    if found is not None:
        return 1.0 - found[1]
    groups = run.facts.get("dead_groups")
    if groups:
        return np.array([groups.get(float(s), np.nan) for s in run.axes[0].values])
    return None


def truncated_share(run: Run) -> Floats | None:
    """Return the share of completions that hit the length limit in each row; None if not logged."""
    found = _find(run, _TRUNCATED)
    return None if found is None else found[1]


def _late(values: Floats) -> float:
    """Return the median of the last half of what is known."""
    known = values[np.isfinite(values)]
    return float(np.median(known[known.size // 2 :])) if known.size else math.nan


def _say_last(share: Floats, late: float) -> str:
    """Say where a share has come to in the last tenth of its rows, where that is well above the last half."""
    known = share[np.isfinite(share)]
    last = float(np.median(known[-max(1, known.size // 10) :]))
    return f", {100 * last:.0f} % in the last tenth" if last > late + 0.05 else ""


def check_dead_groups(run: Run) -> LogWarning | None:
    """Find that most groups have zero variance: no gradient, and steps that cost without teaching."""
    share = dead_group_share(run)
    if share is None or not (late := _late(share)) > 0.7:
        return None
    return LogWarning(
        "dead-groups",
        f"{100 * late:.0f} % of the groups have zero variance in the last half: only "
        f"{100 * (1 - late):.0f} % of what is generated teaches.",
        "If the pass rate is near 0 or 1 the data has run out of signal; change the problems, not the "
        "budget.",
    )


def check_truncation(run: Run) -> LogWarning | None:
    """Find that many completions hit the length limit: the reward measures the limit."""
    share = truncated_share(run)
    if share is None or not (late := _late(share)) > 0.3:
        return None
    return LogWarning(
        "truncated",
        f"{100 * late:.0f} % of the completions hit the length limit in the last half"
        f"{_say_last(share, late)}; the pass rate is held down by it.",
        "Raise the limit, or shorten the task, before judging the ceiling.",
    )


def check_zero_reward(run: Run) -> LogWarning | None:
    """Find that every reward is zero: there is nothing to learn from."""
    rewards = [s for s in run.series if s.kind in ("train_reward", "train_pass_rate") and s.points > 1]
    if not rewards or any(s.low != 0 or s.high != 0 for s in rewards):
        return None
    return LogWarning(
        "no-signal",
        f"{rewards[0].key} is 0 in all {rewards[0].points} rows.",
        "Check the length limit, the answer parser and the difficulty: no budget helps.",
    )


def check_collapse(run: Run) -> LogWarning | None:
    """Find a series that rises and then collapses: what comes after is not fitted."""
    key = run.suggestion.y
    if key is None:
        return None
    values = run.column(key)
    known = np.isfinite(values) & np.isfinite(run.axes[0].values)
    x = run.axes[0].values
    if not known.all():
        x, values = x[known], values[known]
    factor = next(s.factor for s in run.series if s.key == key)
    found = find_collapse(values if factor == 1 else values * factor)
    return None if found is None else describe_collapse(key, x, values, found)


def _ends(values: Floats) -> tuple[float, float]:
    """Return the mean of the first and of the last fifth."""
    known = values[np.isfinite(values)]
    part = max(1, known.size // 5)
    return float(known[:part].mean()), float(known[-part:].mean())


def check_format_reward(run: Run) -> LogWarning | None:
    """Find a reward that rises through its format part while the accuracy does not."""
    formats = [
        s
        for s in run.series
        if re.search(r"(?i)format", s.key) and not re.search(r"(?i)fail|std|time", s.key)
    ]
    right = [s for s in run.series if s.kind == "train_pass_rate" and s.points >= 5]
    totals = [s for s in run.series if s.kind == "train_reward" and s.points >= 5 and s not in formats]
    for form in formats:
        if form.points < 5:
            continue
        form_start, form_end = _ends(run.column(form.key))
        for accuracy in right:
            start, end = _ends(run.column(accuracy.key))
            for total in totals:
                total_start, total_end = _ends(run.column(total.key))
                gain = total_end - total_start
                if gain > 0.01 and form_end - form_start > 0.05 and end - start < 0.25 * gain:
                    return LogWarning(
                        "format-reward",
                        f"{total.key} rises by {gain:.3g} while {accuracy.key} changes by "
                        f"{end - start:+.3g} and "
                        f"{form.key} by {form_end - form_start:+.3g}: the gain is format.",
                        f"Fit {accuracy.key}.",
                    )
    return None


def check_proxy_reward(run: Run) -> LogWarning | None:
    """Find a trained reward that rises while the true score beside it does not."""
    rewards = {
        s.key: s for s in run.series if s.kind in ("train_reward", "train_pass_rate") and s.points >= 5
    }
    trained = [k for k in rewards if re.fullmatch(r"(?i)(train/)?(reward(/mean|_mean)?|mean_reward)", k)]
    for key in trained:
        values = run.column(key)
        start, end = _ends(values)
        if end - start < 0.05:
            continue
        group = key.split("/")[0] + "/"
        for other, series in rewards.items():
            if other == key or not other.startswith(group) or re.search(r"(?i)minus|diff|std|format", other):
                continue
            if np.allclose(run.column(other), values, atol=1e-9, equal_nan=True):
                continue  # the proxy itself under its own name
            o_start, o_end = _ends(run.column(other))
            if o_end - o_start < 0.1 * (end - start) and series.high < 0.5 * max(end, 1e-9):
                return LogWarning(
                    "proxy-reward",
                    f"{key} rises from {start:.3g} to {end:.3g}, {other} stays at {o_start:.3g} to "
                    f"{o_end:.3g}: the reward "
                    "may be a proxy that is being exploited.",
                    f"Look at samples, and judge by {other}.",
                )
    return None


def mismatch_share(log_ratios: ArrayLike, band: float = 0.1) -> tuple[float, float]:
    """Return the share of tokens with a probability ratio outside 1 ± ``band``, and the largest log-ratio.

    The mean hides it: log-ratios of +0.15 and −0.15 have mean 0 (TRL issue 6789).

    Examples
    --------
    >>> mismatch_share([0.15, -0.15, 0.02, -0.02])
    (0.5, 0.15)
    """
    values = np.asarray(log_ratios, np.float64)
    values = values[np.isfinite(values)]
    if not values.size:
        return math.nan, math.nan
    ratio = np.exp(values)
    return float(((ratio < 1 - band) | (ratio > 1 + band)).mean()), float(np.abs(values).max())


def check_mismatch(run: Run) -> LogWarning | None:
    """Find a mismatch of rollout engine and trainer: judged by the extremes, never by the mean."""
    error = _find(run, (r"train/token_mult_prob_error",))
    if error is not None and _late(error[1]) > 1.05:
        return LogWarning(
            "logprob-mismatch",
            f"{error[0]} is {_late(error[1]):.3g} in the last half (alarm at 1.05).",
            "Compare the engines' precision (FP32 head on both sides) and sampling settings.",
        )
    worst = _find(run, (_MISMATCH_MAXIMA,))
    mean = _find(run, (_MISMATCH_MEANS,))
    if worst is None or not (late := _late(worst[1])) > 0.5:
        return None
    beside = f", while its mean is {_late(mean[1]):.2g}" if mean is not None else ""
    return LogWarning(
        "logprob-mismatch",
        f"{worst[0]} is {late:.2g} in the last half{beside}: some tokens are far outside the clip band.",
        "Log the share of tokens whose ratio is outside 0.9 to 1.1; the mean does not show it.",
    )


def compare_start(
    own: float,
    published: float,
    own_max_tokens: float | None = None,
    published_max_tokens: float | None = None,
) -> LogWarning | None:
    """Warn when the run's own value at step 0 is not the published score of its base model.

    The start R0 always comes from the run's own protocol: a published score may have another length limit,
    template or number of samples.

    Examples
    --------
    >>> compare_start(0.24, 0.288, 8192, 32768).code
    'start-differs'
    """
    if abs(own - published) <= 0.01:
        return None
    why = ""
    if (
        own_max_tokens is not None
        and published_max_tokens is not None
        and own_max_tokens != published_max_tokens
    ):
        why = (
            f" (at most {full_number(own_max_tokens)} tokens here, {full_number(published_max_tokens)} there)"
        )
    return LogWarning(
        "start-differs",
        f"the run starts at {own:.3g}, its base model is published at {published:.3g}{why}; R0 is the "
        "run's own.",
        "Compare only scores of one protocol.",
    )
