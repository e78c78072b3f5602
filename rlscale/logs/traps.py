"""What each framework means by the names of its series, where a plain reading of the name is wrong.

Read in the frameworks' own sources in 2026. A rule is a pattern that the whole name must match, and the
fields of :class:`rlscale.logs.series.Series` that follow; the first that matches holds.
"""

from __future__ import annotations

Rule = tuple[str, dict[str, object]]

_REWARD = "the key says reward, not accuracy; a reward with partial credit is no pass rate"
_FORMAT = "correct plus a format penalty (−0.1…1 by default): not accuracy"


def _held(pattern: str, rank: int, note: str = "", **more: object) -> Rule:
    return pattern, {"kind": "heldout_pass_rate", "heldout": True, "rank": rank, "note": note, **more}


def _any(pattern: str, note: str = "", heldout: bool = True) -> Rule:
    return pattern, {"kind": "pass_at_k", "heldout": heldout, "note": note}


def _trained(pattern: str, note: str = "", rank: int = 7) -> Rule:
    return pattern, {"kind": "train_reward", "heldout": False, "rank": rank, "note": note}


def _biased(pattern: str, note: str, heldout: bool = False) -> Rule:
    kind = "heldout_reward" if heldout else "train_reward"
    return pattern, {"kind": kind, "heldout": heldout, "biased": True, "note": note}


def _right(pattern: str) -> Rule:
    return pattern, {"kind": "train_pass_rate", "heldout": False, "rank": 1}


def _other(pattern: str, note: str = "", kind: str = "other") -> Rule:
    return pattern, {"kind": kind, "heldout": False, "note": note}


#: Name of a framework -> its rules.
TRAPS: dict[str, tuple[Rule, ...]] = {
    "verl": (
        _held(r"val-(core|aux)/(?P<dataset>.+)/acc/mean@\d+", 1),
        _held(r"val-(core|aux)/(?P<dataset>.+)/(reward|score)/mean@\d+", 2, _REWARD),
        _any(
            r"val-(core|aux)/(?P<dataset>.+)/(?:acc|reward|score)/best@\d+(/mean)?",
            "1,000 draws with replacement: below the unbiased pass@k",
        ),
        _any(r"val-(core|aux)/(?P<dataset>.+)/(?:acc|reward|score)/maj@\d+(/mean)?"),
        _held(r"(val/)?test_score/(?P<dataset>.+)", 2, _REWARD, k=1),
        _trained(r"critic/score/mean", "reward before the KL term"),
        _biased(r"critic/rewards/mean", "reward after the KL term"),
    ),
    "tinker-cookbook": (
        _held(r"test/env/(?P<dataset>.+)/correct", 1),
        _right(r"env/(?P<dataset>.+)/correct"),
        _biased(r"test/env/.+/reward/total", _FORMAT, heldout=True),
        _biased(r"env/.+/reward/total", _FORMAT),
        _other(r"(test/)?env/.+/(by_group/.+|format)"),
    ),
    "open-instruct": (
        _held(r"eval/scores", 2, _REWARD),
        _other(r"val/.*(length|len).*", "val/* of open-instruct is the training batch", kind="length"),
        _other(r"val/.+", "val/* of open-instruct is the training batch"),
        _trained(r"scores"),
    ),
    "NeMo-RL": (
        _held(r"validation/accuracy", 1),
        _any(r"validation/pass_k"),
        _biased(r"train/filtered_reward", "only the groups that dynamic sampling kept: pulled to the middle"),
        _trained(r"train/reward"),
    ),
    "OpenRLHF": (
        _held(r"eval/eval_(?P<dataset>.+)_pass1", 1, metric="mean", k=None),
        _any(r"eval/eval_(?P<dataset>.+)_pass\d+"),
        _trained(r"train/(reward|rollout/reward_mean)"),
        _other(r"train/dynamic_filtering_pass_rate"),
    ),
    "SkyRL": (
        _held(r"eval/(?P<dataset>.+)/avg_score", 2, _REWARD),
        _any(r"eval/(?P<dataset>.+)/pass_at_\w+"),
        _any(r"reward/avg_pass_at_\d+", heldout=False),
        _trained(r"reward/avg_raw_reward"),
        _biased(r"loss/avg_final_rewards", "after shaping"),
    ),
    "slime": (
        _other(r"(eval|rollout|train)/step"),
        _any(r"eval/(?P<dataset>.+)-pass@\d+"),
        _held(r"eval/(?P<dataset>[^/]+)(/score|/reward)?", 2, _REWARD),
        _trained(r"rollout/raw_reward"),
    ),
    "prime-rl": (
        _held(r"eval/(?P<dataset>.+)/avg@\d+", 2, _REWARD),
        _any(r"eval/(?P<dataset>.+)/pass@\d+"),
        _biased(r"train/.+/effective/.*reward/mean", "only the groups that were trained on"),
        _trained(r"train/.+/all/.*reward/mean"),
        _trained(r"train/.+reward/mean", rank=8),
        _other(r".*solved_(none|all|some)"),
    ),
    "torchforge": (
        _biased(r"reward/evaluate_response/avg_total_reward", "mean over all reward functions"),
        _trained(r"reward/evaluate_response/.+"),
    ),
    "rllm": (
        _held(r"val/(?P<dataset>.+)/pass@1", 1),
        _any(r"val/(?P<dataset>.+)/pass@\d+"),
        _right(r"episode/correct"),
    ),
}
