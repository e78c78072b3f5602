"""What a logged series is, read from its name and checked against its values.

``val-core/openai/gsm8k/acc/mean@4`` is the mean over 4 samples a problem of the accuracy on held-out data
``openai/gsm8k``.
A name that does not say it is a pass rate is never taken for one: ``reward`` and ``score`` may hold format,
length and penalty terms.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from ..curve import Floats

_TOKEN = re.compile(r"[^0-9a-zA-Z@]+")
_HELDOUT = frozenset(
    [
        "val",
        "valid",
        "validation",
        "eval",
        "evaluation",
        "test",
        "heldout",
        "held",
        "dev",
        "benchmark",
        "aime",
        "aime24",
        "aime25",
        "math500",
        "val-core",
    ]
)
_TRAIN = frozenset(["train", "training", "batch", "rollout"])
_RIGHT = frozenset(
    [
        "acc",
        "accuracy",
        "correct",
        "correctness",
        "solved",
        "solve",
        "success",
        "win",
        "answer",
        "match",
        "em",
        "exact",
        "passed",
        "passrate",
        "pass",
        "rt",
    ]
)
# an accuracy of something other than whole answers, or a spread, count or cost
_OTHER = frozenset(
    [
        "std",
        "stdev",
        "var",
        "variance",
        "sem",
        "stderr",
        "count",
        "num",
        "total",
        "n",
        "time",
        "seconds",
        "sec",
        "loss",
        "lr",
        "norm",
        "kl",
        "entropy",
        "clip",
        "clipped",
        "ratio",
        "grad",
        "advantage",
        "advantages",
        "value",
        "values",
        "returns",
        "prob",
        "logprob",
        "step_acc",
        "failure",
        "fail",
        "error",
        "errors",
        "format",
        "prm",
        "corr",
        "token",
        "tokens",
        "turns",
        "idx",
        "seed",
        "epoch",
        "weight",
        "frac",
        "fraction",
        "coeff",
        "coef",
        "abstention",
        "lower",
        "upper",
    ]
)
_LENGTH = re.compile(
    r"(?i)(^|[/_.])(response_len|completion_len|seq_len|sequence_len|mean_len|avg_len|.*length|num_tokens.*)"
)
_REWARD = re.compile(r"(?i)(reward|score|return|r_total)")
_METRIC = re.compile(r"(?i)(mean|avg|pass|best|maj|majority)(?:@|_at_|_@_|@_)?(\d+|k)(?=$|[/_. ])")
_METRICS = {
    "mean": "mean",
    "avg": "mean",
    "pass": "any",
    "best": "any",
    "maj": "majority",
    "majority": "majority",
}
_DATASET = re.compile(r"(?:val-core|val-aux)/(.+)/(?:acc|reward|score)/[^/]+(?:/[^/]+)?$")
_DATASETS = (
    _DATASET,
    re.compile(r"(?:val/)?test_score/(.+)$"),
    re.compile(r"eval/eval_(.+)_pass\d+$"),
    re.compile(r"eval/(.+)/(?:avg_score|pass_at_\w+|avg@\d+|pass@\d+)$"),
    re.compile(r"eval/(.+)-pass@\d+$"),
    re.compile(r"val/(.+)/pass@\d+$"),
)


@dataclass(frozen=True)
class Series:
    """One logged series of numbers.

    Attributes
    ----------
    key : str
        Its name in the log.
    kind : str
        One of :data:`rlscale.curve.KINDS`.
    metric : str
        ``"mean"`` (mean over samples, then problems), ``"any"`` (at least one of k right), ``"majority"``, or
        ``""``.
    k : int or None
        Samples a problem, where the name says it.
    dataset : str
        Data the pass rate is measured on, where the name says it.
    heldout : bool or None
        None where the name does not say.
    points, low, high : int, float, float
        How many values there are, and their range.
    scale : str
        ``"unit"`` (inside 0…1), ``"percent"``, ``"signed"`` (inside −1…1), or ``"other"``.
    factor : float
        What the values are multiplied by to become a pass rate: 0.01 when the name says percent, else 1.
    rank : int
        Smaller is chosen before larger.
    note : str
        A trap of this framework, or what was taken for granted.
    biased : bool
        Whether it is known not to be the plain pass rate of its problems (filtered or shaped reward).
    """

    key: str
    kind: str
    metric: str = ""
    k: int | None = None
    dataset: str = ""
    heldout: bool | None = None
    points: int = 0
    low: float = np.nan
    high: float = np.nan
    scale: str = "other"
    factor: float = 1.0
    rank: int = 9
    note: str = ""
    biased: bool = False

    @property
    def fittable(self) -> bool:
        """Whether it may be suggested for a fit."""
        return (
            self.kind in ("heldout_pass_rate", "train_pass_rate") and self.scale == "unit" and not self.biased
        )


def parse_metric(key: str) -> tuple[str, int | None]:
    """Return what a name says about samples: (``"mean"``, ``"any"``, ``"majority"`` or ``""``, k).

    ``pass@1`` and ``pass1`` are a mean over single samples; ``pass@k`` and ``best@k`` count a problem when
    any of k samples is right; the kinds cannot be pooled.

    Examples
    --------
    >>> [parse_metric(name) for name in ("mean@32", "best@32", "maj@32", "pass1", "pass32", "avg@32", "pass_at_32", "pass@1")]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('mean', 32), ('any', 32), ('majority', 32), ('mean', 1), ('any', 32), ('mean', 32), ('any', 32),
    ('mean', 1)]
    >>> parse_metric("critic/score/mean")
    ('', None)
    """
    found = _METRIC.findall(key)
    if not found:
        if re.search(r"(?i)pass_at_(n|k)\b|pass_k\b|pass@k\b", key):
            return "any", None
        return "", None
    word, k_text = found[-1]
    k = int(k_text) if k_text.isdigit() and len(k_text) < 7 else None
    metric = _METRICS[word.lower()]
    if metric == "any" and k == 1:
        metric = "mean"
    return metric, k


def parse_name(key: str, framework: str = "") -> Series:
    """Return what the name of a series says, before its values are looked at.

    Parameters
    ----------
    key : str
        Name in the log.
    framework : str
        Name of the framework, whose traps are then known.

    Returns
    -------
    Series
        Without points and range.

    Examples
    --------
    >>> s = parse_name("val-core/openai/gsm8k/acc/mean@4", "verl")
    >>> s.kind, s.metric, s.k, s.dataset
    ('heldout_pass_rate', 'mean', 4, 'openai/gsm8k')
    >>> parse_name("val/sequence_lengths", "open-instruct").heldout
    False
    >>> parse_name("reward").kind
    'train_reward'
    """
    trap = _TRAPS.get(framework)
    if trap is not None:
        for pattern, fields in trap:
            match = re.fullmatch(pattern, key)
            if match:
                metric, k = parse_metric(key)
                known = dict(fields)
                if "dataset" in match.groupdict():
                    known.setdefault("dataset", match.group("dataset"))
                return Series(key, **{"metric": metric, "k": k, **known})  # type: ignore[arg-type]
    return _parse_plain(key)


def _parse_plain(key: str) -> Series:
    metric, k = parse_metric(key)
    low = key.lower()
    tokens = [t for t in _TOKEN.split(low) if t]
    words = set(tokens)
    heldout: bool | None = None
    if words & _HELDOUT or low.startswith("eval_"):
        heldout = True
    elif words & _TRAIN:
        heldout = False
    dataset = next((m.group(1) for m in (p.search(key) for p in _DATASETS) if m), "")
    base = Series(key, "other", metric, k, dataset, heldout)
    if low.endswith(("__min", "__max")):
        return base
    if _LENGTH.search(key):
        return replace(base, kind="length")
    spread = tokens[-1:] and tokens[-1] in ("std", "max", "min", "var", "sum", "count")
    if not spread:
        if metric in ("any", "majority"):
            return replace(base, kind="pass_at_k", rank=6)
        percent = bool(words & {"percent", "percentage", "pct"}) or low.endswith("%")
        rank = _rank(words, low)
        if rank and not words & _OTHER:
            if metric == "mean" and not words & _RIGHT and words & {"reward", "score"}:
                return replace(base, kind="heldout_reward" if heldout else "train_reward")
            kind = "heldout_pass_rate" if heldout else "train_pass_rate"
            return replace(base, kind=kind, rank=rank, factor=0.01 if percent else 1.0)
        if metric == "mean" and heldout:
            return replace(base, kind="heldout_pass_rate", rank=2)
    if _REWARD.search(key) and not spread and not words & {"format", "time", "loss", "count", "length"}:
        return replace(base, kind="heldout_reward" if heldout else "train_reward", rank=8)
    return base


def _rank(words: set[str], low: str) -> int:
    """Return 1 for names that say a whole answer was right, 2 for plain accuracy, 0 for anything else."""
    if words & {"step", "prm", "grounded", "format", "structural"}:
        return 0
    if re.search(r"(answer|solve|success|win|match|pass)_?(rate|acc|accuracy|percent)", low):
        return 1
    if words & {"correct", "correctness", "solved", "passrate"} or {"exact", "match"} <= words:
        return 1
    if words & {"final"} and words & {"ans", "answer", "acc", "accuracy"}:
        return 1
    if words & {"accuracy", "acc"} or re.search(r"accuracy|correctness", low):
        return 2
    return 0


_VAL_REWARD = "the key says reward, not accuracy; a reward with partial credit is no pass rate"
_TRAPS: dict[str, tuple[tuple[str, dict[str, object]], ...]] = {
    "verl": (
        (r"val-(core|aux)/(?P<dataset>.+)/acc/mean@\d+", {"kind": "heldout_pass_rate", "rank": 1, "heldout": True}),
        (r"val-(core|aux)/(?P<dataset>.+)/(reward|score)/mean@\d+",
         {"kind": "heldout_pass_rate", "rank": 2, "heldout": True, "note": _VAL_REWARD}),
        (r"val-(core|aux)/(?P<dataset>.+)/best@\d+(/mean)?",
         {"kind": "pass_at_k", "heldout": True, "note": "1,000 draws with replacement: below the unbiased "
                                                        "pass@k"}),
        (r"val-(core|aux)/(?P<dataset>.+)/maj@\d+(/mean)?", {"kind": "pass_at_k", "heldout": True}),
        (r"(val/)?test_score/(?P<dataset>.+)",
         {"kind": "heldout_pass_rate", "rank": 2, "heldout": True, "k": 1, "note": _VAL_REWARD}),
        (r"critic/score/mean", {"kind": "train_reward", "heldout": False, "rank": 7, "note": "reward before the KL term"}),
        (r"critic/rewards/mean", {"kind": "train_reward", "heldout": False, "biased": True, "note": "after the KL term"}),
    ),
    "tinker-cookbook": (
        (r"test/env/(?P<dataset>.+)/correct", {"kind": "heldout_pass_rate", "rank": 1, "heldout": True}),
        (r"env/(?P<dataset>.+)/correct", {"kind": "train_pass_rate", "rank": 1, "heldout": False}),
        (r"test/env/.+/reward/total",
         {"kind": "heldout_reward", "heldout": True, "biased": True,
          "note": "correct plus a format penalty (−0.1…1 by default): not accuracy"}),
        (r"env/.+/reward/total",
         {"kind": "train_reward", "heldout": False, "biased": True,
          "note": "correct plus a format penalty (−0.1…1 by default): not accuracy"}),
        (r"(test/)?env/.+/(by_group/.+|format)", {"kind": "other"}),
    ),
    "open-instruct": (
        (r"eval/scores", {"kind": "heldout_pass_rate", "rank": 2, "heldout": True, "note": _VAL_REWARD}),
        (r"val/.*(length|len).*", {"kind": "length", "heldout": False}),
        (r"val/.+", {"kind": "other", "heldout": False, "note": "val/* of open-instruct is the training "
                                                                "batch"}),
        (r"scores", {"kind": "train_reward", "heldout": False, "rank": 7}),
    ),
    "NeMo-RL": (
        (r"validation/accuracy", {"kind": "heldout_pass_rate", "rank": 1, "heldout": True}),
        (r"validation/pass_k", {"kind": "pass_at_k", "metric": "any", "heldout": True}),
        (r"train/filtered_reward",
         {"kind": "train_reward", "heldout": False, "biased": True,
          "note": "reward of the groups that dynamic sampling kept: pulled to the middle"}),
        (r"train/reward", {"kind": "train_reward", "heldout": False, "rank": 7}),
    ),
    "OpenRLHF": (
        (r"eval/eval_(?P<dataset>.+)_pass1",
         {"kind": "heldout_pass_rate", "rank": 1, "heldout": True, "metric": "mean", "k": None}),
        (r"eval/eval_(?P<dataset>.+)_pass\d+", {"kind": "pass_at_k", "heldout": True}),
        (r"train/(reward|rollout/reward_mean)", {"kind": "train_reward", "heldout": False, "rank": 7}),
        (r"train/dynamic_filtering_pass_rate", {"kind": "other", "heldout": False}),
    ),
    "SkyRL": (
        (r"eval/(?P<dataset>.+)/avg_score", {"kind": "heldout_pass_rate", "rank": 2, "heldout": True, "note": _VAL_REWARD}),
        (r"eval/(?P<dataset>.+)/pass_at_\w+", {"kind": "pass_at_k", "heldout": True, "metric": "any"}),
        (r"reward/avg_pass_at_\d+", {"kind": "pass_at_k", "heldout": False}),
        (r"reward/avg_raw_reward", {"kind": "train_reward", "heldout": False, "rank": 7}),
        (r"loss/avg_final_rewards", {"kind": "train_reward", "heldout": False, "biased": True}),
    ),
    "slime": (
        (r"eval/step|rollout/step|train/step", {"kind": "other"}),
        (r"eval/(?P<dataset>.+)-pass@\d+", {"kind": "pass_at_k", "heldout": True}),
        (r"eval/(?P<dataset>[^/]+)(/score|/reward)?",
         {"kind": "heldout_pass_rate", "rank": 2, "heldout": True, "note": _VAL_REWARD}),
        (r"rollout/raw_reward", {"kind": "train_reward", "heldout": False, "rank": 7}),
    ),
    "prime-rl": (
        (r"eval/(?P<dataset>.+)/avg@\d+", {"kind": "heldout_pass_rate", "rank": 2, "heldout": True, "note": _VAL_REWARD}),
        (r"eval/(?P<dataset>.+)/pass@\d+", {"kind": "pass_at_k", "heldout": True}),
        (r"train/.+/effective/.*reward/mean",
         {"kind": "train_reward", "heldout": False, "biased": True, "note": "only the groups that were "
                                                                            "trained on"}),
        (r"train/.+/all/.*reward/mean", {"kind": "train_reward", "heldout": False, "rank": 7}),
        (r"train/.+reward/mean", {"kind": "train_reward", "heldout": False, "rank": 8}),
        (r".*solved_(none|all|some)", {"kind": "other", "heldout": False}),
    ),
    "torchforge": (
        (r"reward/evaluate_response/avg_total_reward",
         {"kind": "train_reward", "heldout": False, "biased": True, "note": "mean over all reward functions"}),
        (r"reward/evaluate_response/.+", {"kind": "train_reward", "heldout": False, "rank": 7}),
    ),
    "rllm": (
        (r"val/(?P<dataset>.+)/pass@1", {"kind": "heldout_pass_rate", "rank": 1, "heldout": True}),
        (r"val/(?P<dataset>.+)/pass@\d+", {"kind": "pass_at_k", "heldout": True}),
        (r"episode/correct", {"kind": "train_pass_rate", "rank": 1, "heldout": False}),
    ),
}  # fmt: skip


def describe_values(series: Series, values: Floats) -> Series:
    """Return ``series`` with the count, range and scale of its values.

    Examples
    --------
    >>> s = describe_values(parse_name("accuracy"), np.array([0.1, np.nan, 0.4]))
    >>> s.points, s.high, s.scale
    (2, 0.4, 'unit')
    """
    known = values[np.isfinite(values)]
    if not known.size:
        return replace(series, points=0)
    low, high = float(known.min()), float(known.max())
    factor = series.factor if high > 1 else 1.0
    if low * factor >= 0 and high * factor <= 1:
        scale = "unit"
    elif low >= 0 and 1 < high <= 100 and series.kind.endswith("pass_rate"):
        scale = "percent"
    elif -1 <= low < 0 and high <= 1:
        scale = "signed"
    else:
        scale = "other"
    return replace(series, points=int(known.size), low=low, high=high, scale=scale, factor=factor)
