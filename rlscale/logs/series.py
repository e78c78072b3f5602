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

from ..amounts import full_number
from ..curve import Floats
from .traps import TRAPS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TOKEN = re.compile(r"[^0-9a-zA-Z@]+")
HELDOUT = _words("val valid validation eval evaluation test heldout held dev benchmark aime aime24 aime25")
TRAIN = _words("train training batch rollout")
RIGHT = _words("acc accuracy correct correctness solved solve success win answer match exact passed pass rt")
# an accuracy of something other than whole answers, or a spread, count or cost
OTHER = _words(
    """std stdev var variance sem stderr count num total n time seconds sec loss lr norm kl entropy clip
    clipped ratio grad advantage advantages value values returns prob logprob fail failure error errors format
    prm corr token tokens turns idx seed epoch weight frac fraction coeff coef abstention lower upper"""
)
TIMER = _words(
    """time timing timer times seconds second secs sec ms millis minutes mins hours duration durations latency
    elapsed runtime walltime timestamp"""
)
NO_REWARD = TIMER | _words("format perf loss count length returns advantage advantages model lr")
LENGTH = re.compile(
    r"(?i)(^|[/_.])(response_len|completion_len|seq_len|sequence_len|mean_len|avg_len|.*length|num_tokens.*)"
)
REWARD = re.compile(r"(?i)(reward|score|return|r_total)")
METRIC = re.compile(r"(?i)(mean|avg|pass|best|maj|majority)(?:@|_at_|_@_|@_)?(\d+|k)(?=$|[/_. ])")
METRICS = {
    "mean": "mean",
    "avg": "mean",
    "pass": "any",
    "best": "any",
    "maj": "majority",
    "majority": "majority",
}
DATASET = re.compile(r"(?:val-core|val-aux)/(.+)/(?:acc|reward|score)/[^/]+(?:/[^/]+)?$")
DATASETS = (
    DATASET,
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
    def extent(self) -> str:
        """Lowest to highest value, for a sentence."""
        return f"{full_number(self.low)} to {full_number(self.high)}"

    @property
    def fittable(self) -> bool:
        """Whether it may be suggested for a fit."""
        return (
            self.kind in ("heldout_pass_rate", "train_pass_rate") and self.scale == "unit" and not self.biased
        )


def is_timer(key: str) -> bool:
    """Whether a name says that it is a time, as ``timing_s/reward`` is: how long the reward took.

    Examples
    --------
    >>> is_timer("timing_s/reward"), is_timer("reward_time_ms"), is_timer("critic/rewards/mean")
    (True, True, False)
    """
    return bool(TIMER & set(_TOKEN.split(key.lower().replace("_", "/"))))


def parse_metric(key: str) -> tuple[str, int | None]:
    """Return what a name says about samples: (``"mean"``, ``"any"``, ``"majority"`` or ``""``, k).

    ``pass@1`` and ``pass1`` are a mean over single samples; ``pass@k`` and ``best@k`` count a problem when
    any of k samples is right; the kinds cannot be pooled.

    Examples
    --------
    >>> names = ("mean@32", "best@32", "maj@32", "pass1", "pass32", "avg@32", "pass_at_32", "pass@1")
    >>> [parse_metric(name) for name in names]  # doctest: +NORMALIZE_WHITESPACE
    [('mean', 32), ('any', 32), ('majority', 32), ('mean', 1), ('any', 32), ('mean', 32), ('any', 32),
    ('mean', 1)]
    >>> parse_metric("critic/score/mean")
    ('', None)
    """
    found = METRIC.findall(key)
    if not found:
        if re.search(r"(?i)pass_at_(n|k)\b|pass_k\b|pass@k\b", key):
            return "any", None
        return "", None
    word, k_text = found[-1]
    k = int(k_text) if k_text.isdigit() and len(k_text) < 7 else None
    metric = METRICS[word.lower()]
    if metric == "any" and k == 1:
        metric = "mean"
    return metric, k


#: What a series of the groups that a filter kept is no measure of.
FILTERED = "only the groups that a filter kept: pulled to the middle"


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
    trap = TRAPS.get(framework)
    if trap is not None:
        for pattern, fields in trap:
            match = re.fullmatch(pattern, key)
            if match:
                metric, k = parse_metric(key)
                known = dict(fields)
                if "dataset" in match.groupdict():
                    known.setdefault("dataset", match.group("dataset"))
                return Series(key, **{"metric": metric, "k": k, **known})  # type: ignore[arg-type]
    series = _parse_plain(key)
    if framework == "TRL" and series.heldout is None:
        series = replace(series, heldout=False)  # evaluation rows have the prefix eval_
    rate = series.kind in ("train_pass_rate", "train_reward")
    if rate and "filtered" in _TOKEN.split(key.lower()):  # of held-out series it may be the name of the data
        return replace(series, biased=True, note=FILTERED)
    return series


def _parse_plain(key: str) -> Series:
    metric, k = parse_metric(key)
    low = key.lower()
    tokens = [t for t in _TOKEN.split(low) if t]
    words = set(tokens)
    heldout: bool | None = None
    if words & HELDOUT or low.startswith("eval_"):
        heldout = True
    elif words & TRAIN:
        heldout = False
    dataset = next((m.group(1) for m in (p.search(key) for p in DATASETS) if m), "")
    base = Series(key, "other", metric, k, dataset, heldout)
    if low.endswith(("__min", "__max")):
        return base
    if LENGTH.search(key):
        return replace(base, kind="length")
    spread = tokens[-1:] and tokens[-1] in ("std", "max", "min", "var", "sum", "count")
    if not spread:
        if metric in ("any", "majority"):
            return replace(base, kind="pass_at_k", rank=6)
        percent = bool(words & {"percent", "percentage", "pct"}) or "%" in low
        rank = _rank(words, low)
        if rank and not words & OTHER:
            if metric == "mean" and not words & RIGHT and words & {"reward", "score"}:
                return replace(base, kind="heldout_reward" if heldout else "train_reward")
            kind = "heldout_pass_rate" if heldout else "train_pass_rate"
            return replace(base, kind=kind, rank=rank, factor=0.01 if percent else 1.0)
        if metric == "mean" and heldout:
            return replace(base, kind="heldout_pass_rate", rank=2)
    if REWARD.search(key) and not spread and not words & NO_REWARD:
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


def describe_values(series: Series, values: Floats) -> Series:
    """Return ``series`` with the count, range and scale of its values; NaN is missing, and none is infinite.

    Examples
    --------
    >>> s = describe_values(parse_name("accuracy"), np.array([0.1, np.nan, 0.4]))
    >>> s.points, s.high, s.scale
    (2, 0.4, 'unit')
    """
    points = int(values.size - np.isnan(values).sum())
    if not points:
        return replace(series, points=0)
    low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    factor = series.factor if high > 1 else 1.0
    if low * factor >= 0 and high * factor <= 1:
        scale = "unit"
    elif low >= 0 and 1 < high <= 100 and series.kind.endswith("pass_rate"):
        scale = "percent"
    elif -1 <= low < 0 and high <= 1:
        scale = "signed"
    else:
        scale = "other"
    return replace(series, points=points, low=low, high=high, scale=scale, factor=factor)
